package import Texts

extension HTML {
    /// A text of the catalogue, filled in with HTML: a name whose direction is isolated, a link, or a word.
    ///
    /// - Parameters:
    ///   - texts: The texts in the reader's language.
    ///   - key: The key of the text.
    ///   - values: What stands at the placeholders.
    ///   - count: The number that decides the plural form.
    package init(_ texts: Texts, _ key: String, _ values: [String: HTML] = [:], count: Int? = nil) {
        var html: HTML = ""
        for part in texts.parts(key, count: count) {
            switch part {
            case .words(let words): html += "\(words)"
            case .placeholder("count"): html += "\(String(count ?? 0))"
            case .placeholder(let name): html += values[name] ?? ""
            }
        }
        self = html
    }
}
