internal import JSON

extension TextCatalogue {
    /// The rules by which the database checks a tenant's own texts, as JSON:
    /// `{keys: {key: {placeholders, plural}}, locales: {locale: {categories, single}}}`. `single` has the plural
    /// categories of one number alone.
    package var rules: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.object("keys") { json in
                for key in keys {
                    guard let text = english.texts[key] else { continue }
                    json.object(key) { json in
                        json.array("placeholders", text.placeholders.sorted()) { $0.string($1) }
                        json.field("plural", text.isPlural)
                    }
                }
            }
            json.object("locales") { json in
                for language in languages {
                    let categories = language.plurals.categories
                    json.object(language.tag.lowercased()) { json in
                        json.array("categories", categories.map(\.rawValue)) { $0.string($1) }
                        json.array("single", categories.filter(language.plurals.isOfOneNumber).map(\.rawValue)) {
                            $0.string($1)
                        }
                    }
                }
            }
        }
        return json.bytes
    }
}
