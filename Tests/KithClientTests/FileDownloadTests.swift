import Foundation
import Testing

@testable import KithClient

/// A server with one content. It cuts each answer after some bytes.
private actor Shelf {
    var content: Data
    var tag = "\"v1\""
    var cuts: [Int]
    private(set) var requests: [Int64] = []

    init(_ content: Data, cuts: [Int] = []) {
        self.content = content
        self.cuts = cuts
    }

    func replace(_ content: Data, tag: String) { (self.content, self.tag) = (content, tag) }

    private struct Body: EventSource {
        let pieces: Pieces

        actor Pieces {
            private var rest: Data
            private let isCut: Bool

            init(_ rest: Data, isCut: Bool) { (self.rest, self.isCut) = (rest, isCut) }

            func next() throws -> Data? {
                guard !rest.isEmpty else {
                    if isCut { throw URLError(.networkConnectionLost) }
                    return nil
                }
                defer { rest = Data(rest.dropFirst(1000)) }
                return Data(rest.prefix(1000))
            }
        }

        func next() async throws -> Data? { try await pieces.next() }
        func cancel() {}
    }

    func open(_ first: Int64, _ known: String?) throws -> StreamedAnswer {
        requests.append(first)
        let isPart = first > 0 && known == tag
        if isPart, first >= content.count {
            throw KithProblem(
                code: .init(rawValue: "range_not_satisfiable"), status: 416, detail: "", retryable: false,
                retryAfter: nil, requestID: nil, errors: [])
        }
        let whole = isPart ? Data(content.dropFirst(Int(first))) : content
        let cut = cuts.isEmpty ? nil : cuts.removeFirst()
        var headers = ["etag": tag, "content-length": String(whole.count)]
        if isPart { headers["content-range"] = "bytes \(first)-\(content.count - 1)/\(content.count)" }
        return StreamedAnswer(
            status: isPart ? 206 : 200, headers: headers,
            body: Body(pieces: Body.Pieces(cut.map { whole.prefix($0) } ?? whole, isCut: cut != nil)))
    }
}

@Suite("The download of a file") struct FileDownloadTests {
    private static let content = Data((0..<10_500).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    private let folder: URL
    private var file: URL { folder.appending(path: "Will.pdf") }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "kith-download-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func download(
        _ shelf: Shelf, sha256: String? = nil, _ progress: @escaping @Sendable (KithProgress) -> Void = { _ in }
    ) async throws {
        try await FileDownload(
            open: { try await shelf.open($0, $1) }, sleep: { _ in }, file: file, sha256: sha256, progress: progress
        ).run()
    }

    private func digest(_ content: Data) -> String {
        var digest = ContentDigest()
        digest.update(content)
        return digest.finish()
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func `goes on where the connection was cut, and leaves nothing but the file`() async throws {
        let shelf = Shelf(Self.content, cuts: [1000, 0, 2500, 6999])
        try await download(shelf, sha256: digest(Self.content))
        #expect(try Data(contentsOf: file) == Self.content)
        #expect(await shelf.requests == [0, 1000, 1000, 3500, 10_499])
        #expect(try files() == ["Will.pdf"])
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `reports progress that does not go back while the content stays the same`() async throws {
        let seen = Seen()
        try await download(Shelf(Self.content, cuts: [2000, 3000])) { seen.add($0) }
        #expect(seen.all.map(\.completed) == seen.all.map(\.completed).sorted())
        #expect(seen.all.last == KithProgress(completed: 10_500, total: 10_500))
        #expect(seen.all.allSatisfy { $0.total == 10_500 })
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `goes on in a later launch, and begins anew when the content has changed`() async throws {
        let other = Data(Self.content.reversed())
        for changes in [false, true] {
            let shelf = Shelf(Self.content, cuts: [4000, 0, 0, 0, 0])
            await #expect(throws: URLError.self) { try await download(shelf) }
            #expect(try files() == [".Will.pdf.v1.kith-part"])
            if changes { await shelf.replace(other, tag: "\"v2\"") }
            try await download(shelf)
            #expect(try Data(contentsOf: file) == (changes ? other : Self.content))
            #expect(await shelf.requests.last == 4000)
            #expect(try files() == ["Will.pdf"])
            try FileManager.default.removeItem(at: file)
        }
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `a part that is damaged, too long or complete never becomes the file`() async throws {
        let part = folder.appending(path: ".Will.pdf.v1.kith-part")
        try Data(repeating: 0, count: 500).write(to: part)
        await #expect(throws: KithProblem.contentDamaged) {
            try await download(Shelf(Self.content), sha256: digest(Self.content))
        }
        #expect(try files() == [])
        for count in [10_500, 20_000] {
            try Data(repeating: 0, count: count).write(to: part)
            try await download(Shelf(Self.content), sha256: digest(Self.content))
            #expect(try Data(contentsOf: file) == Self.content)
        }
        #expect(try files() == ["Will.pdf"])
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `an empty content makes an empty file`() async throws {
        try await download(Shelf(Data()))
        #expect(try Data(contentsOf: file).isEmpty)
        try FileManager.default.removeItem(at: folder)
    }

    @Test func `the digest is that of FIPS 180-4, however the bytes arrive`() {
        #expect(digest(Data()) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(digest(Data("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let text = Data("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
        #expect(digest(text) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        var pieces = ContentDigest()
        for byte in Self.content { pieces.update(Data([byte])) }
        #expect(pieces.finish() == digest(Self.content))
    }
}

private final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private var seen: [KithProgress] = []
    var all: [KithProgress] { lock.withLock { seen } }
    func add(_ progress: KithProgress) { lock.withLock { seen.append(progress) } }
}
