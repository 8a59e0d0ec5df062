internal import HTTP
internal import JSON
internal import Problems

/// The requests that Kith sends to a tenant's webhook, written to the document's `webhooks` (OpenAPI 3.1, section
/// 4.8.1).
package enum OpenAPIWebhook {
    /// The tag. It is none of the endpoints' tags: generators make a class of each tag, and would make this one twice.
    package static let area = "Webhook requests"
    private static let summary = "Receive a batch of events"
    private static let description =
        "A batch has up to 100 events in order. Kith sends the same batch again until it is accepted."

    private static let headers = [
        ("webhook-id", "The batch's id. It stays the same when the batch is sent again.", TextFormat.uuid),
        ("webhook-timestamp", "The time of sending, in seconds since 1970.", .number),
        (
            "webhook-signature",
            "One signature for each valid secret, as in Standard Webhooks: v1, a comma and the signature.", .anything
        ),
    ]

    private static let answers = [
        ("2XX", "The batch was accepted, within 5 seconds."),
        ("410", "Kith stops sending to this endpoint."),
        ("default", "Kith sends the same batch again, with growing delays or after Retry-After."),
    ]

    /// Writes the members of `webhooks`. `batch` is the schema of a request's body.
    static func write(_ batch: JSONComponent, into json: inout JSONWriter) {
        json.object("events") { json in
            json.object("post") { json in
                json.field("operationId", "receiveEvents")
                json.field("summary", summary)
                json.field("description", description)
                json.array("tags", [area]) { $0.string($1) }
                json.array("security", [String]()) { $0.string($1) }
                json.array("parameters", headers) { json, header in
                    let (name, summary, format) = header
                    OpenAPIParameter.sent(name, summary, format).write(into: &json)
                }
                json.object("requestBody") { json in
                    json.field("required", true)
                    json.object("content") { json in
                        json.object(MediaType.json.rawValue) { json in
                            json.object("schema") { $0.field("$ref", batch.reference) }
                            json.field("example", json: batch.schema.example())
                        }
                    }
                }
                json.object("responses") { json in
                    for (status, description) in answers {
                        json.object(status) { $0.field("description", description) }
                    }
                }
            }
        }
    }
}
