internal import JSON

extension JSONSchema {
    /// An example of this schema as JSON text, for the documentation and for tests. `name` is the name of the member
    /// that has this schema.
    package func example(of name: String = "") -> [UInt8] {
        let named = JSONExample.named[name]
        switch self {
        case .string(let format, _):
            if case .text(let text) = named, format.accepts(text) { return Self.quoted(text) }
            return Self.quoted(format.example)
        case .oneOf(let values):
            if case .text(let text) = named, values.contains(text) { return Self.quoted(text) }
            return Self.quoted(values.first ?? "")
        case .integer(let range), .number(let range):
            if case .number(let number) = named, range.contains(number) { return Array(String(number).utf8) }
            return Array(String(range.lowerBound).utf8)
        case .boolean:
            if case .truth(true) = named { return Array("true".utf8) }
            return Array("false".utf8)
        case .anyObject:
            if case .json(let text) = named { return Array(text.utf8) }
            return Array("{}".utf8)
        case .nullable(let schema):
            if case .null = named { return Array("null".utf8) }
            return schema.example(of: name)
        case .component(let component): return component.schema.example(of: name)
        case .item(let schema): return schema.example(of: name)
        case .union(let shapes, _): return shapes.first?.example(of: name) ?? []
        case .array(let element, let count):
            return [UInt8(ascii: "[")] + (count.upperBound > 0 ? element.example(of: name) : []) + [UInt8(ascii: "]")]
        case .object(let properties):
            var json = JSONWriter()
            json.object { json in
                for property in properties {
                    if case .leftOut = property.example { continue }
                    json.field(property.name, json: property.exampleText)
                }
            }
            return json.bytes
        }
    }

    fileprivate static func quoted(_ text: String) -> [UInt8] {
        var json = JSONWriter()
        json.string(text)
        return json.bytes
    }
}

extension JSONSchema.Property {
    /// The example of the member's value, as JSON text.
    package var exampleText: [UInt8] {
        switch example {
        case .text(let text): JSONSchema.quoted(text)
        case .number(let number): Array(String(number).utf8)
        case .truth(let truth): Array((truth ? "true" : "false").utf8)
        case .null: Array("null".utf8)
        case .json(let text): Array(text.utf8)
        case .leftOut, nil: schema.example(of: name)
        }
    }
}
