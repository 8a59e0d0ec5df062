package import JSON

/// A text with placeholders such as `{name}`, in one form or in a form for each plural category.
///
/// The placeholder `{count}` is the number that decides the form.
package struct TextTemplate: Sendable, Hashable {
    /// A piece of a form.
    package enum Part: Sendable, Hashable {
        case words(String)
        /// A placeholder, by its name.
        case placeholder(String)
    }

    /// The parts of each form. A text without plural forms has only `other`.
    package let forms: [PluralCategory: [Part]]
    /// Whether a number decides the form.
    package let isPlural: Bool

    /// A text that is the same for every number.
    ///
    /// - Throws: ``CatalogueError`` for a brace that belongs to no placeholder.
    package init(_ words: String) throws(CatalogueError) {
        forms = [.other: try Self.parts(of: words)]
        isPlural = false
    }

    /// A text in plural forms.
    ///
    /// - Throws: ``CatalogueError`` if the form `other` is missing, or for a brace that belongs to no placeholder.
    package init(plural forms: [PluralCategory: String]) throws(CatalogueError) {
        guard forms[.other] != nil else { throw CatalogueError("must have the plural form other") }
        var parsed: [PluralCategory: [Part]] = [:]
        for (category, words) in forms { parsed[category] = try Self.parts(of: words) }
        self.forms = parsed
        isPlural = true
    }

    /// Reads a text as files and requests have it: a string, or an object of strings by plural category.
    ///
    /// - Throws: ``CatalogueError`` if it is neither, and as the other initializers do.
    package init(json: JSONValue) throws(CatalogueError) {
        if let words = json.string {
            try self.init(words)
            return
        }
        guard json.kind == .object else {
            throw CatalogueError("must be a text, or an object of texts by plural category")
        }
        var forms: [PluralCategory: String] = [:]
        for (name, value) in json.members {
            guard let category = PluralCategory(rawValue: name), let words = value.string else {
                throw CatalogueError("has no text by plural category at \(name)")
            }
            forms[category] = words
        }
        try self.init(plural: forms)
    }

    /// The names of the placeholders, in the order of the form `other`, and then those of the other forms.
    package var placeholders: [String] {
        var names: [String] = []
        for category in [.other] + PluralCategory.allCases {
            for case .placeholder(let name) in forms[category] ?? [] where !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// The form of a category; the form `other` if there is none.
    package func form(_ category: PluralCategory) -> [Part] {
        forms[category] ?? forms[.other] ?? []
    }

    /// The forms as they are written.
    package var sources: [PluralCategory: String] {
        forms.mapValues { parts in
            parts.map { part in
                switch part {
                case .words(let words): words
                case .placeholder(let name): "{\(name)}"
                }
            }.joined()
        }
    }

    private static func parts(of text: String) throws(CatalogueError) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            let name = rest[rest.index(after: brace)...].prefix { $0.isASCII && ($0.isLowercase || $0 == "_") }
            guard rest[brace] == "{", !name.isEmpty, rest[name.endIndex...].hasPrefix("}") else {
                throw CatalogueError("a brace must enclose a placeholder, such as {name}")
            }
            if brace > rest.startIndex { parts.append(.words(String(rest[..<brace]))) }
            parts.append(.placeholder(String(name)))
            rest = rest[rest.index(after: name.endIndex)...]
        }
        if !rest.isEmpty || parts.isEmpty { parts.append(.words(String(rest))) }
        return parts
    }
}
