import Foundation
import Testing

/// Checks every answer that any test gets against the server's own document: even the rarest answer must be described there.
actor DocumentedAnswers {
    static let shared = DocumentedAnswers()

    private var api: OpenAPI?
    /// The shapes of events seen so far: only one event of each shape is checked, because checking thousands would delay them too much.
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
        if api == nil { api = try? await OpenAPI(client) }
        guard let api else { return }
        var check = JSONSchemaCheck(document: api.document)
        check.check(value, .object(["$ref": .string("#/components/schemas/\(component)")]))
        for fault in check.faults { Issue.record("not a valid \(component): \(fault): \(value)") }
    }

    /// Records an issue for an answer that the document does not describe.
    func check(_ answer: APIClient.Answer, to method: String, _ path: String, of client: APIClient) async {
        if api == nil { api = try? await OpenAPI(client) }
        // Paths of the server's other listener, and unknown paths, have no operation.
        guard let api, let operation = api.operation(method, path) else { return }
        for fault in api.faults(of: answer, to: operation) {
            Issue.record("\(method) \(path) is not as documented: \(fault): \(answer.text.prefix(300))")
        }
    }
}
