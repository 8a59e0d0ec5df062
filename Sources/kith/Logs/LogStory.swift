internal import JSON
internal import Requests

/// What log lines say of one id, in the order in which it happened.
///
/// It reads the JSON lines of Kith (`KITH_LOG=json`), the same in the journal's export (`journalctl -o json`), and
/// PostgreSQL's JSON log.
struct LogStory {
    /// A line that names the id.
    private struct Entry {
        /// `2026-11-23T09:00:00.123Z`, or as the line has it.
        let at: String
        /// The service, the file, or PostgreSQL.
        let source: String
        let level: String
        let message: String
        let fields: [(name: String, value: String)]
        /// Whether PostgreSQL wrote it. Kith's times are whole seconds, and it logs a request when it ends: within a
        /// second, PostgreSQL's lines come first.
        let isOfPostgres: Bool
    }

    private let id: String
    private let bytes: [UInt8]
    private var entries: [Entry] = []
    /// The lines that were read, blank ones apart.
    private(set) var count = 0
    /// The first line that is not JSON, as `FILE: line N`, and how many there are.
    private(set) var firstInvalid: (place: String, count: Int)?

    /// Begins the story of `id`, which ``isValid(_:)``.
    init(of id: String) {
        self.id = id
        bytes = Array(id.utf8)
    }

    /// Whether an id may look like this: those of requests and of rows do. A log line has them as they are, without
    /// escapes.
    static func isValid(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Reads a line of `source`.
    mutating func read(_ line: [UInt8], number: Int, of source: String) {
        guard let first = line.first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) else { return }
        count += 1
        // Only lines that name the id are parsed: there may be millions of others.
        guard first == UInt8(ascii: "{") else { return note(number, source) }
        let name = bytes.prefix(ProcedureCall.longestName)
        guard line.firstRange(of: name) != nil else { return }
        guard let document = try? JSONDocument(line) else { return note(number, source) }
        if let entry = entry(document.root, source) { entries.append(entry) }
    }

    private mutating func note(_ number: Int, _ source: String) {
        firstInvalid = (firstInvalid?.place ?? "\(source): line \(number)", (firstInvalid?.count ?? 0) + 1)
    }

    private func entry(_ line: JSONValue, _ source: String) -> Entry? {
        if let message = line["MESSAGE"]?.string {
            // The journal has messages of systemd, too, which are no JSON.
            let unit = line["_SYSTEMD_UNIT"]?.string.map { String($0.prefix { $0 != "." }) }
            return (try? JSONDocument(Array(message.utf8))).flatMap { entry($0.root, unit ?? source) }
        }
        if line["error_severity"] != nil { return entryOfPostgres(line) }
        guard let message = line["message"]?.string else { return nil }
        let fields = line.members.filter { !["time", "level", "message"].contains($0.name) }
            .map { ($0.name, $0.value.string ?? String(decoding: $0.value.text, as: UTF8.self)) }
        guard fields.contains(where: { $0.1 == id }) || names(message) else { return nil }
        return Entry(
            at: line["time"]?.string ?? "", source: source, level: line["level"]?.string ?? "", message: message,
            fields: fields.filter { $0.1 != id }, isOfPostgres: false)
    }

    private func entryOfPostgres(_ line: JSONValue) -> Entry? {
        let message = line["message"]?.string ?? ""
        let program = line["application_name"]?.string ?? ""
        guard program.utf8.elementsEqual(bytes.prefix(ProcedureCall.longestName)) || names(message) else { return nil }
        var at = line["timestamp"]?.string ?? ""
        for zone in [" UTC", " GMT"] where at.hasSuffix(zone) { at = "\(at.dropLast(zone.count))Z" }
        let fields = ["state_code", "detail", "hint", "statement", "pid"].compactMap { name in
            line[name].map { (name, $0.string ?? String(decoding: $0.text, as: UTF8.self)) }
        }
        return Entry(
            at: at.replacing(" ", with: "T", maxReplacements: 1), source: "PostgreSQL",
            level: line["error_severity"]?.string ?? "", message: message, fields: fields, isOfPostgres: true)
    }

    /// Whether a message has the id as a word.
    private func names(_ message: String) -> Bool {
        message.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0))) }.contains { $0 == id }
    }

    /// The story in lines of at most `width` columns: for each entry one with the instant, the source and the level,
    /// then what happened.
    func lines(width: Int) -> [String] {
        let ordered = entries.enumerated().sorted { left, right in
            order(left.element, left.offset) < order(right.element, right.offset)
        }
        return ordered.flatMap { _, entry in
            PlainText.wrapped("\(entry.at) \(entry.source) \(entry.level)", width: width, indent: 0)
                + PlainText.wrapped(entry.message, width: width, indent: 4)
                + entry.fields.flatMap { PlainText.wrapped("\($0.name): \($0.value)", width: width, indent: 6) }
        }
    }

    private func order(_ entry: Entry, _ position: Int) -> (String, Int, String, Int) {
        (String(entry.at.prefix(19)), entry.isOfPostgres ? 0 : 1, entry.isOfPostgres ? entry.at : "", position)
    }
}
