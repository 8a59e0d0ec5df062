internal import JSON
internal import LiveEvents
internal import OpenAPI

/// The events of a user's stream and of a tenant's webhooks.
extension JSONComponent {
    /// An event of `GET /v1/events`. Its member `event` is the type.
    static let streamEvent = JSONComponent(
        name: "StreamEvent", schema: .union(EventType.streamed.map { .component(streamEvent(of: $0)) }, tag: "event"))

    /// An event of a webhook. Its member `type` is the type.
    static let webhookEvent = JSONComponent(
        name: "WebhookEvent", schema: .union(EventType.allCases.map { .component(webhookEvent(of: $0)) }, tag: "type"))

    /// The body of a request to a webhook.
    static let webhookBatch = JSONComponent(
        name: "WebhookBatch",
        schema: .object([
            .init("type", .oneOf(["events"]), required: true),
            .init("timestamp", .string(.instant), required: true, "When the batch was made."),
            .init("data", .component(.webhookBatchData), required: true),
        ]))

    static let webhookBatchData = JSONComponent(
        name: "WebhookBatchData",
        schema: .object([
            .init(
                "events", .array(of: .component(.webhookEvent), count: 1...101), required: true,
                "In the order in which they happened.")
        ]))

    private static let resetStreamEventData = JSONComponent(
        name: "ResetStreamEventData",
        schema: .object([
            .init(
                "reason", .component(.resetReason), required: true,
                "too_old if the events after that id have expired; unknown if the id comes from another database.")
        ]))

    private static let resetWebhookEventData = JSONComponent(
        name: "ResetWebhookEventData",
        schema: .object([
            .init("since", .string(.instant), required: true, "Nothing was missed up to this instant.")
        ]))

    private static func streamEvent(of type: EventType) -> JSONComponent {
        let data = JSONSchema.component(type == .reset ? resetStreamEventData : data(of: type))
        return JSONComponent(
            name: "\(type.word)StreamEvent",
            schema: .object([
                .init(
                    "id", eventID, required: true, "Send it as Last-Event-ID to continue after this event.",
                    example: exampleID),
                .init("event", .oneOf([type.rawValue]), required: true),
                .init("data", data, required: true, type.summary, example: .json(data.exampleText)),
            ]))
    }

    private static func webhookEvent(of type: EventType) -> JSONComponent {
        let data: JSONSchema =
            type == .reset ? .component(resetWebhookEventData) : .nullable(.component(data(of: type)))
        let isOfUser = type != .reset && type != .apiKey && type != .account
        let user =
            switch type {
            case .reset, .apiKey: "Null."
            case .account: "The user whose screens show the account; null if the account was deleted."
            default:
                """
                The user to show the event to; data describes things from this user's side. For an alarm, the user it \
                did not reach.
                """
            }
        return JSONComponent(
            name: "\(type.word)WebhookEvent",
            schema: .object([
                .init(
                    "id", eventID, required: true, "The same when the event is sent again.", example: exampleID),
                .init("type", .oneOf([type.rawValue]), required: true),
                .init(
                    "user_id", isOfUser ? .string(.uuid) : .nullable(.string(.uuid)), required: true,
                    user,
                    example: isOfUser || type == .account ? nil : .null),
                .init("created_at", .string(.instant), required: true, "When it happened."),
                .init(
                    "data", data, required: true,
                    type == .reset ? type.summary : "\(type.summary) Null if it is no longer available.",
                    example: .json(data.exampleText)),
            ]))
    }

    private static func data(of type: EventType) -> JSONComponent {
        let name = "\(type.word)EventData"
        func seen(_ schemas: JSONSchema..., of parent: String? = nil) -> JSONComponent {
            JSONComponent(name: name, schema: .union(schemas + [gone(from: parent)]))
        }
        switch type {
        case .account: return seen(.component(.user))
        case .connection: return seen(.component(.connection))
        case .ping: return seen(.component(.ping), of: "connection_id")
        case .nominee: return seen(.component(.vaultNominee), .component(.revokedNominee), of: "vault_id")
        case .session: return seen(.component(.vaultSession), of: "vault_id")
        case .vault: return seen(.component(.vault))
        case .document: return seen(.component(.document), .component(.lockedDocument), of: "vault_id")
        case .message: return seen(.component(.vaultMessage), of: "nominee_id")
        case .conversation: return seen(.component(.identifiedConversation), of: "vault_id")
        case .emergencyRequest: return seen(.component(.emergencyRequest), of: "vault_id")
        case .invitation: return seen(.component(.ownInvitation))
        case .alarm: return seen(.component(.changedAlarm))
        case .notification: return seen(.component(.notification))
        case .notificationsRead:
            return JSONComponent(
                name: name, schema: .object([.init("unread_count", .integer(0...1_000_000), required: true)]))
        case .alarmUndelivered:
            return JSONComponent(
                name: name,
                schema: .object([
                    .init("id", .string(.uuid), required: true, "The notification's id."),
                    .init(
                        "notification", .nullable(.component(.notification)), required: true,
                        "The notification that was not delivered; null if it no longer exists."),
                ]))
        case .apiKey: return seen(.component(.apiKey))
        case .reset: preconditionFailure("a reset says something else on a stream than to a webhook")
        }
    }

    /// The data for a thing that is gone, or that the user may no longer see.
    private static func gone(from parent: String?) -> JSONSchema {
        let name =
            switch parent {
            case "connection_id": "GoneFromConnection"
            case "vault_id": "GoneFromVault"
            case "nominee_id": "GoneFromNominee"
            default: "Gone"
            }
        let parent = parent.map { [JSONSchema.Property($0, .string(.uuid), required: true)] } ?? []
        return .component(
            JSONComponent(
                name: name,
                schema: .object(
                    [.init("id", .string(.uuid), required: true)] + parent + [
                        .init(
                            "status", .oneOf(["deleted"]), required: true,
                            "The thing is gone, or the user may no longer see it."
                        )
                    ])))
    }

    private static let revokedNominee = JSONComponent(
        name: "RevokedNominee",
        schema: .object([
            .init("id", .string(.uuid), required: true), .init("vault_id", .string(.uuid), required: true),
            .init("status", .oneOf(["revoked"]), required: true, "All that a revoked nominee gets to see."),
        ]))

    private static let lockedDocument = JSONComponent(
        name: "LockedDocument",
        schema: .object([
            .init("id", .string(.uuid), required: true), .init("vault_id", .string(.uuid), required: true),
            .init(
                "status", .oneOf(["locked"]), required: true,
                "The document was changed, and its vault has been locked since. A locked vault shows nothing more."),
        ]))

    private static let eventID = JSONSchema.string(.opaque)
    private static let exampleID = JSONExample.text("1795255200000-48213-019aa5c4-2d31-7a90-b6c2-5e1f0a9d8b74")
}

extension EventType {
    /// The prefix of its schemas' names.
    fileprivate var word: String {
        rawValue.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The description of the event's data.
    fileprivate var summary: String {
        switch self {
        case .account:
            """
            The account, as GET /v1/me returns it. It, or something else that only this user sees, has changed: a \
            profile, a code, the subscription, the break, a device, a block, quiet hours, preferences, or an \
            invitation to connect. Load what the screen shows of these.
            """
        case .connection: "The connection, as GET /v1/connections/{id} returns it."
        case .ping: "The ping, as GET /v1/pings returns it."
        case .nominee: "The nominee, as GET /v1/vaults/{id}/nominees/{n} returns it, with the vault's id."
        case .session: "The session that was opened or locked."
        case .vault:
            """
            The vault, as GET /v1/vaults/{id} returns it. It is new or restored, or its name, its settings, its \
            transfer, its share or its owner's name have changed.
            """
        case .document:
            """
            The document, as GET /v1/vaults/{id}/documents/{doc} returns it, for the vault's owner and the nominees \
            inside. It was added, changed, deleted or restored.
            """
        case .message:
            """
            The new message, as GET /v1/vaults/{id}/nominees/{n}/messages returns it, with the vault's and the \
            nominee's id. The writer gets it too, for their other devices.
            """
        case .conversation:
            """
            The conversation, as GET /v1/conversations returns it, with the nominee's id. One side has read its \
            messages; both get the event.
            """
        case .emergencyRequest:
            """
            The request, as GET /v1/vaults/{id}/emergency/requests/{r} returns it, for the vault's owner and the \
            nominee. Somebody has asked, decided or withdrawn, the wait has begun or moved, or the grant has begun \
            or ended.
            """
        case .invitation:
            """
            The invitation or offer, as GET /v1/me/invitations returns it. It has come, has changed, or waits no \
            longer.
            """
        case .alarm:
            """
            The alarm, as GET /v1/alarms/{id} returns it, with what has changed. Its sender and everybody who was \
            told get it, and the tenant's server, so that a desk can work alarms.
            """
        case .notification: "The notification, new or read, as GET /v1/notifications returns it."
        case .notificationsRead: "All notifications were marked as read."
        case .alarmUndelivered: "An alarm that no channel delivered."
        case .apiKey:
            """
            The secret API key, as GET /v1/tenant/api-keys returns it. An operator has made it; with the scope \
            tokens or all it can act for every user.
            """
        case .reset: "Events were missed. Load everything on the screen again."
        }
    }
}

extension JSONSchema {
    fileprivate var exampleText: String { String(decoding: example(), as: UTF8.self) }
}
