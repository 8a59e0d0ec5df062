internal import HTTP
internal import JSON
internal import OpenAPI
internal import Requests

extension Endpoint {
    /// The call as the documentation describes it.
    var operation: OpenAPIOperation {
        OpenAPIOperation(
            operationID: operationID, method: method, path: path, caller: documentedCaller, summary: summary,
            details: documentedDetails, bound: bound, area: area, parameters: documentedParameters, body: body,
            bodyType: bodyType, maximumBody: bodyRule.maximum, answer: answer, answerType: answerType,
            otherAnswerType: otherAnswerType, success: success, successIfThere: successIfThere,
            mayRedirect: mayRedirect,
            takesIdempotencyKey: takesIdempotencyKey, specificRefusals: problems, refusals: refusals)
    }

    private var documentedDetails: String? {
        guard worksWhileSuspended else { return details }
        return [details, "Works while the tenant is suspended."].compactMap { $0 }.joined(separator: " ")
    }

    /// All parameters of the call except its body.
    private var documentedParameters: [OpenAPIParameter] {
        var parameters = parameters.compactMap(OpenAPIParameter.init) + headerParameters
        if takesIdempotencyKey { parameters.append(.idempotencyKey) }
        if case .tenant = caller { parameters.append(.tenant) }
        return parameters
    }

    private var documentedCaller: OpenAPIOperation.Caller {
        switch caller {
        case .open: .anybody
        case .tenant: .tenant
        case .user: .user
        case .key(let scope): .key(scope: scope.rawValue)
        }
    }
}

extension OpenAPIParameter {
    /// The parameter for `argument`; nil if the argument comes from neither path nor query.
    init?(_ argument: Argument) {
        guard let schema = argument.schema else { return nil }
        switch argument {
        case .path(let name, _): self.init(name: name, place: "path", summary: "", required: true, schema: schema)
        case .query(let name, _, let summary, let required):
            self.init(name: name, place: "query", summary: summary, required: required, schema: schema)
        case .limit:
            self.init(
                name: "limit", place: "query",
                summary: "The largest number of items in the answer. The default is 50.", required: false,
                schema: schema)
        case .optionalLimit:
            self.init(
                name: "limit", place: "query",
                summary: "The largest number of items in the answer. Without it, the answer has all.", required: false,
                schema: schema)
        case .cursor:
            self.init(
                name: "cursor", place: "query",
                summary:
                    "The next_cursor of the previous page: an opaque text. Without it, the answer is the first page.",
                required: false, schema: .string(.opaque))
        case .body, .member, .flag, .place, .now, .publicURL, .ifMatch, .source, .fixed: return nil
        }
    }
}
