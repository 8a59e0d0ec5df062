internal import HTTP

/// What Kith sends to a tenant's endpoint, as the document's `webhooks` say it (OpenAPI 3.1, section 4.8.1).
enum OpenAPIWebhook {
    static let summary =
        "What a webhook of the tenant is sent: up to 100 events in order, and the same batch again until it is taken"

    private static let headers = [
        ("webhook-id", "What the batch is called: the same whenever it is sent again.", TextFormat.uuid),
        ("webhook-timestamp", "When it was sent, in seconds since 1970.", .number),
        ("webhook-signature", "By each secret that is good, as Standard Webhooks has it: v1, and the code.", .anything),
    ]

    private static let answers = [
        ("2XX", "It was taken, within 5 seconds."),
        ("410", "Nothing is to be sent to this endpoint any more."),
        ("default", "The same batch is sent again, later and later; after Retry-After, where that says when."),
    ]

    /// Writes the members of `webhooks`.
    static func write(into json: inout JSONWriter) {
        json.object("events") { json in
            json.object("post") { json in
                json.field("operationId", "receiveEvents")
                json.field("summary", summary)
                json.array("tags", ["Tenant"]) { $0.string($1) }
                json.array("security", [String]()) { $0.string($1) }
                json.array("parameters", headers) { json, header in
                    let (name, summary, format) = header
                    OpenAPIParameter.sent(name, summary, format).write(into: &json)
                }
                json.object("requestBody") { json in
                    json.field("required", true)
                    json.object("content") { json in
                        json.object(MediaType.json.rawValue) { json in
                            json.object("schema") { $0.field("$ref", JSONComponent.webhookBatch.reference) }
                            json.field("example", json: JSONComponent.webhookBatch.schema.example())
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
