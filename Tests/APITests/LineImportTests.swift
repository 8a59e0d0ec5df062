import Testing

@testable import API

@Suite struct `The lines of an import` {
    private func numbers(_ body: String) -> [Int]? { LineImport.lines(of: Array(body.utf8))?.map { $0.number } }

    @Test func `are numbered from 1, and blank ones are left out`() throws {
        #expect(numbers("a\n\n \t\r\nb\r\nc") == [1, 4, 5])
        #expect(numbers("a\n") == [1])
        #expect(numbers("\n\n") == [])
        #expect(numbers("") == [])
        let lines = try #require(LineImport.lines(of: Array("one\n\ntwo".utf8)))
        #expect(lines.map { String(decoding: $0.text, as: UTF8.self) } == ["one", "two"])
    }

    @Test func `begin after a byte order mark`() throws {
        let lines = try #require(LineImport.lines(of: Array("\u{FEFF}one\n\u{FEFF}two".utf8)))
        #expect(lines.map { Array($0.text) } == [Array("one".utf8), Array("\u{FEFF}two".utf8)])
        #expect(lines.map(\.number) == [1, 2])
        #expect(LineImport.lines(of: [0xEF, 0xBB, 0xBF])?.count == 0)
    }

    @Test func `are at most ten thousand, blank ones included`() {
        let most = Array(repeating: "a", count: LineImport.maximumLines).joined(separator: "\n")
        #expect(numbers(most)?.count == LineImport.maximumLines)
        #expect(numbers(most + "\n")?.count == LineImport.maximumLines)
        #expect(numbers(most + "\na") == nil)
        #expect(numbers(String(repeating: "\n", count: LineImport.maximumLines)) == [])
        #expect(numbers(String(repeating: "\n", count: LineImport.maximumLines + 1)) == nil)
    }

    @Test func `of a body of nothing but newlines are refused without reading them all`() {
        let body = Array(repeating: UInt8(ascii: "\n"), count: LineImport.maximumBody)
        let clock = ContinuousClock()
        let spent = clock.measure { #expect(LineImport.lines(of: body)?.count == nil) }
        #expect(spent < .seconds(1))
    }
}
