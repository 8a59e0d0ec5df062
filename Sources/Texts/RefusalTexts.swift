/// Finds the key of a refusal's English text.
///
/// The rules in the database refuse in English, and programs decide by the code. Only where a person reads the refusal
/// in another language, or a tenant has replaced a text, it is looked up here and worded anew.
struct RefusalTexts: Sendable {
    /// The keys of the texts without placeholders.
    private let exact: [String: String]
    /// The texts with placeholders, by the longest beginning first.
    private let templates: [(key: String, parts: [TextTemplate.Part])]

    /// Creates the index of the texts whose keys begin with `word` and a dot.
    init(_ texts: [String: TextTemplate], under word: String) {
        var exact: [String: String] = [:]
        var templates: [(key: String, parts: [TextTemplate.Part])] = []
        for (key, text) in texts where key.hasPrefix(word + ".") {
            let parts = text.form(.other)
            if case .words(let words) = parts[0], parts.count == 1 {
                exact[words] = key
            } else {
                templates.append((key, parts))
            }
        }
        self.exact = exact
        self.templates = templates.sorted { ($0.parts.count, $0.key) < ($1.parts.count, $1.key) }
    }

    /// The key of an English text, and the values of its placeholders; nil if there is none.
    func find(_ english: String) -> (key: String, values: [String: String])? {
        if let key = exact[english] { return (key, [:]) }
        for (key, parts) in templates {
            if let values = Self.values(in: english, of: parts) { return (key, values) }
        }
        return nil
    }

    /// The values of the placeholders if `text` matches `parts`. Each placeholder is followed by fixed text, or by the
    /// end.
    private static func values(in text: String, of parts: [TextTemplate.Part]) -> [String: String]? {
        var values: [String: String] = [:]
        var rest = text[...]
        var open: String?
        for part in parts {
            switch part {
            case .placeholder(let name): open = name
            case .words(let words):
                if let name = open {
                    guard let found = rest.firstRange(of: words) else { return nil }
                    values[name] = String(rest[..<found.lowerBound])
                    rest = rest[found.upperBound...]
                    open = nil
                } else {
                    guard rest.hasPrefix(words) else { return nil }
                    rest = rest.dropFirst(words.count)
                }
            }
        }
        if let name = open {
            values[name] = String(rest)
            rest = ""
        }
        return rest.isEmpty && !values.values.contains("") ? values : nil
    }
}
