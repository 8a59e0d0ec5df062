/// Renders a plain text as an HTML page.
enum HTMLText {
    /// Returns the page. Empty lines separate paragraphs, and URLs become links.
    static func page(title: String, text: String) -> String {
        let paragraphs = text.replacing("\r\n", with: "\n").split(separator: "\n\n")
            .map { "<p dir=\"auto\">\($0.split(separator: "\n").map(line).joined(separator: "<br>\n"))</p>" }
        return """
            <!doctype html>
            <html>
            <head><meta charset="utf-8"><title>\(escape(title))</title></head>
            <body style="font: 16px/1.5 sans-serif; max-width: 40em; margin: 1em auto; padding: 0 1em">
            \(paragraphs.joined(separator: "\n"))
            </body>
            </html>
            """
    }

    private static func line(_ text: Substring) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map(word).joined(separator: " ")
    }

    private static func word(_ text: Substring) -> String {
        guard text.hasPrefix("https://") || text.hasPrefix("http://") else { return escape(text) }
        let end = text.lastIndex { !".,;:!?)]\"'".contains($0) } ?? text.startIndex
        let link = escape(text[...end])
        return "<a href=\"\(link)\">\(link)</a>\(escape(text[text.index(after: end)...]))"
    }

    /// Escapes by scalars rather than by characters. For Swift, a quotation mark with a combining mark is a different
    /// character; for HTML it still ends the attribute.
    private static func escape(_ text: some StringProtocol) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
