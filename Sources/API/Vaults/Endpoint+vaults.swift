internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Vaults and their sessions.
    static let vaults: [Endpoint] = [
        Endpoint(
            operationID: "createVault", method: .post, path: "/v1/vaults", caller: .user,
            work: .procedure(.write("api.create_vault", .body, .now)),
            summary: "Create a vault", area: "Vaults",
            bound: "\(Bound.changes) 200 vaults per user, and as many deleted ones.",
            body: .object([.init("name", vaultName, required: true, example: "Family papers")] + vaultSettings),
            answer: .component(.vault), success: .created, repeatRight: .vault(.owner), problems: [.quotaExceeded]),
        Endpoint(
            operationID: "listVaults", method: .get, path: "/v1/vaults", caller: .user,
            work: .procedure(
                .read(
                    "api.list_vaults",
                    .query("role", .component(.vaultRole), "Only vaults in which I have this role."),
                    .query("deleted", .boolean, "Lists my deleted vaults that can be restored instead."),
                    .limit, .cursor(.uuid), .now)),
            summary: "List the vaults I own or am a nominee of", area: "Vaults", answer: .list(of: .vault)),
        Endpoint(
            operationID: "getVault", method: .get, path: "/v1/vaults/{id}", caller: .user,
            work: .procedure(.read("api.get_vault", .path("id", .uuid), .now)),
            summary: "Get a vault", area: "Vaults", answer: .component(.vault), problems: nominee),
        Endpoint(
            operationID: "updateVault", method: .patch, path: "/v1/vaults/{id}", caller: .user,
            work: .procedure(.write("api.update_vault", .path("id", .uuid), .body, .now)),
            summary: "Update a vault's name and settings", area: "Vaults", bound: Bound.broadcasts,
            body: .object([.init("name", vaultName, example: "Family papers")] + vaultSettings),
            answer: .component(.vault), problems: nominee),
        Endpoint(
            operationID: "deleteVault", method: .delete, path: "/v1/vaults/{id}", caller: .user,
            work: .procedure(.write("api.delete_vault", .path("id", .uuid), .now)),
            summary: "Delete a vault", details: "It can be restored for 30 days.", area: "Vaults", bound: Bound.ending,
            success: .noContent,
            problems: nominee),
        act(
            "restoreVault", "restore", "api.restore_vault", "Restore a deleted vault", .vault,
            [.invalidTransition, .quotaExceeded],
            bound: Bound.broadcasts, right: .owner),
        Endpoint(
            operationID: "openVault", method: .post, path: "/v1/vaults/{id}/open", caller: .user,
            work: .procedure(.write("api.open_vault", .path("id", .uuid), .now)),
            summary: "Open a vault", details: "Starts a session, or joins the session that is open.", area: "Vaults",
            bound: "100 openings per vault and user in 24 hours.",
            answer: .component(.vaultSession),
            success: .created, successIfThere: .ok, repeatRight: .vault(.open), problems: nominee + [.vaultLocked]),
        act(
            "lockVault", "lock", "api.lock_vault", "Lock a vault for everybody", .vaultSession, [.invalidTransition],
            bound: Bound.ending, right: .lock),
        act(
            "recordVaultActivity", "activity", "api.note_vault_activity", "Record activity in a vault", .vaultSession,
            [.vaultLocked], bound: "None. Activity is recorded once per minute, in place.", right: .view,
            details: "The vault stays open for another 30 minutes."),
        Endpoint(
            operationID: "listVaultHistory", method: .get, path: "/v1/vaults/{id}/history", caller: .user,
            work: .handler(
                VaultHistory.answer,
                arguments: [
                    .path("id", .uuid),
                    .query("action", .several(.vaultAction), "Only these actions."),
                    .query("from", .text(.instant), "Only events at or after this instant."),
                    .query("until", .text(.instant), "Only events before this instant."),
                    .limit, .cursor(.uuid), .now,
                ]),
            summary: "List a vault's history, newest first",
            details:
                "A client that accepts text/csv instead of JSON gets every matching event.",
            area: "Vaults",
            answer: .list(of: .vaultEvent), otherAnswerType: .csv, problems: nominee),
    ]

    /// The reasons why an invited person is refused access.
    static let nominee: [ProblemCode] = [.notFound, .forbidden, .nomineePending, .nomineeInactive, .nomineeRevoked]

    static let vaultName = JSONSchema.string(.line, length: 1...200)

    private static let vaultSettings: [JSONSchema.Property] = [
        .init(
            "require_confirmation", .boolean, "Whether I must confirm each accepted invitation before it gives access."),
        .init("full_may_open", .boolean, "Whether nominees with access level full may open the vault too."),
    ]

    private static func act(
        _ operationID: String, _ verb: String, _ procedure: String, _ summary: String, _ answer: JSONComponent,
        _ problems: [ProblemCode], bound: String, right: RepeatRight.Vault,
        details: String? = nil
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: .post, path: "/v1/vaults/{id}/\(verb)", caller: .user,
            work: .procedure(.write(procedure, .path("id", .uuid), .now)), summary: summary, details: details,
            area: "Vaults", bound: bound,
            answer: .component(answer), repeatRight: .vault(right), problems: nominee + problems)
    }
}
