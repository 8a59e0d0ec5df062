/// Text from outside, made safe for a terminal: names, reasons and log lines come from tenants, their providers and
/// their users.
enum PlainText {
    /// A line without anything that a terminal would obey, or that would change the order of letters.
    static func line(_ line: String) -> String {
        String(
            line.unicodeScalars.map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: "?"
                default: Character(scalar)
                }
            })
    }

    /// The words of `text` in lines of at most `width` columns that begin with `indent` spaces. A longer word is cut
    /// into pieces. Line breaks and tabs separate words.
    static func wrapped(_ text: String, width: Int, indent: Int) -> [String] {
        let room = width - indent
        var lines: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            var rest = line(String(word))[...]
            if let last = lines.last, last.count + 1 + rest.count <= room {
                lines[lines.count - 1] = "\(last) \(rest)"
                continue
            }
            while rest.count > room {
                lines.append(String(rest.prefix(room)))
                rest = rest.dropFirst(room)
            }
            lines.append(String(rest))
        }
        return lines.map { String(repeating: " ", count: indent) + $0 }
    }
}
