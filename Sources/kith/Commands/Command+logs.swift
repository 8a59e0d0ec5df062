internal import Foundation
internal import Glibc

extension Command {
    static let logs = Command(
        name: "logs", usage: "explain ID [FILE…]",
        summary:
            """
            Shows in order what the logs of servers, workers and PostgreSQL say of a request's ID; of a ping, \
            notification or alarm also what the database knows. The logs are JSON lines, from files or standard input.
            """
    ) { arguments in
        var arguments = arguments
        let configuration = try Configuration(Environment.load(&arguments))
        guard try arguments.positional("the subcommand: explain") == "explain" else {
            throw CommandError("logs takes explain", status: 64)
        }
        let id = try arguments.positional("the ID")
        let files = arguments.remaining()
        if let option = files.first(where: { $0.hasPrefix("--") }) {
            throw CommandError("unknown argument \(option)", status: 64)
        }
        guard LogStory.isValid(id) else {
            throw CommandError(
                "the ID must be 1 to 64 of the characters A-Z a-z 0-9 . _ -, as in X-Request-Id", status: 64)
        }
        let row = UUID(uuidString: id)
        guard !files.isEmpty || row != nil || isatty(STDIN_FILENO) == 0 else {
            throw CommandError(
                """
                name the logs' files, or give them on standard input: journalctl -u 'kith-*' -o json | kith logs \
                explain ID
                """,
                status: 64)
        }
        var story = LogStory(of: id)
        if !files.isEmpty || isatty(STDIN_FILENO) == 0 {
            for file in files.isEmpty ? ["-"] : files { try read(file, into: &story) }
        }
        try explain(id, story, try row.flatMap { try lookUp($0, configuration) })
    }

    private static func explain(_ id: String, _ story: LogStory, _ row: RowStory?) throws(CommandError) {
        for line in story.lines(width: 80) { print(line) }
        if !story.isEmpty, row != nil { print() }
        for line in row?.lines(width: 80) ?? [] { print(line) }
        if let invalid = story.firstInvalid {
            let more = invalid.count > 1 ? " (and \(invalid.count - 1) more)" : ""
            throw CommandError(
                "\(invalid.place) is not JSON\(more): set KITH_LOG=json, or use journalctl -o json", status: 65)
        }
        guard story.isEmpty, row == nil else { return }
        throw CommandError(
            """
            nothing is known of \(id): it is in none of the \(story.count) lines of the logs. If it is a request's, what it \
            changed is in the audit: kith psql -c "select * from admin.audit where request_id = '\(id)'"
            """, status: 66)
    }

    /// What the database knows of the row with this id; nil without a database, or if there is no such row.
    private static func lookUp(_ id: UUID, _ configuration: Configuration) throws -> RowStory? {
        // The embedded database is asked only if there is one already.
        guard !configuration.isEmbedded || FileManager.default.fileExists(atPath: configuration.home) else {
            return nil
        }
        var story: RowStory?
        do {
            try Database(configuration).inEveryCell { if story == nil { story = try RowStory(of: id, $0) } }
        } catch let error as CommandError where error.status == 75 {
            // The logs may tell of it all the same.
            if story == nil { standardError("kith: \(error.message)") }
        }
        return story
    }

    /// Reads a file, or standard input for `-`, a piece at a time: a log may be larger than the memory.
    private static func read(_ path: String, into story: inout LogStory) throws(CommandError) {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        func failure() -> CommandError {
            CommandError(
                "\(path == "-" ? "standard input" : path) cannot be read: \(String(cString: strerror(errno)))",
                status: 66)
        }
        guard descriptor >= 0 else { throw failure() }
        defer { if path != "-" { close(descriptor) } }
        let source = path == "-" ? "standard input" : path
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var line: [UInt8] = []
        var number = 0
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw failure()
            }
            guard count > 0 else { break }
            var rest = buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                number += 1
                story.read(line, number: number, of: source)
                line.removeAll(keepingCapacity: true)
                rest = rest[(end + 1)...]
            }
            line += rest
        }
        if !line.isEmpty { story.read(line, number: number + 1, of: source) }
    }
}
