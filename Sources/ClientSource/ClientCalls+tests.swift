internal import JSON
internal import OpenAPI
internal import Problems

/// The source by which the tests make every call with the examples of the description.
extension ClientCalls {
    /// A case that makes the call with the parts of a `DocumentedCall`; empty for a call without a generated function.
    func testCase(of operation: OpenAPIOperation) -> String {
        guard operation.hasFunction else { return "" }
        var arguments = operation.parameters.filter { $0.required && isArgument($0, of: operation) }.map {
            "\(name(of: $0, in: operation)): \(value(of: $0))"
        }
        if let body = operation.sentBody {
            let value = types.reading(body, named: operation.typeName + "Request", from: "call.json")
            arguments.append(operation.bodyType == .jsonLines ? "[\(value)]" : value)
        } else if operation.bodyType == .bytes, operation.body != nil {
            arguments += ["content: Data(\"Bob has the spare key.\".utf8)", "type: \"text/plain\""]
        }
        let result = answerType(of: operation) == "Void" ? "" : "_ = "
        return "case \"\(operation.operationID)\":\n"
            + "\(result)try await caller.\(operation.functionName)(\(arguments.joined(separator: ", ")))\n"
    }

    /// The function's name with the labels of its arguments.
    func signature(of operation: OpenAPIOperation) -> String {
        let labels = parameters(of: operation, asFunction: true).map { $0.label == "_ " ? "_:" : "\($0.name):" }
        return "\(operation.functionName)(\(labels.joined()))"
    }

    private func value(of parameter: OpenAPIParameter) -> String {
        switch type(of: parameter) {
        case "String": "call.text(of: \"\(parameter.name)\")"
        case "UUID": "call.id(of: \"\(parameter.name)\")"
        case "Int": "call.number(of: \"\(parameter.name)\")"
        case let choice: "\(choice)(rawValue: call.text(of: \"\(parameter.name)\"))"
        }
    }
}

extension ClientTypes {
    /// An initializer from JSON for a type that the library itself only writes; empty for others.
    func requestReading(of type: ClientType) -> String {
        guard isWrittenOnly(type) else { return "" }
        var text = "extension Kith.\(type.name) {\ninit(_ json: JSON) throws {\n"
        if case .union(let shapes, let tag) = type.schema {
            text += "switch json[\"\(tag ?? "")\"]?.string {\n"
            for shape in cases(of: type, shapes, tag) {
                let values = shape.values.map { "\"\($0)\"" }.joined(separator: ", ")
                text += "case \(values): self = .\(shape.name)(try Kith.\(shape.type)(json))\n"
            }
            return text + "default: self = .unknown(try RequestMembers.read(json))\n}\n}\n}\n"
        }
        guard !members(of: type).isEmpty else { return text + "self.init()\n}\n}\n" }
        let arguments = members(of: type).map { member in
            let function =
                member.isChange ? "change" : member.isNullable || !member.property.required ? "optional" : "value"
            var element = member.type
            if element.hasPrefix("[") { element = String(element.dropFirst().dropLast()) }
            let call = "\(member.name): members.\(function)(\"\(member.property.name)\")"
            guard let inner = self[element], isWrittenOnly(inner) else { return call }
            return element == member.type
                ? "\(call) { try Kith.\(element)($0) }"
                : "\(call) { try $0.array.map { try Kith.\(element)($0) } }"
        }
        return text + "let members = RequestMembers(json)\ntry self.init(\(arguments.joined(separator: ", ")))\n}\n}\n"
    }

    /// The expression that makes a value with `schema` from the JSON that is the value of the expression `json`.
    func reading(_ schema: JSONSchema, named name: String, from json: String) -> String {
        let type = type(of: schema, named: name)
        guard let type = self[type], isWrittenOnly(type) else { return "RequestMembers.read(\(json))" }
        return "Kith.\(type.name)(\(json))"
    }

    /// Whether the library writes the type and does not read it.
    private func isWrittenOnly(_ type: ClientType) -> Bool { type.isSentOnly && !type.isChoice }
}
