import Glibc
@testable import LocalPostgres
import Testing

struct DirectoryEntryTests {
    @Test func `an entry at the end of the memory is read up to its name's end, and no further`() throws {
        let page = Int(getpagesize())
        let memory = try #require(
            mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            "mmap gave no memory")
        defer { munmap(memory, 2 * page) }
        try #require(memory != MAP_FAILED && mprotect(memory + page, page, PROT_NONE) == 0)
        let name = Array("kith-ephemeral-7-0".utf8) + [0]
        let start = try #require(MemoryLayout<dirent>.offset(of: \.d_name))
        // As the kernel writes it: the name is the end of the entry, whose size is a multiple of 8.
        let size = (start + name.count + 7) & ~7
        let entry = memory + page - size
        entry.advanced(by: start).copyMemory(from: name, byteCount: name.count)
        #expect(entryName(entry.assumingMemoryBound(to: dirent.self)) == "kith-ephemeral-7-0")
    }
}
