internal import JSON
internal import OpenAPI
internal import Problems

/// The types that the calls and the webhooks of a document use, each once. A type belongs to the area of the call that
/// says the least besides it: a connection to the calls of connections, not to the first screen, which has one as well.
struct ClientTypes {
    private(set) var all: [ClientType] = []
    private var places: [String: Int] = [:]

    private enum Direction {
        case sent
        case received
    }

    init(_ document: OpenAPIDocument) {
        let operations = document.operations.filter(\.isCalled)
        let sizes = operations.map { Self([$0]).all.count }
        self.init(
            operations.indices.sorted { (sizes[$0], $0) < (sizes[$1], $1) }.map { operations[$0] },
            document.webhookBatch)
        let client = Self(operations.filter { $0.product == .client })
        let server = Self(operations.filter { $0.product == .server }, document.webhookBatch)
        for place in all.indices {
            let name = all[place].name
            all[place].product =
                switch (client[name], server[name]) {
                case (nil, _): .server
                case (_, nil): .client
                default: .calls
                }
        }
    }

    /// The types of some operations, and of what Kith sends to webhooks.
    private init(_ operations: [OpenAPIOperation], _ webhookBatch: JSONComponent? = nil) {
        for operation in operations {
            for parameter in operation.parameters { visit(parameter.schema, in: operation.area, .sent, "") }
            if operation.hasValue, let body = operation.sentBody { visit(body, in: operation.area, .sent, "") }
            if let answer = operation.answer, !operation.isStreamed || operation.answerType == .events {
                visit(answer, in: operation.area, .received, operation.typeName + "Answer")
            }
        }
        if let webhookBatch { visit(.component(webhookBatch), in: OpenAPIWebhook.area, .received, "") }
    }

    /// The Swift type of a value with `schema`, without a question mark. `name` is that of the type if the schema has
    /// none.
    func type(of schema: JSONSchema, named name: String) -> String {
        switch schema {
        case .string(let format, _):
            switch format {
            case .uuid: "UUID"
            case .date: "LocalDate"
            case .instant: "Date"
            case .timeOfDay: "TimeOfDay"
            default: name.hasSuffix("Cursor") ? "Cursor" : "String"
            }
        case .oneOf(let values): values.count == 1 ? "String" : name
        case .integer: "Int"
        case .number: "Double"
        case .boolean: "Bool"
        case .anyObject: "JSON"
        case .nullable(let schema), .item(let schema): type(of: schema, named: name)
        case .array(let element, _): "[\(type(of: element, named: SwiftName.singular(name)))]"
        case .object, .union: name
        case .component(let component):
            component.hasType ? SwiftName.component(component.name) : type(of: component.schema, named: name)
        }
    }

    /// The members of a struct.
    func members(of type: ClientType) -> [ClientMember] {
        guard case .object(let properties) = type.schema else { return [] }
        return properties.map { property in
            var (schema, isNullable) = (property.schema, false)
            if case .nullable(let inner) = schema { (schema, isNullable) = (inner, true) }
            var constant: String?
            if case .oneOf(let values) = schema, values.count == 1 { constant = values.first }
            return ClientMember(
                property: property, type: self.type(of: schema, named: Self.name(of: property, in: type.name)),
                constant: constant, isNullable: isNullable,
                isChange: type.isSentOnly && isNullable && !property.required)
        }
    }

    /// The type with that name.
    subscript(name: String) -> ClientType? { places[name].map { all[$0] } }

    /// The name of a type for a member's schema that has none.
    private static func name(of property: JSONSchema.Property, in parent: String) -> String {
        parent + SwiftName.type(property.name)
    }

    private mutating func visit(_ schema: JSONSchema, in area: String, _ direction: Direction, _ name: String) {
        switch schema {
        case .component(let component):
            guard component.hasType else { return visit(component.schema, in: area, direction, name) }
            add(SwiftName.component(component.name), component.schema, component.summary, in: area, direction)
        case .object, .union: add(name, schema, "", in: area, direction)
        case .oneOf(let values): if values.count > 1 { add(name, schema, "", in: area, direction) }
        case .array(let element, _): visit(element, in: area, direction, SwiftName.singular(name))
        case .nullable(let schema), .item(let schema): visit(schema, in: area, direction, name)
        case .string, .integer, .number, .boolean, .anyObject: break
        }
    }

    private mutating func add(
        _ name: String, _ schema: JSONSchema, _ summary: String, in area: String, _ direction: Direction
    ) {
        let place = places[name] ?? all.count
        if place == all.count {
            places[name] = place
            all.append(ClientType(name: name, schema: schema, summary: summary, area: area))
        }
        switch direction {
        case .sent:
            if all[place].isSent { return }
            all[place].isSent = true
        case .received:
            if all[place].isReceived { return }
            all[place].isReceived = true
        }
        switch schema {
        case .object(let properties):
            for property in properties {
                visit(property.schema, in: area, direction, Self.name(of: property, in: name))
            }
        case .union(let shapes, _):
            for (index, shape) in shapes.enumerated() { visit(shape, in: area, direction, "\(name)\(index + 1)") }
        case .array(let element, _): visit(element, in: area, direction, SwiftName.singular(name))
        default: break
        }
    }
}

extension JSONComponent {
    /// Whether it is a type of its own in Swift.
    var hasType: Bool {
        switch schema {
        case .object, .union, .oneOf: true
        default: false
        }
    }
}

extension OpenAPIOperation {
    /// The name of its function.
    var functionName: String { SwiftName.operation(operationID) }

    /// That name with a capital.
    var typeName: String { functionName.prefix(1).uppercased() + functionName.dropFirst() }

    /// Whether the library has the call. It has none for pages and feeds, and none for the addresses of things.
    var isCalled: Bool { ![.html, .text, .atom].contains(answerType) && bodyType != .form }

    /// Whether the answer is read while it arrives, so that no function returns it.
    var isStreamed: Bool {
        if case .component(let component) = answer, component.name == "Export" { return true }
        return answerType == .content || answerType == .events
    }

    /// The body as a named schema.
    var sentBody: JSONSchema? {
        bodyType == .bytes ? nil : bodyComponent.map { .component($0) } ?? body
    }
}
