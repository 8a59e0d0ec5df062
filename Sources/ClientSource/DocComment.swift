/// A documentation comment.
struct DocComment {
    /// The lines, without their marks.
    private(set) var lines: [String] = []

    /// Begins a comment with a sentence.
    init(_ summary: String) { add(summary) }

    /// Adds a paragraph, which is broken into lines. The next lines of a list's item are indented by `indent`.
    mutating func add(_ paragraph: String, indent: String = "") {
        if !lines.isEmpty { lines.append("") }
        item(paragraph, indent: indent)
    }

    /// Adds an item of a list, or a line that follows the one before it.
    mutating func item(_ text: String, margin: String = "", indent: String = "  ") {
        var line = margin
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            if line.count + word.count > 105, line != margin {
                lines.append(line)
                line = indent
            } else if line != margin, line != indent {
                line += " "
            }
            line += word
        }
        lines.append(line)
    }

    /// The comment in Swift, with a line break after each line.
    func text(_ margin: String) -> String {
        lines.map { $0.isEmpty ? "\(margin)///\n" : "\(margin)/// \($0)\n" }.joined()
    }

    /// `text` as sentences: with a capital letter and a full stop.
    static func sentence(_ text: String) -> String {
        guard let last = text.last else { return text }
        return text.prefix(1).uppercased() + text.dropFirst() + (last == "." || last == "!" || last == "?" ? "" : ".")
    }
}
