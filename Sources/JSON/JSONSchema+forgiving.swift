extension JSONSchema {
    /// The JSON text of what can be used of `value`: texts cut to their length, and objects without the members that do
    /// not fit or that the schema does not have. Nil if nothing can, such as of an object that lacks a required member.
    package func forgiven(_ value: JSONValue) -> [UInt8]? {
        var errors: [FieldError] = []
        check(value, at: "", into: &errors)
        guard !errors.isEmpty else { return value.text }
        switch self {
        case .nullable(let schema): return schema.forgiven(value)
        case .component(let component): return component.schema.forgiven(value)
        case .string(.text, let length): return value.string.flatMap { Self.cut($0, to: length.upperBound) }
        case .object(let properties):
            let usable = properties.compactMap { property in
                value[property.name].flatMap { property.schema.forgiven($0) }.map { (property.name, $0) }
            }
            let names = Set(usable.map(\.0))
            guard properties.allSatisfy({ !$0.required || names.contains($0.name) }) else { return nil }
            var json = JSONWriter()
            json.object { json in
                for (name, text) in usable { json.field(name, json: text) }
            }
            return json.bytes
        case .string, .oneOf, .integer, .number, .boolean, .array, .item, .anyObject, .union: return nil
        }
    }

    /// The beginning of a text, in whole characters and without what no text may have; nil if that is blank.
    private static func cut(_ text: String, to most: Int) -> [UInt8]? {
        var kept = String(
            String.UnicodeScalarView(text.unicodeScalars.filter { TextFormat.text.accepts("x\($0)") }))
        var count = kept.unicodeScalars.count
        while count > most, let last = kept.popLast() { count -= last.unicodeScalars.count }
        guard TextFormat.text.accepts(kept) else { return nil }
        var json = JSONWriter()
        json.string(kept)
        return json.bytes
    }
}
