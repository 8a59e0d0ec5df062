internal import HTTP
internal import JSON
internal import OpenAPI
internal import Problems

/// The functions of calls.
struct ClientCalls {
    let types: ClientTypes

    /// A parameter of a function.
    struct Parameter {
        let name: String
        let type: String
        let about: String
        var label = ""
        var value: String?

        var declaration: String {
            "\(label)\(SwiftName.escaped(name)): \(type)\(value.map { " = \($0)" } ?? "")"
        }
    }

    /// The type of the answer.
    func answerType(of operation: OpenAPIOperation) -> String {
        guard let answer = operation.answer else { return "Void" }
        if operation.isStreamed { return "Data" }
        let type = swift(answer, named: operation.typeName + "Answer")
        return operation.answerType == .jsonLines ? "[\(type)]" : type
    }

    /// The public function that makes the call and returns its answer; empty for a call that is made by functions which
    /// are written by hand.
    func function(of operation: OpenAPIOperation) -> String {
        guard operation.hasFunction else { return "" }
        let parameters = parameters(of: operation, asFunction: true)
        var arguments = parameters.map { "\($0.label == "_ " ? "" : "\($0.name): ")\(SwiftName.escaped($0.name))" }
        if operation.bodyType == .bytes {
            arguments = arguments.filter { $0 != "type: type" }
                .map { $0 == "content: content" ? "content: .content(content, type: type)" : $0 }
        }
        let declarations = parameters.map(\.declaration).joined(separator: ", ")
        let answer = answerType(of: operation)
        let result = answer == "Void" ? "" : " -> \(answer)"
        let makes = operation.sentBody == nil ? "" : "try "
        let call = "\(makes)KithCalls.\(operation.functionName)(\(arguments.joined(separator: ", ")))"
        return comment(operation, parameters).text("")
            + "public func \(operation.functionName)(\(declarations)) async throws\(result) {\n"
            + "try await caller.answer(to: \(call))\n}\n"
    }

    /// The function that returns the call as a value.
    func call(_ operation: OpenAPIOperation) -> String {
        var text = value(operation, named: operation.functionName, accept: nil)
        if let other = operation.otherAnswerType {
            text +=
                "\n"
                + value(
                    operation, named: operation.functionName + "As" + other.rawValue.uppercased().suffix(3),
                    accept: other.rawValue)
        }
        return text
    }

    private func value(_ operation: OpenAPIOperation, named name: String, accept: String?) -> String {
        let answer = accept == nil ? answerType(of: operation) : "Data"
        let parameters = parameters(of: operation, asFunction: false)
        let body = operation.sentBody != nil
        var text = DocComment(DocComment.sentence(operation.summary)).text("")
        let call = "KithCall<\(answer)>"
        let declarations = parameters.map(\.declaration).joined(separator: ", ")
        text += "static func \(name)(\(declarations))\(body ? " throws" : "") -> \(call) {\n\(call)(\n"
        var arguments = [
            "operationID: \"\(operation.operationID)\"", "method: \"\(operation.method.rawValue)\"",
            "path: \"\(path(of: operation))\"",
        ]
        let query = texts(of: operation, in: "query")
        if !query.isEmpty { arguments.append("query: texts(\(query.joined(separator: ", ")))") }
        let headers = texts(of: operation, in: "header")
        if !headers.isEmpty { arguments.append("headers: texts(\(headers.joined(separator: ", ")))") }
        if operation.bodyType == .bytes {
            arguments.append("body: content")
        } else if body {
            let lines = operation.bodyType == .jsonLines
            arguments.append(
                lines
                    ? "body: try .content(lines(body), type: \"\(operation.bodyType.rawValue)\")"
                    : "body: try .json(json(body))")
        }
        arguments.append("credential: .\(credential(operation.caller))")
        if operation.takesIdempotencyKey { arguments.append("takesIdempotencyKey: true") }
        if let accept {
            arguments.append("accept: \"\(accept)\"")
        } else if operation.answerType != .json {
            arguments.append("accept: \"\(operation.answerType.rawValue)\"")
        }
        let decode =
            switch (answer, operation.answerType) {
            case ("Void", _): "nothing"
            case ("Data", _): "content"
            case (_, .jsonLines): "lines"
            default: "json"
            }
        arguments.append("decode: \(decode)")
        return text + arguments.joined(separator: ",\n") + "\n)\n}\n"
    }

    // MARK: - Parameters

    func parameters(of operation: OpenAPIOperation, asFunction: Bool) -> [Parameter] {
        var (all, optional): ([Parameter], [Parameter]) = ([], [])
        for parameter in operation.parameters where isArgument(parameter, of: operation) {
            let name = name(of: parameter, in: operation)
            let type = type(of: parameter)
            let about = parameter.summary.isEmpty ? about(parameter, in: operation) : parameter.summary
            if flag(parameter) != nil {
                optional.append(Parameter(name: name, type: "Bool", about: about, value: "false"))
            } else if parameter.required {
                all.append(Parameter(name: name, type: type, about: about))
            } else {
                optional.append(Parameter(name: name, type: type + "?", about: about, value: "nil"))
            }
        }
        if let body = operation.sentBody {
            var type = swift(body, named: operation.typeName + "Request")
            if operation.bodyType == .jsonLines { type = "[\(type)]" }
            let isOptional = !body.requiresMembers && operation.bodyType == .json
            all.append(
                Parameter(
                    name: "body", type: type, about: operation.bodyType == .jsonLines ? "The lines." : "The body.",
                    label: "_ ", value: isOptional ? ".init()" : nil))
        } else if operation.bodyType == .bytes, operation.body != nil {
            let type = asFunction ? "Data" : "KithCall<\(answerType(of: operation))>.Body"
            all.append(Parameter(name: "content", type: type, about: "The content."))
            if asFunction {
                all.append(
                    Parameter(
                        name: "type", type: "String", about: "The media type of the content, such as `application/pdf`."
                    ))
            }
        }
        return all + optional
    }

    /// Whether callers give the parameter. The client itself names the tenant and the key of a repeat.
    func isArgument(_ parameter: OpenAPIParameter, of operation: OpenAPIOperation) -> Bool {
        if parameter.name == "Idempotency-Key" || parameter.name == "X-Kith-Tenant" { return false }
        // A parameter of the query for clients that cannot send the header.
        return parameter.place != "query"
            || !operation.parameters.contains {
                $0.place == "header" && SwiftName.member($0.name) == SwiftName.member(parameter.name)
            }
    }

    /// The type of an argument, outside of the extension of `Kith`.
    func type(of parameter: OpenAPIParameter) -> String {
        if parameter.name == "cursor" { return "Kith.Cursor" }
        return swift(parameter.schema, named: SwiftName.type(parameter.name))
    }

    /// The one value of a parameter that has this value or is absent; nil for other parameters. `vaults=delete` is
    /// `deleteVaults: true`.
    private func flag(_ parameter: OpenAPIParameter) -> String? {
        guard case .oneOf(let values) = parameter.schema, values.count == 1, !parameter.required else { return nil }
        return values.first
    }

    func name(of parameter: OpenAPIParameter, in operation: OpenAPIOperation) -> String {
        if let flag = flag(parameter) { return SwiftName.member("\(flag)_\(parameter.name)") }
        guard parameter.place == "path" else { return SwiftName.member(parameter.name) }
        guard ["id", "doc", "n", "r"].contains(parameter.name) else { return SwiftName.member(parameter.name) }
        let noun = noun(of: parameter, in: operation)
        let isOnly = operation.parameters.filter { $0.place == "path" }.count == 1
        let words = SwiftName.type(noun)
        if isOnly, operation.path.hasSuffix("}") || operation.operationID.hasSuffix(words) { return "id" }
        let name = SwiftName.member(noun)
        return parameter.name == "n" && operation.path.contains("recipients") ? "number" : name + "ID"
    }

    private func about(_ parameter: OpenAPIParameter, in operation: OpenAPIOperation) -> String {
        guard parameter.place == "path" else { return "`\(parameter.name)` of the API." }
        let noun = noun(of: parameter, in: operation).replacing("-", with: " ")
        return switch parameter.schema {
        case .string(.uuid, _): "The id of the \(noun)."
        case .integer: "The number of the \(noun)."
        default:
            parameter.name == noun ? "The \(noun)." : "The \(parameter.name.replacing("_", with: " ")) of the \(noun)."
        }
    }

    /// The thing that a parameter of the path names.
    private func noun(of parameter: OpenAPIParameter, in operation: OpenAPIOperation) -> String {
        let segments = operation.path.split(separator: "/").map(String.init)
        guard let place = segments.firstIndex(of: "{\(parameter.name)}"), place > 0 else { return "thing" }
        return SwiftName.singular(segments[place - 1])
    }

    private func path(of operation: OpenAPIOperation) -> String {
        var path = operation.path
        for parameter in operation.parameters where parameter.place == "path" {
            let name = SwiftName.escaped(name(of: parameter, in: operation))
            path = path.replacing("{\(parameter.name)}", with: "\\(segment(\(text(of: parameter, name))))")
        }
        return path
    }

    private func texts(of operation: OpenAPIOperation, in place: String) -> [String] {
        operation.parameters.filter { $0.place == place && isArgument($0, of: operation) }.map { parameter in
            let name = SwiftName.escaped(name(of: parameter, in: operation))
            return "(\"\(parameter.name)\", \(text(of: parameter, name)))"
        }
    }

    /// The expression for the text of an argument.
    private func text(of parameter: OpenAPIParameter, _ name: String) -> String {
        if let flag = flag(parameter) { return "\(name) ? \"\(flag)\" : nil" }
        let required = parameter.required
        if case .array = parameter.schema {
            return "\(name)\(required ? "" : "?").map { $0.rawValue }.joined(separator: \",\")"
        }
        return switch type(of: parameter) {
        case "String": name
        case "Int", "Bool": required ? "String(\(name))" : "\(name).map { String($0) }"
        case "UUID" where parameter.place == "path": name
        case "UUID": "\(name)\(required ? "" : "?").uuidString.lowercased()"
        case "Date": required ? "Instant.text(\(name))" : "\(name).map(Instant.text)"
        case "Kith.LocalDate", "Kith.TimeOfDay": "\(name)\(required ? "" : "?").description"
        default: "\(name)\(required ? "" : "?").rawValue"
        }
    }

    private func credential(_ caller: OpenAPIOperation.Caller) -> String {
        switch caller {
        case .anybody: "none"
        case .tenant: "tenant"
        case .user, .key: "bearer"
        }
    }

    /// The type outside of the extension of `Kith`.
    private func swift(_ schema: JSONSchema, named name: String) -> String {
        let type = types.type(of: schema, named: name)
        if type.hasPrefix("[") { return "[\(qualified(String(type.dropFirst().dropLast())))]" }
        return qualified(type)
    }

    private func qualified(_ type: String) -> String {
        ["String", "Int", "Bool", "UUID", "Date"].contains(type) ? type : "Kith.\(type)"
    }

    // MARK: - Documentation

    private func comment(_ operation: OpenAPIOperation, _ parameters: [Parameter]) -> DocComment {
        var comment = DocComment(DocComment.sentence(operation.summary))
        if let details = operation.details { comment.add(ofLibrary(details, operation)) }
        if let bound = operation.bound { comment.add("Limits: \(bound)") }
        if case .key(let scope) = operation.caller {
            comment.add("Requires a secret key with the scope `\(scope)`.")
        }
        switch parameters.count {
        case 0: comment.add("")
        case 1: comment.add("- Parameter \(parameters[0].name): \(parameters[0].about)", indent: "  ")
        default:
            comment.add("- Parameters:")
            for parameter in parameters {
                comment.item("- \(parameter.name): \(parameter.about)", margin: "  ", indent: "    ")
            }
        }
        if operation.answer != nil { comment.item("- Returns: \(returned(operation))") }
        let codes = Set(operation.specificRefusals).sorted {
            ($0.entry.status.rawValue, $0.rawValue) < ($1.entry.status.rawValue, $1.rawValue)
        }
        let list = codes.map { "`\($0.rawValue)` (\($0.entry.status.rawValue))" }.joined(separator: ", ")
        comment.item("- Throws: ``KithProblem``\(list.isEmpty ? "." : ", also with the codes \(list).")")
        return comment
    }

    /// The details of a call for a client that always sends an `Idempotency-Key`.
    private func ofLibrary(_ details: String, _ operation: OpenAPIOperation) -> String {
        guard operation.takesIdempotencyKey else { return details }
        return details.replacing(
            "at most 10,000 lines, or 1,000 with an Idempotency-Key, which makes",
            with: "at most 1,000 lines, since the library sends an Idempotency-Key, which makes")
    }

    private func returned(_ operation: OpenAPIOperation) -> String {
        if case .component(let component) = operation.answer {
            if component.name.hasSuffix("Page") { return "One page of the list." }
            if !component.summary.isEmpty { return DocComment.sentence(component.summary) }
        }
        return operation.answerType == .jsonLines ? "A result for each line." : "The answer."
    }
}
