internal import Glibc
internal import Synchronization

/// The log of the process: a line an event on the standard error stream, for a person or for a machine.
///
/// Nothing a person wrote and no secret goes into it: messages are ours, and fields are ids, counts and durations.
public enum Log {
    /// How lines are written.
    public enum Format: String, Sendable, CaseIterable {
        /// `2026-11-21T09:00:00Z info message key=value`
        case text
        /// One JSON object a line.
        case json
    }

    private static let format = Mutex(Format.text)

    /// Sets how lines are written from now on.
    public static func use(_ chosen: Format) {
        format.withLock { $0 = chosen }
    }

    /// Something that an operator may want to know.
    public static func info(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write("info", message, fields)
    }

    /// Something that was mended, but should not happen often.
    public static func warning(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write("warning", message, fields)
    }

    /// Something that an operator should look at.
    public static func error(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write("error", message, fields)
    }

    private static func write(_ level: String, _ message: String, _ fields: KeyValuePairs<String, String>) {
        let line = line(format.withLock { $0 }, at: timestamp(), level, message, fields)
        // One write a line, so that lines of several threads do not mix.
        _ = line.withCString { Glibc.write(2, $0, strlen($0)) }
    }

    /// The line, with its line feed.
    static func line(
        _ format: Format, at time: String, _ level: String, _ message: String, _ fields: KeyValuePairs<String, String>
    ) -> String {
        switch format {
        case .text:
            "\(time) \(level) \(oneLine(message))\(fields.map { " \($0)=\(oneLine($1))" }.joined())\n"
        case .json:
            "{\"time\":\"\(time)\",\"level\":\"\(level)\",\"message\":\(quoted(message))"
                + fields.map { ",\(quoted($0)):\(quoted($1))" }.joined() + "}\n"
        }
    }

    /// A line feed in a message would let it write a line of its own.
    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func timestamp() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        return String(unsafeUninitializedCapacity: 32) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) }
        }
    }
}
