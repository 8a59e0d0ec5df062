/// What the server answers of itself, and to other programs than apps.
extension JSONComponent {
    static let readiness: JSONComponent = {
        let seconds = JSONSchema.nullable(.integer(-1_000_000_000...1_000_000_000))
        return JSONComponent(
            name: "Readiness",
            schema: .object([
                .init("status", .oneOf(["ready"]), required: true),
                .init("worker", .oneOf(["on time", "late"]), required: true),
                .init("oldest_run_seconds", seconds, required: true, "Since when a run of pings waits.", example: 0),
                .init("oldest_due_seconds", seconds, required: true, "Since when somebody is to be asked.", example: 0),
                .init("oldest_miss_seconds", seconds, required: true, "Since when a miss is to be told.", example: 0),
                .init("oldest_break_seconds", seconds, required: true, "The same of breaks.", example: 0),
                .init(
                    "oldest_unplanned_seconds", seconds, required: true, "The same of what people are to be told.",
                    example: 0),
                .init("oldest_delivery_seconds", seconds, required: true, "The same of deliveries.", example: 0),
                .init(
                    "worker_beat_seconds", seconds, required: true, "Since the worker's last sign of life.", example: 3),
                .init("partitions_ahead_days", seconds, required: true, example: 60),
                .init("schema_version", seconds, required: true, "The newest migration.", example: 14),
            ]))
    }()

    static let export: JSONComponent = {
        let many = JSONSchema.array(of: .anyObject, count: 0...100_000_000)
        return JSONComponent(
            name: "Export",
            schema: .object([
                .init("account", .anyObject, required: true, "The profile with everything that is set in it."),
                .init("connections", many, required: true),
                .init("pings", many, required: true),
                .init("check_ins", many, required: true),
                .init("notifications", many, required: true),
                .init("connection_invitations", many, required: true),
                .init("vaults", many, required: true, "Those I own, and those I am a nominee of."),
                .init("nominees", many, required: true, "Those of my vaults, and what I am in vaults of others."),
                .init("messages", many, required: true),
                .init("vault_history", many, required: true, "Of the vaults I own."),
                .init("documents", many, required: true, "Of the vaults I own, deleted too; without contents."),
                .init("shares", many, required: true, "Of the vaults I own, ended ones too."),
                .init("transfers", many, required: true, "The vaults that I have offered to others."),
            ]))
    }()

    /// Apple, "Supporting associated domains".
    static let appSiteAssociation = JSONComponent(
        name: "AppSiteAssociation",
        schema: .object([
            .init("applinks", .anyObject, required: true, "Which links the apps open."),
            .init("webcredentials", .anyObject, required: true, "Which apps share the host's passwords."),
        ]))
}
