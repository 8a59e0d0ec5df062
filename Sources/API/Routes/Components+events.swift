/// What a stream of events brings, and a tenant's webhooks.
extension JSONComponent {
    /// One event of `GET /v1/events`, by the type that its field `event` names.
    static let streamEvent = JSONComponent(
        name: "StreamEvent", schema: .anyOf(EventType.streamed.map { .component(streamEvent(of: $0)) }, tag: "event"))

    /// One event of a webhook, by its type.
    static let webhookEvent = JSONComponent(
        name: "WebhookEvent", schema: .anyOf(EventType.allCases.map { .component(webhookEvent(of: $0)) }, tag: "type"))

    /// What is sent to a tenant's endpoint.
    static let webhookBatch = JSONComponent(
        name: "WebhookBatch",
        schema: .object([
            .init("type", .oneOf(["events"]), required: true),
            .init("timestamp", .string(.instant), required: true, "When it was put together."),
            .init(
                "data",
                .object([
                    .init(
                        "events", .array(of: .component(.webhookEvent), count: 1...101), required: true, "In order.")
                ]), required: true),
        ]))

    private static func streamEvent(of type: EventType) -> JSONComponent {
        let data: JSONSchema =
            type == .reset
            ? .object([
                .init(
                    "reason", .oneOf(["too_old", "unknown"]), required: true,
                    "Whether it is longer ago than events are kept, or of another database.")
            ])
            : .component(data(of: type))
        return JSONComponent(
            name: "\(type.word)StreamEvent",
            schema: .object([
                .init("id", eventID, required: true, "Where to go on: the next Last-Event-ID.", example: exampleID),
                .init("event", .oneOf([type.rawValue]), required: true),
                .init("data", data, required: true, type.summary, example: .json(data.exampleText)),
            ]))
    }

    private static func webhookEvent(of type: EventType) -> JSONComponent {
        let data: JSONSchema =
            type == .reset
            ? .object([.init("since", .string(.instant), required: true, "Up to when nothing was missed.")])
            : .nullable(.component(data(of: type)))
        return JSONComponent(
            name: "\(type.word)WebhookEvent",
            schema: .object([
                .init(
                    "id", eventID, required: true, "The same whenever the event is sent again.", example: exampleID),
                .init("type", .oneOf([type.rawValue]), required: true),
                .init(
                    "user_id", type == .reset ? .nullable(.string(.uuid)) : .string(.uuid), required: true,
                    type == .reset
                        ? "Null."
                        : "Whose screen shows it, and who is meant by me; of an alarm, whom it did not reach.",
                    example: type == .reset ? .null : nil),
                .init("created_at", .string(.instant), required: true, "When it happened."),
                .init(
                    "data", data, required: true,
                    type == .reset ? type.summary : "\(type.summary) Null where it cannot be said.",
                    example: .json(data.exampleText)),
            ]))
    }

    private static func data(of type: EventType) -> JSONComponent {
        let name = "\(type.word)EventData"
        func seen(_ schemas: JSONSchema..., of parent: String? = nil) -> JSONComponent {
            JSONComponent(name: name, schema: .anyOf(schemas + [gone(from: parent)]))
        }
        switch type {
        case .connection: return seen(.component(.connection))
        case .ping: return seen(.component(.ping), of: "connection_id")
        case .nominee: return seen(.component(.vaultNominee), .component(.revokedNominee), of: "vault_id")
        case .session: return seen(.component(.vaultSession), of: "vault_id")
        case .vault: return seen(.component(.vault))
        case .notification: return seen(.component(.notification))
        case .notificationsRead:
            return JSONComponent(
                name: name, schema: .object([.init("unread_count", .integer(0...1_000_000), required: true)]))
        case .alarmUndelivered:
            return JSONComponent(
                name: name,
                schema: .object([
                    .init("id", .string(.uuid), required: true, "The notification's."),
                    .init(
                        "notification", .nullable(.component(.notification)), required: true,
                        "What the person was not told; null where it is gone."),
                ]))
        case .reset: preconditionFailure("a reset says something else on a stream than to a webhook")
        }
    }

    /// What is said of a thing that is gone, or no longer the user's to see.
    private static func gone(from parent: String?) -> JSONSchema {
        let name =
            switch parent {
            case "connection_id": "GoneFromConnection"
            case "vault_id": "GoneFromVault"
            default: "Gone"
            }
        let parent = parent.map { [JSONSchema.Property($0, .string(.uuid), required: true)] } ?? []
        return .component(
            JSONComponent(
                name: name,
                schema: .object(
                    [.init("id", .string(.uuid), required: true)] + parent + [
                        .init(
                            "status", .oneOf(["deleted"]), required: true, "It is gone, or no longer the user's to see."
                        )
                    ])))
    }

    private static let revokedNominee = JSONComponent(
        name: "RevokedNominee",
        schema: .object([
            .init("id", .string(.uuid), required: true), .init("vault_id", .string(.uuid), required: true),
            .init("status", .oneOf(["revoked"]), required: true, "To the nominee, who learns no more than that."),
        ]))

    private static let eventID = JSONSchema.string(.opaque)
    private static let exampleID = JSONExample.text("1795255200000-48213-019aa5c4-2d31-7a90-b6c2-5e1f0a9d8b74")
}

extension EventType {
    /// What its schemas' names begin with.
    fileprivate var word: String {
        rawValue.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// What its data is.
    fileprivate var summary: String {
        switch self {
        case .connection: "The connection as GET /v1/connections/{id} gives it."
        case .ping: "The ping as GET /v1/pings gives it."
        case .nominee: "The nominee as GET /v1/vaults/{id}/nominees/{n} gives it, with the vault's id."
        case .session: "The session that was opened or locked."
        case .vault:
            "The vault as GET /v1/vaults/{id} gives it: its name, its settings or its owner's name have changed."
        case .notification: "The notification, new or read, as GET /v1/notifications gives it."
        case .notificationsRead: "All notifications that there were have been read."
        case .alarmUndelivered: "An alarm that reached somebody on no channel."
        case .reset: "Events were missed: what is shown has to be asked for anew."
        }
    }
}

extension JSONSchema {
    fileprivate var exampleText: String { String(decoding: example(), as: UTF8.self) }
}
