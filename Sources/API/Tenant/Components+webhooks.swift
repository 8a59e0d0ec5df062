internal import JSON

/// A tenant's webhooks.
extension JSONComponent {
    static let webhook = JSONComponent(name: "Webhook", schema: .object(webhookMembers))
    static let newWebhook = JSONComponent(
        name: "NewWebhook",
        schema: .object(
            webhookMembers + [
                .init(
                    "secret", .string(.line), required: true,
                    "The secret that signs requests. It is shown only once.")
            ]))

    private static let webhookMembers: [JSONSchema.Property] = [
        .init("id", .string(.uuid), required: true),
        .init(
            "url", .string(.line, length: 9...2000), required: true, example: .text("https://api.example.com/kith")),
        .init(
            "types", .array(of: .component(.eventType), count: 0...20), required: true,
            "The event types to send. Empty for all."),
        .init(
            "status", .component(.webhookStatus), required: true,
            "A webhook is disabled when it answers 410 Gone, or by an operator."),
        .init("created_at", .string(.instant), required: true),
        .init("last_success_at", .nullable(.string(.instant)), required: true),
        .init(
            "failed_attempts", .integer(0...1_000_000), required: true, "Failed attempts to send the next batch."),
        .init("last_error", .nullable(.string(.line, length: 1...500)), required: true),
    ]
}
