/// The schema of a JSON value. Requests are validated by it and the OpenAPI document is generated from it, so the
/// document cannot differ from the server.
package indirect enum JSONSchema: Sendable {
    case string(TextFormat, length: ClosedRange<Int>)
    /// A text that is one of these.
    case oneOf([String])
    case integer(ClosedRange<Int>)
    /// A number that may have a fraction.
    case number(ClosedRange<Int>)
    case boolean
    case object([Property])
    case array(of: JSONSchema, count: ClosedRange<Int>)
    /// An element of a batch. Here only its JSON kind is checked. The handler checks the rest, so that one invalid
    /// element does not fail the batch.
    case item(JSONSchema)
    /// An object with any members, such as a notification's data.
    case anyObject
    case nullable(JSONSchema)
    /// A value of one of several shapes, distinguished by the member `tag` if there is one.
    case union([JSONSchema], tag: String? = nil)
    /// A schema under `components` of the OpenAPI document.
    case component(JSONComponent)

    /// A text with the length limits that its format has by default.
    package static func string(_ format: TextFormat) -> JSONSchema { .string(format, length: format.usualLength) }

    /// The description of a phone number in a request, for the documentation.
    package static let phoneSummary =
        "A phone number with its country code, in any usual spelling. Kith keeps it in E.164 form."

    /// A member of an object.
    package struct Property: Sendable {
        package let name: String
        package let schema: JSONSchema
        package let required: Bool
        package let summary: String
        /// The value in examples, if neither the member's name nor its schema gives a good one.
        package let example: JSONExample?

        package init(
            _ name: String, _ schema: JSONSchema, required: Bool = false, _ summary: String = "",
            example: JSONExample? = nil
        ) {
            self.name = name
            self.schema = schema
            self.required = required
            self.summary = summary
            self.example = example
        }
    }

    /// The most faults that a check reports. A body with a hundred thousand unknown fields must not cost much time.
    static let mostErrors = 50

    /// Validates `value` and appends an error for each fault to `errors`.
    package func check(_ value: JSONValue, at path: String, into errors: inout [FieldError]) {
        func refuse(_ message: String) {
            errors.append(FieldError(field: path, message: message))
        }
        switch self {
        case .nullable(let schema):
            if value.kind != .null { schema.check(value, at: path, into: &errors) }
        case .component(let component):
            component.schema.check(value, at: path, into: &errors)
        case .union(let shapes, let tag):
            var candidates = shapes
            if let tag {
                // The errors concern the shape that the value claims to have.
                guard value.kind == .object else { return refuse("must be an object") }
                candidates = shapes.filter { $0.values(of: tag).contains(value[tag]?.string ?? "") }
                guard !candidates.isEmpty else {
                    let known = shapes.flatMap { $0.values(of: tag) }.joined(separator: ", ")
                    let message = value[tag] == nil ? "is required" : "must be one of \(known)"
                    errors.append(FieldError(field: Self.join(path, tag), message: message))
                    return
                }
            }
            let attempts = candidates.map { shape in
                var attempt: [FieldError] = []
                shape.check(value, at: path, into: &attempt)
                return attempt
            }
            if !attempts.contains(where: \.isEmpty) { errors += attempts.first ?? [] }
        case .string(let format, let length):
            guard let text = value.string else { return refuse("must be a string") }
            if let objection = Self.objection(to: text, format, length) { refuse(objection) }
        case .oneOf(let values):
            guard let text = value.string, values.contains(text) else {
                return refuse("must be one of \(values.joined(separator: ", "))")
            }
        case .integer(let range):
            guard let number = value.integer else { return refuse("must be an integer") }
            if !range.contains(number) { refuse("must be from \(range.lowerBound) to \(range.upperBound)") }
        case .number(let range):
            guard let number = value.number else { return refuse("must be a number") }
            if !(Double(range.lowerBound)...Double(range.upperBound)).contains(number) {
                refuse("must be from \(range.lowerBound) to \(range.upperBound)")
            }
        case .boolean:
            if value.boolean == nil { refuse("must be true or false") }
        case .anyObject, .item:
            if value.kind != .object { refuse("must be an object") }
        case .array(let schema, let count):
            guard value.kind == .array else { return refuse("must be an array") }
            let elements = value.elements
            guard count.contains(elements.count) else {
                return refuse("must have \(Self.words(count)) elements, and has \(elements.count)")
            }
            for (index, element) in elements.enumerated() where errors.count < Self.mostErrors {
                schema.check(element, at: "\(path)[\(index)]", into: &errors)
            }
        case .object(let properties):
            guard value.kind == .object else { return refuse("must be an object") }
            let members = value.members
            for property in properties where property.required && !members.contains(where: { $0.name == property.name })
            {
                errors.append(FieldError(field: Self.join(path, property.name), message: "is required"))
            }
            for member in members where errors.count < Self.mostErrors {
                let name = Self.join(path, member.name)
                guard let property = properties.first(where: { $0.name == member.name }) else {
                    errors.append(FieldError(field: String(name.prefix(200)), message: "is not a known field"))
                    continue
                }
                property.schema.check(member.value, at: name, into: &errors)
            }
        }
    }

    /// The values that the member `name` of an object can have; none unless it is a choice of values.
    package func values(of name: String) -> [String] {
        switch self {
        case .component(let component): component.schema.values(of: name)
        case .object(let properties): properties.first { $0.name == name }?.schema.choices ?? []
        default: []
        }
    }

    private var choices: [String] {
        switch self {
        case .oneOf(let values): values
        case .component(let component): component.schema.choices
        default: []
        }
    }

    /// The objection to `text`, worded to follow the field's name; nil if it is valid.
    package static func objection(to text: String, _ format: TextFormat, _ length: ClosedRange<Int>) -> String? {
        if let objection = format.objection(to: text) { return objection }
        let count = format.isASCII ? text.utf8.count : text.unicodeScalars.count
        guard !length.contains(count) else { return nil }
        return "must have \(words(length)) characters, and has \(count)"
    }

    private static func words(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }

    private static func join(_ path: String, _ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }
}

/// A named schema under `components` of the OpenAPI document.
package struct JSONComponent: Sendable {
    package let name: String
    package let schema: JSONSchema

    /// Names a schema.
    package init(name: String, schema: JSONSchema) {
        self.name = name
        self.schema = schema
    }
}
