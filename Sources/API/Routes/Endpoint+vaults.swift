internal import HTTP

extension Endpoint {
    /// Vaults and their sessions.
    static let vaults: [Endpoint] = [
        Endpoint(
            operationID: "createVault", method: .post, path: "/v1/vaults", caller: .user,
            work: .procedure(.write("api.create_vault", .body, .now)),
            summary: "Create a vault", area: "Vaults",
            body: .object([.init("name", vaultName, required: true, example: "Family papers")] + vaultSettings),
            answer: .component(.vault), success: .created, problems: [.quotaExceeded]),
        Endpoint(
            operationID: "listVaults", method: .get, path: "/v1/vaults", caller: .user,
            work: .procedure(
                .read(
                    "api.list_vaults",
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
            summary: "Update a vault's name and settings", area: "Vaults",
            body: .object([.init("name", vaultName, example: "Family papers")] + vaultSettings),
            answer: .component(.vault), problems: nominee),
        Endpoint(
            operationID: "deleteVault", method: .delete, path: "/v1/vaults/{id}", caller: .user,
            work: .procedure(.write("api.delete_vault", .path("id", .uuid), .now)),
            summary: "Delete a vault", details: "It can be restored for 30 days.", area: "Vaults", success: .noContent,
            problems: nominee),
        act("restoreVault", "restore", "api.restore_vault", "Restore a deleted vault", .vault, [.invalidTransition]),
        Endpoint(
            operationID: "openVault", method: .post, path: "/v1/vaults/{id}/open", caller: .user,
            work: .procedure(.write("api.open_vault", .path("id", .uuid), .now)),
            summary: "Open a vault", details: "Starts a session, or joins the session that is open.", area: "Vaults",
            answer: .component(.vaultSession),
            success: .created, successIfThere: .ok, problems: nominee + [.vaultLocked]),
        act("lockVault", "lock", "api.lock_vault", "Lock a vault for everybody", .vaultSession, [.invalidTransition]),
        act(
            "recordVaultActivity", "activity", "api.note_vault_activity", "Record activity in a vault", .vaultSession,
            [.vaultLocked],
            details: "The vault stays open for another 30 minutes."),
        Endpoint(
            operationID: "listVaultHistory", method: .get, path: "/v1/vaults/{id}/history", caller: .user,
            work: .handler(.vaultHistory, arguments: [.path("id", .uuid), .limit, .cursor(.uuid), .now]),
            summary: "List a vault's history, newest first",
            details: "A client that accepts text/csv instead of JSON gets the whole history.", area: "Vaults",
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
        _ problems: [ProblemCode],
        details: String? = nil
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: .post, path: "/v1/vaults/{id}/\(verb)", caller: .user,
            work: .procedure(.write(procedure, .path("id", .uuid), .now)), summary: summary, details: details,
            area: "Vaults",
            answer: .component(answer), problems: nominee + problems)
    }
}
