import Foundation
import Testing

/// Checks every answer that any test gets against the server's own document: even the rarest answer must be described
/// there.
actor DocumentedAnswers {
    static let shared = DocumentedAnswers()

    private var api: OpenAPI?
    /// The shapes of events seen so far: only one event of each shape is checked, because checking thousands would
    /// delay them too much.
    private var shapes: Set<String> = []

    /// Records an issue for an event of a stream that the document does not describe.
    func check(_ event: EventClient.Event, of client: APIClient) async {
        guard shapes.insert("\(event.type) \(event.data.shape)").inserted else { return }
        let value = JSON.object(["id": .string(event.id), "event": .string(event.type), "data": event.data])
        await check(value, as: "StreamEvent", of: client)
    }

    /// Records an issue for the body of a webhook that the document does not describe.
    func check(webhook body: JSON, of client: APIClient) async {
        await check(body, as: "WebhookBatch", of: client)
    }

    private func check(_ value: JSON, as component: String, of client: APIClient) async {
        guard let api = await document(of: client) else { return }
        recordIssues("not a valid \(component)", try value.text) { try api.faults(of: value, as: component) }
    }

    /// Records an issue for an answer that the document does not describe.
    func check(_ answer: APIClient.Answer, to method: String, _ path: String, of client: APIClient) async {
        // Paths of the server's other listener, and unknown paths, have no operation.
        guard let api = await document(of: client), let operation = api.operation(method, path) else { return }
        recordIssues("\(method) \(path) (\(operation.id)) is not as documented", answer.text) {
            try api.faults(of: answer, to: operation)
        }
    }

    private func recordIssues(
        _ summary: String, _ value: @autoclosure () throws -> String, _ faults: () throws -> [String]
    ) {
        do {
            for fault in try faults() { Issue.record("\(summary): \(fault): \(try value().prefix(300))") }
        } catch {
            Issue.record(error, "\(summary): not checked")
        }
    }

    /// The document, read once; nil if the client's server does not publish it any more.
    private func document(of client: APIClient) async -> OpenAPI? {
        if api == nil, let answer = try? await client.exchange("GET", "/openapi.json"), answer.status == 200 {
            do { api = try OpenAPI(answer.body) } catch { Issue.record(error, "the document cannot be used") }
        }
        return api
    }
}
