extension JSONSchema {
    /// Whether a valid value can have a text that ``TextFormat/normalized(_:)`` changes.
    package var hasNormalizedTexts: Bool {
        switch self {
        case .string(.writtenPhone, _), .string(.reportedPhone, _): true
        case .string, .oneOf, .integer, .number, .boolean, .anyObject, .item: false
        case .nullable(let schema), .array(let schema, _): schema.hasNormalizedTexts
        case .union(let shapes, _): shapes.contains(where: \.hasNormalizedTexts)
        case .component(let component): component.schema.hasNormalizedTexts
        case .object(let properties): properties.contains(where: \.schema.hasNormalizedTexts)
        }
    }

    /// The JSON text of a valid `value` with each text in the form in which the database gets it.
    package func normalized(_ value: JSONValue) -> [UInt8] {
        guard hasNormalizedTexts else { return value.text }
        var json = JSONWriter()
        switch self {
        case .string(let format, _): json.string(format.normalized(value.string ?? ""))
        case .oneOf, .integer, .number, .boolean, .anyObject, .item: return value.text
        case .nullable(let schema): return value.kind == .null ? value.text : schema.normalized(value)
        case .component(let component): return component.schema.normalized(value)
        case .union(let shapes, _):
            let shape = shapes.first { shape in
                var errors: [FieldError] = []
                shape.check(value, at: "", into: &errors)
                return errors.isEmpty
            }
            return shape?.normalized(value) ?? value.text
        case .array(let schema, _):
            json.array(value.elements) { json, element in json.value(json: schema.normalized(element)) }
        case .object(let properties):
            json.object { json in
                for member in value.members {
                    let schema = properties.first { $0.name == member.name }?.schema
                    json.field(member.name, json: schema?.normalized(member.value) ?? member.value.text)
                }
            }
        }
        return json.bytes
    }
}
