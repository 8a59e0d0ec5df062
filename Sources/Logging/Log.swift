internal import Glibc
internal import Synchronization

/// The log of the process: one line an event on standard error, for people or for machines.
///
/// It contains no secret and nothing that a person wrote. Messages are fixed texts, and fields are ids, counts and
/// durations.
public enum Log {
    /// The format of the lines.
    public enum Format: String, Sendable, CaseIterable {
        /// `2026-11-21T09:00:00Z info message key=value`
        case text
        /// One JSON object a line.
        case json
    }

    private static let format = Mutex(Format.text)

    /// Sets the format of the following lines.
    public static func use(_ chosen: Format) {
        format.withLock { $0 = chosen }
    }

    /// Logs something that an operator may want to know.
    public static func info(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write("info", message, fields)
    }

    /// Logs something that was handled, but should not happen often.
    public static func warning(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write("warning", message, fields)
    }

    /// Logs something that an operator should look at.
    public static func error(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write("error", message, fields)
    }

    private static func write(_ level: String, _ message: String, _ fields: KeyValuePairs<String, String>) {
        let line = line(format.withLock { $0 }, at: timestamp(), level, message, fields)
        // A single write keeps the lines of several threads apart.
        _ = line.withCString { Glibc.write(2, $0, strlen($0)) }
    }

    /// Formats a line, with its line feed.
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

    /// Replaces line breaks, because a message with one could forge a line.
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
