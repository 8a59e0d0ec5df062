package import JSON
package import Pages

extension ReferencePage {
    /// The members of an object, as a list.
    package func fields(of schema: JSONSchema) -> HTML {
        let properties = schema.properties
        guard !properties.isEmpty else { return "" }
        var list: HTML = "<dl>\n"
        for property in properties {
            list += field(property.name, property.schema, required: property.required, property.summary)
        }
        list += "</dl>\n"
        return list
    }

    /// A member or parameter, with its own members below it.
    package func field(
        _ name: String, _ schema: JSONSchema, required: Bool, _ summary: String, note: String = ""
    ) -> HTML {
        var about: HTML = words(schema)
        if !note.isEmpty { about += ", \(note)" }
        if !required { about += ", optional" }
        var field: HTML = "<div><dt><code>\(name)</code></dt>\n<dd class=\"type\">\(about)</dd>\n"
        let members = fields(of: schema.inner)
        if !summary.isEmpty || !members.text.isEmpty { field += "<dd>\(summary)\(members)</dd>\n" }
        field += "</div>\n"
        return field
    }

    /// A schema in words.
    package func words(_ schema: JSONSchema?) -> HTML {
        switch schema {
        case nil: ""
        case .string(let format, let length): words(format, length)
        case .oneOf(let values): "\(values.joined(separator: " | "))"
        case .integer(let range): "integer, \(String(range.lowerBound)) to \(String(range.upperBound))"
        case .number(let range): "number, \(String(range.lowerBound)) to \(String(range.upperBound))"
        case .boolean: "boolean"
        case .anyObject: "object"
        case .object: "object"
        case .array(let element, _): "list of \(words(element))"
        case .nullable(let schema): "\(words(schema)), or null"
        case .item(let schema): words(schema)
        case .union(let shapes, _): shapes.dropFirst().reduce(words(shapes.first)) { "\($0), or \(words($1))" }
        case .component(let component): "<a href=\"#\(anchor(component))\">\(component.name)</a>"
        }
    }

    private func words(_ format: TextFormat, _ length: ClosedRange<Int>) -> HTML {
        switch format {
        case .uuid: "UUID"
        case .date: "date"
        case .instant: "instant"
        case .timeOfDay: "time of day"
        case .code: "6 digits"
        case .phone: "phone number, E.164"
        case .writtenPhone: "phone number with its country code"
        case .email: "e-mail address"
        case .number: "number"
        case .reportedPhone, .opaque, .encoded, .line, .text, .anything:
            "text of at most \(String(length.upperBound)) characters"
        }
    }

    /// The example of a schema, indented for reading.
    package func example(of schema: JSONSchema) -> HTML {
        guard let document = try? JSONDocument(schema.example()), !document.root.members.isEmpty else { return "" }
        return "<details><summary>Example</summary><pre>\(layOut(document.root, within: ""))</pre></details>\n"
    }

    private func layOut(_ value: JSONValue, within margin: String) -> String {
        let inner = margin + "  "
        switch value.kind {
        case .object where !value.members.isEmpty:
            let members = value.members.map { "\(inner)\"\($0.name)\": \(layOut($0.value, within: inner))" }
            return "{\n\(members.joined(separator: ",\n"))\n\(margin)}"
        case .array where !value.elements.isEmpty:
            let elements = value.elements.map { inner + layOut($0, within: inner) }
            return "[\n\(elements.joined(separator: ",\n"))\n\(margin)]"
        default: return String(decoding: value.text, as: UTF8.self)
        }
    }
}

extension JSONSchema {
    /// The members of an object; none for a component, which is documented in its own place.
    package var properties: [Property] {
        if case .object(let properties) = self { properties } else { [] }
    }

    /// The schema inside lists and optional values.
    var inner: JSONSchema {
        switch self {
        case .array(let element, _): element.inner
        case .nullable(let schema), .item(let schema): schema.inner
        default: self
        }
    }
}
