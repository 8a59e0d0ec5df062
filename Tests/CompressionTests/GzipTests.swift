import Foundation
import Testing

@testable import Compression

@Suite struct GzipTests {
    /// What gunzip makes of it.
    private func gunzipped(_ bytes: [UInt8]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gz")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let program = Process()
        program.executableURL = URL(filePath: "/bin/gzip")
        program.arguments = ["--decompress", "--stdout", file.path]
        let output = Pipe()
        program.standardOutput = output
        try program.run()
        let result = try output.fileHandleForReading.readToEnd() ?? Data()
        program.waitUntilExit()
        #expect(program.terminationStatus == 0)
        return [UInt8](result)
    }

    @Test(arguments: [0, 1, 1000, 100_000]) func `gunzip gets the bytes back`(count: Int) throws {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(try gunzipped(try #require(Gzip.compressed(bytes))) == bytes)
    }

    @Test func `what repeats becomes short, and the same bytes give the same result`() throws {
        let bytes = [UInt8](String(repeating: #"{"status":"active","name":"Alice"}"#, count: 1000).utf8)
        let compressed = try #require(Gzip.compressed(bytes))
        #expect(compressed.count < bytes.count / 50)
        #expect(Gzip.compressed(bytes) == compressed)
    }
}
