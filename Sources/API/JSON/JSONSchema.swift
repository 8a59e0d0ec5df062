/// The schema of a JSON value. Requests are validated by it and the OpenAPI document is generated from it, so the document cannot differ
/// from the server.
indirect enum JSONSchema: Sendable {
    case string(TextFormat, length: ClosedRange<Int>)
    /// A text that is one of these.
    case oneOf([String])
    case integer(ClosedRange<Int>)
    case boolean
    case object([Property])
    case array(of: JSONSchema, count: ClosedRange<Int>)
    /// An element that gets its own result. Only its kind is checked here; the handler checks the rest, so that an invalid one stops no
    /// other.
    case item(JSONSchema)
    /// An object with any members, such as a notification's data.
    case anyObject
    case nullable(JSONSchema)
    /// A value of one of several shapes, distinguished by the member `tag` if there is one. It is for answers.
    case union([JSONSchema], tag: String? = nil)
    /// A schema under `components` of the OpenAPI document.
    case component(JSONComponent)

    /// A text with the length limits that its format has by default.
    static func string(_ format: TextFormat) -> JSONSchema { .string(format, length: format.usualLength) }

    /// A member of an object.
    struct Property: Sendable {
        let name: String
        let schema: JSONSchema
        let required: Bool
        let summary: String
        /// The value in examples, if neither the member's name nor its schema gives a good one.
        let example: JSONExample?

        init(
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

    /// Validates `value` and appends an error for each fault to `errors`.
    func check(_ value: JSONValue, at path: String, into errors: inout [Problem.FieldError]) {
        func refuse(_ message: String) {
            errors.append(Problem.FieldError(field: path, message: message))
        }
        switch self {
        case .nullable(let schema):
            if value.kind != .null { schema.check(value, at: path, into: &errors) }
        case .component(let component):
            component.schema.check(value, at: path, into: &errors)
        case .union(let shapes, _):
            let attempts = shapes.map { shape in
                var attempt: [Problem.FieldError] = []
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
            for (index, element) in elements.enumerated() where errors.count < Problem.mostErrors {
                schema.check(element, at: "\(path)[\(index)]", into: &errors)
            }
        case .object(let properties):
            guard value.kind == .object else { return refuse("must be an object") }
            let members = value.members
            for property in properties where property.required && !members.contains(where: { $0.name == property.name })
            {
                errors.append(Problem.FieldError(field: Self.join(path, property.name), message: "is required"))
            }
            for member in members where errors.count < Problem.mostErrors {
                let name = Self.join(path, member.name)
                guard let property = properties.first(where: { $0.name == member.name }) else {
                    errors.append(Problem.FieldError(field: String(name.prefix(200)), message: "is not a known field"))
                    continue
                }
                property.schema.check(member.value, at: name, into: &errors)
            }
        }
    }

    /// The objection to `text`, worded to follow the field's name; nil if it is valid.
    static func objection(to text: String, _ format: TextFormat, _ length: ClosedRange<Int>) -> String? {
        guard format.accepts(text) else { return format.requirement }
        let count = text.unicodeScalars.count
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
struct JSONComponent: Sendable {
    let name: String
    let schema: JSONSchema
}
