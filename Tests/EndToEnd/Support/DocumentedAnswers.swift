import Foundation
import Testing

/// Holds every answer that any test gets against the server's own document: what a test provokes, however rare, must stand there.
actor DocumentedAnswers {
    static let shared = DocumentedAnswers()

    private var api: OpenAPI?

    /// Records an issue for an answer that the document does not describe.
    func check(_ answer: APIClient.Answer, to method: String, _ path: String, of client: APIClient) async {
        if api == nil { api = try? await OpenAPI(client) }
        // What only the server's other listener has, or nobody, has no operation.
        guard let api, let operation = api.operation(method, path) else { return }
        for fault in api.faults(of: answer, to: operation) {
            Issue.record("\(method) \(path) is not as documented: \(fault): \(answer.text.prefix(300))")
        }
    }
}
