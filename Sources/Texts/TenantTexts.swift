package import JSON

/// The texts that a tenant has replaced by its own words.
package struct TenantTexts: Sendable {
    /// The texts by the tag of their language, in lower case, and their key.
    private let texts: [String: [String: TextTemplate]]

    /// The tenant's texts by the tag of their language and their key.
    package init(_ texts: [String: [String: TextTemplate]]) {
        self.texts = Dictionary(texts.map { ($0.key.lowercased(), $0.value) }) { $0.merging($1) { $1 } }
    }

    /// Reads the answer of `api.own_texts`: `{locale: {key: text}}`. Invalid texts, which the database would have
    /// refused, are left out.
    package init(json: JSONValue) {
        var texts: [String: [String: TextTemplate]] = [:]
        for (locale, own) in json.members {
            for (key, value) in own.members { texts[locale, default: [:]][key] = try? TextTemplate(json: value) }
        }
        self.init(texts)
    }

    /// The tenant's text of a key in exactly this language.
    package subscript(tag: String, key: String) -> TextTemplate? { texts[tag.lowercased()]?[key] }
}
