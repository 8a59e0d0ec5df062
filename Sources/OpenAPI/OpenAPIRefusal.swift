internal import HTTP
internal import JSON
internal import Problems

/// An error response: a status, with the codes that a call can give with it.
struct OpenAPIRefusal {
    let status: HTTPStatus
    let codes: [ProblemCode]
    /// Whether the response is an HTML page instead of a problem document.
    let isPage: Bool

    /// Codes that the HTTP server gives before the request is routed. They are problem documents even where a page was
    /// requested.
    private static let beforeRouting: Set<ProblemCode> = [.payloadTooLarge, .uriTooLong, .headersTooLarge]

    /// The call's refusals, ordered by status.
    static func of(_ operation: OpenAPIOperation) -> [OpenAPIRefusal] {
        Dictionary(grouping: operation.refusals, by: \.entry.status).map { status, codes in
            OpenAPIRefusal(
                status: status, codes: codes.sorted { $0.rawValue < $1.rawValue },
                isPage: operation.answerType == .html && !beforeRouting.isSuperset(of: codes))
        }
        .sorted { $0.status.rawValue < $1.status.rawValue }
    }

    /// The component's name, made of its codes, so that calls with the same codes share it.
    var name: String {
        (isPage ? "page_" : "") + codes.map(\.rawValue).joined(separator: "_or_")
    }

    var reference: String { "#/components/responses/\(name)" }

    /// Writes the refusal as a component.
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
                // A path with malformed percent-encoding answers a problem document: it matches no page.
                if !isPage || status == .notFound {
                    json.object(MediaType.problem.rawValue) { json in writeContent(into: &json) }
                }
            }
        }
    }

    /// Writes the content. The keys of its examples are the codes that it can have; a narrower schema would be another
    /// type in each generated client, and some generators refuse a `$ref` with `properties` beside it.
    private func writeContent(into json: inout JSONWriter) {
        json.object("schema") { $0.field("$ref", JSONComponent.problem.reference) }
        json.object("examples") { json in
            for code in codes {
                json.object(code.rawValue) { $0.field("$ref", "#/components/examples/\(code.rawValue)") }
            }
        }
    }

    /// Writes one example for each code as components.
    static func writeExamples(into json: inout JSONWriter) {
        for code in ProblemCode.all {
            json.object(code.rawValue) { json in
                json.object("value") { Problem.example(of: code).write(into: &$0, requestID: Problem.exampleRequestID) }
            }
        }
    }
}
