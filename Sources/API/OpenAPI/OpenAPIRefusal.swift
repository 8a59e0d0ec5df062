internal import HTTP

/// An answer that refuses: one status, with the codes that it can have at a call.
struct OpenAPIRefusal {
    let status: HTTPStatus
    let codes: [ProblemCode]
    /// Whether a person gets a page to read instead of a document.
    let isPage: Bool

    /// What the HTTP server refuses before anybody knows that a page was asked for.
    private static let beforeRouting: Set<ProblemCode> = [.payloadTooLarge, .uriTooLong, .headersTooLarge]

    /// The refusals of an endpoint, in order of status.
    static func of(_ endpoint: Endpoint) -> [OpenAPIRefusal] {
        Dictionary(grouping: endpoint.refusals, by: \.entry.status).map { status, codes in
            OpenAPIRefusal(
                status: status, codes: codes.sorted { $0.rawValue < $1.rawValue },
                isPage: endpoint.answerType == .html && !beforeRouting.isSuperset(of: codes))
        }
        .sorted { $0.status.rawValue < $1.status.rawValue }
    }

    /// Every refusal once.
    static let all: [OpenAPIRefusal] = Endpoint.all.reduce(into: []) { all, endpoint in
        for refusal in of(endpoint) where !all.contains(where: { $0.name == refusal.name }) { all.append(refusal) }
    }

    /// What the document calls it: by its codes, so that calls with the same ones share it.
    var name: String {
        (isPage ? "page_" : "") + codes.map(\.rawValue).joined(separator: "_or_")
    }

    var reference: String { "#/components/responses/\(name)" }

    /// Writes it as a component.
    func write(into json: inout JSONWriter) {
        json.object(name) { json in
            json.field("description", codes.map(\.entry.title).joined(separator: ", or "))
            var headers = [OpenAPIHeader.requestID]
            if codes.contains(where: \.saysWhenToRetry) { headers.append(.retryAfter) }
            if status == .unauthorized { headers.append(.authenticate) }
            OpenAPIHeader.write(headers, into: &json)
            json.object("content") { json in
                if isPage {
                    json.object(MediaType.html.rawValue) { json in
                        json.object("schema") { $0.field("type", "string") }
                    }
                }
                // An address whose escapes cannot be read is no page's.
                if !isPage || status == .notFound {
                    json.object(MediaType.problem.rawValue) { json in writeContent(into: &json) }
                }
            }
        }
    }

    private func writeContent(into json: inout JSONWriter) {
        json.object("schema") { json in
            json.field("$ref", JSONComponent.problem.reference)
            json.object("properties") { json in
                json.object("code") { json in json.array("enum", codes) { $0.string($1.rawValue) } }
            }
        }
        json.object("examples") { json in
            for code in codes {
                json.object(code.rawValue) { $0.field("$ref", "#/components/examples/\(code.rawValue)") }
            }
        }
    }

    /// Writes an example of each code as components.
    static func writeExamples(into json: inout JSONWriter) {
        for code in ProblemCode.all {
            json.object(code.rawValue) { json in
                json.object("value") { Problem.example(of: code).write(into: &$0, requestID: Problem.exampleRequestID) }
            }
        }
    }
}

extension Problem {
    static let exampleRequestID = "5f2c9a1e07b34d68"

    /// A refusal with that code, as documents show it.
    static func example(of code: ProblemCode) -> Problem {
        code == .validationFailed ? .invalid("time_zone", "must be a string") : Problem(code)
    }
}
