package import JSON

extension JSONSchema {
    /// Writes the members of the schema as JSON Schema 2020-12, which OpenAPI 3.1 uses.
    ///
    /// An object that is not closed can have members that the schema does not name. Requests cannot, and answers can:
    /// members may be added to them without notice.
    package func write(into json: inout JSONWriter, isClosed: Bool = true) {
        switch self {
        case .string(let format, let length):
            json.field("type", "string")
            if let name = format.name { json.field("format", name) }
            if let pattern = format.pattern { json.field("pattern", pattern) }
            if !format.hasOwnLength {
                json.field("minLength", length.lowerBound)
                json.field("maxLength", length.upperBound)
            }
        case .oneOf(let values):
            json.field("type", "string")
            if values.count == 1, let value = values.first {
                json.field("const", value)
            } else {
                json.array("enum", values) { $0.string($1) }
            }
        case .integer(let range):
            json.field("type", "integer")
            json.field("minimum", range.lowerBound)
            json.field("maximum", range.upperBound)
        case .number(let range):
            json.field("type", "number")
            json.field("minimum", range.lowerBound)
            json.field("maximum", range.upperBound)
        case .boolean: json.field("type", "boolean")
        case .anyObject:
            json.field("type", "object")
            json.field("additionalProperties", true)
        case .item(let schema): schema.write(into: &json, isClosed: isClosed)
        case .component(let component): json.field("$ref", component.reference)
        case .array(let element, let count):
            json.field("type", "array")
            json.field("minItems", count.lowerBound)
            json.field("maxItems", count.upperBound)
            json.object("items") { element.write(into: &$0, isClosed: isClosed) }
        case .nullable(let schema):
            json.array("anyOf", [schema, nil]) { json, option in
                json.object { json in
                    if let option { option.write(into: &json, isClosed: isClosed) } else { json.field("type", "null") }
                }
            }
        case .union(let shapes, let tag):
            json.array("oneOf", shapes) { json, shape in json.object { shape.write(into: &$0, isClosed: isClosed) } }
            guard let tag else { return }
            json.object("discriminator") { json in
                json.field("propertyName", tag)
                json.object("mapping") { json in
                    for case .component(let component) in shapes {
                        for value in component.schema.values(of: tag) { json.field(value, component.reference) }
                    }
                }
            }
        case .object(let properties):
            json.field("type", "object")
            json.object("properties") { json in
                for property in properties {
                    json.object(property.name) { json in
                        property.schema.write(into: &json, isClosed: isClosed)
                        if !property.summary.isEmpty { json.field("description", property.summary) }
                    }
                }
            }
            let required = properties.filter(\.required).map(\.name)
            if !required.isEmpty { json.array("required", required) { $0.string($1) } }
            if isClosed { json.field("additionalProperties", false) }
        }
    }

    /// Whether an empty object is invalid, since a member is required.
    package var requiresMembers: Bool {
        switch self {
        case .object(let properties): properties.contains(where: \.required)
        case .component(let component): component.schema.requiresMembers
        default: true
        }
    }
}

extension JSONComponent {
    /// The component's `$ref` in the OpenAPI document.
    package var reference: String { "#/components/schemas/\(name)" }

    /// The values of an enumeration; none for any other schema.
    package var values: [String] {
        if case .oneOf(let values) = schema { values } else { [] }
    }
}
