import ChildProcesses
import Foundation
import Synchronization

/// Checks values against the schemas of an OpenAPI document: the program `Tests/Schemas/check.py`, which runs as long
/// as this object lives.
final class SchemaChecker: Sendable {
    private let program: Mutex<Program>

    private static let ofDocuments = Mutex<[Data: Result<SchemaChecker, any Error>]>([:])

    /// The checker of a document. All servers of a test run publish the same one, so there is one program.
    static func of(_ document: Data) throws -> SchemaChecker {
        try ofDocuments.withLock { known in
            let checker = known[document] ?? Result { try SchemaChecker(document) }
            known[document] = checker
            return try checker.get()
        }
    }

    /// Throws if the document has a keyword or a format that the program does not check, or a reference that leads
    /// nowhere.
    init(_ document: Data) throws {
        program = Mutex(try Program())
        let faults = try ask(Question(document: String(decoding: document, as: UTF8.self)))
        guard faults.isEmpty else { throw Failure(description: faults.joined(separator: "\n")) }
    }

    /// The ways in which values differ from their schemas: each with the value's label and the place in it.
    func faults(of values: [Value]) throws -> [String] {
        values.isEmpty ? [] : try ask(Question(values: values))
    }

    /// A JSON text, and the JSON Pointer (RFC 6901) of its schema in the document.
    struct Value: Encodable {
        let schema: String
        let text: String
        var label = ""
    }

    private func ask(_ question: Question) throws -> [String] {
        try program.withLock { try $0.answer(to: question) }
    }

    private struct Question: Encodable {
        var document: String?
        var values: [Value]?
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct Program {
        private let process: ChildProcess
        /// The program's standard input stream. It closes when the tests end, in whatever way, and the program ends
        /// with it.
        private let input = Pipe()
        private let output = Pipe()
        private var unread = Data()
        private var hasEnded = false

        init() throws {
            process = try ChildProcess(
                [Tool.tests.appending(path: "Schemas/run").path],
                input: .descriptor(input.fileHandleForReading.fileDescriptor),
                output: .descriptor(output.fileHandleForWriting.fileDescriptor), errors: .inherited)
            try input.fileHandleForReading.close()
            try output.fileHandleForWriting.close()
            // Written only to a program that reads, because a write to one that has ended would end the tests by
            // SIGPIPE.
            _ = try readAnswer()
        }

        mutating func answer(to question: Question) throws -> [String] {
            guard !hasEnded else { throw Failure(description: "Tests/Schemas/run has ended") }
            try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(question) + Data("\n".utf8))
            return try readAnswer()
        }

        private mutating func readAnswer() throws -> [String] {
            while true {
                if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { unread = Data(unread[(end + 1)...]) }
                    return try JSONDecoder().decode([String].self, from: unread[..<end])
                }
                let more = output.fileHandleForReading.availableData
                hasEnded = more.isEmpty
                guard !hasEnded else {
                    throw Failure(description: "Tests/Schemas/run ended; its output has the reason")
                }
                unread += more
            }
        }
    }
}
