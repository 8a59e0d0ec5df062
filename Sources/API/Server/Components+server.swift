internal import Delivery
internal import JSON
internal import OpenAPI

/// Values about the server itself and for programs other than apps.
extension JSONComponent {
    static let liveness = JSONComponent(
        name: "Liveness", schema: .object([.init("status", .oneOf(["ok"]), required: true)]))

    static let openAPIDocument = JSONComponent(name: "OpenAPIDocument", schema: .anyObject)

    static let readiness: JSONComponent = {
        let seconds = JSONSchema.nullable(.integer(-1_000_000_000...1_000_000_000))
        return JSONComponent(
            name: "Readiness",
            schema: .object([
                .init("status", .oneOf(["ready"]), required: true),
                .init("worker", .component(.workerState), required: true),
                .init(
                    "oldest_run_seconds", seconds, required: true, "Seconds since the oldest run of pings became due.",
                    example: 0),
                .init(
                    "oldest_due_seconds", seconds, required: true,
                    "Seconds since the oldest due ping should have been announced.", example: 0),
                .init(
                    "oldest_miss_seconds", seconds, required: true,
                    "Seconds since the oldest missed ping should have been handled.", example: 0),
                .init(
                    "oldest_break_seconds", seconds, required: true,
                    "Seconds since the oldest beginning or end of a break that has not been handled.", example: 0),
                .init(
                    "oldest_alarm_seconds", seconds, required: true,
                    "Seconds since the oldest step of an alarm, such as a repeat, should have been told.", example: 0),
                .init(
                    "oldest_unplanned_seconds", seconds, required: true,
                    "Seconds since the oldest notification should have been planned.",
                    example: 0),
                .init(
                    "oldest_delivery_seconds", seconds, required: true,
                    "Seconds since the oldest delivery should have been sent.", example: 0),
                .init(
                    "oldest_set_aside_seconds", seconds, required: true,
                    "Seconds for which the worker has been unable to process the oldest row that it has set aside.",
                    example: 0),
                .init(
                    "worker_beat_seconds", seconds, required: true, "Seconds since the worker's last heartbeat.",
                    example: 3),
                .init("partitions_ahead_days", seconds, required: true, example: 60),
                .init("schema_version", seconds, required: true, "The newest migration that was applied.", example: 14),
            ]))
    }()

    static let export: JSONComponent = {
        let many = JSONSchema.array(of: .anyObject, count: 0...100_000_000)
        return JSONComponent(
            name: "Export",
            schema: .object([
                .init(
                    "account", .anyObject, required: true,
                    "The profile with all its settings, and the profiles for a role that have ended."),
                .init("connections", many, required: true),
                .init("pings", many, required: true),
                .init("check_ins", many, required: true),
                .init("alarms", many, required: true, "Alarms of mine, and those that I was told of."),
                .init("questions", many, required: true, "Questions \"Are you OK?\" that I asked or was asked."),
                .init("notifications", many, required: true),
                .init("connection_invitations", many, required: true),
                .init("vaults", many, required: true, "Vaults I own or am a nominee of."),
                .init(
                    "nominees", many, required: true,
                    "Nominees of my vaults, and my own entries as a nominee in others' vaults."),
                .init("messages", many, required: true),
                .init("vault_history", many, required: true, "History of the vaults I own."),
                .init(
                    "documents", many, required: true,
                    "Documents of the vaults I own, including deleted ones, without their contents."),
                .init("shares", many, required: true, "Shares of the vaults I own, including ended ones."),
                .init("transfers", many, required: true, "Transfers of vaults that I have offered."),
                .init("emergency_rights", many, required: true, "Emergency access that I have given."),
                .init("emergency_quorums", many, required: true, "Quorums of the vaults I own."),
                .init(
                    "emergency_requests", many, required: true,
                    "Requests for emergency access to the vaults I own, and my own requests."),
                .init("feedback", many, required: true, "What I have said about invitations, shares and the app."),
                .init("care_card", .component(.ownCareCard), required: true, "With the place that I gave last."),
            ]))
    }()
}
