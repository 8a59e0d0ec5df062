internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Shares: links of vaults to external sharing services, such as CloudKit.
    static let shares: [Endpoint] = [
        Endpoint(
            operationID: "setVaultShare", method: .put, path: "/v1/vaults/{id}/share", caller: .user,
            work: .procedure(.write("api.put_share", .path("id", .uuid), .body, .now)),
            summary: "Create or update a vault's share", details: "Repeating the call changes nothing.", area: "Shares",
            bound: "\(Bound.changes) 1,000 shares per vault ever.",
            body: .object([
                .init(
                    "record_name", .string(.opaque, length: 1...255),
                    """
                    The name of the vault's record in the sharing service. The default is CD_Vault_ and the vault's \
                    id.
                    """,
                    example: JSONComponent.recordName),
                .init(
                    "url", .nullable(.string(.line, length: 9...2000)),
                    "The https URL at which the service shows the share.",
                    example: "https://share.example.com/0f8Kq2"),
            ]),
            answer: .component(.share), problems: nominee + [.quotaExceeded]),
        Endpoint(
            operationID: "getVaultShare", method: .get, path: "/v1/vaults/{id}/share", caller: .user,
            work: .procedure(.read("api.get_share", .path("id", .uuid), .now)),
            summary: "Get a vault's share", area: "Shares", answer: .component(.share),
            problems: nominee),
        Endpoint(
            operationID: "deleteVaultShare", method: .delete, path: "/v1/vaults/{id}/share", caller: .user,
            work: .procedure(.write("api.delete_share", .path("id", .uuid), .now)),
            summary: "End a vault's share",
            details: "Of the share's nominees, those who have also accepted an invitation stay.",
            area: "Shares", bound: Bound.ending, success: .noContent, problems: nominee),
        Endpoint(
            operationID: "syncShareParticipants", method: .put, path: "/v1/vaults/{id}/share/participants",
            caller: .user,
            work: .procedure(.write("api.synchronise_share", .path("id", .uuid), .body, .now)),
            summary: "Synchronise a share's participants",
            details:
                """
                The sharing service's participants become nominees. Participants that the body leaves out stay as \
                they are.
                """,
            area: "Shares",
            bound: Bound.changes
                + " 4,000 participants added or changed per user per UTC day. The limits on a vault's nominees apply.",
            body: .object([
                .init(
                    "participants",
                    .array(of: .component(.shareParticipant), count: 0...1000), required: true)
            ]),
            answer: .component(.shareSynchronisation), problems: nominee + [.quotaExceeded]),
        Endpoint(
            operationID: "listShares", method: .get, path: "/v1/shares", caller: .user,
            work: .procedure(.read("api.list_shares", .limit, .cursor(.uuid))),
            summary: "List the shares of my vaults", area: "Shares", answer: .list(of: .share)),
        Endpoint(
            operationID: "getShareUsage", method: .get, path: "/v1/shares/usage", caller: .user,
            work: .procedure(.read("api.share_usage")),
            summary: "Count the invitations to my vaults and the offers of them",
            details: "The counts are by channel and outcome.",
            area: "Shares",
            answer: .component(.shareUsage)),
        Endpoint(
            operationID: "updateShare", method: .patch, path: "/v1/shares/{id}", caller: .user,
            work: .procedure(.write("api.change_share", .path("id", .uuid), .member("permission"), .now)),
            summary: "Set the highest permission that a share gives",
            details: "If it is lowered to readOnly, the share's nominees can only view.", area: "Shares",
            bound: Bound.changes,
            body: .object([.init("permission", .component(.sharePermission), required: true)]),
            answer: .component(.share), problems: [.notFound]),
        Endpoint(
            operationID: "reportMissingShare", method: .post, path: "/v1/shares/{id}/missing", caller: .user,
            work: .procedure(.write("api.report_missing_share", .path("id", .uuid), .now)),
            summary: "Report that the sharing service has lost a share's record",
            details:
                "The share ends, and nobody loses access. The vault's next share takes over its participants.",
            area: "Shares", bound: Bound.changes, success: .noContent, repeatRight: .sight, problems: [.notFound]),
        Endpoint(
            operationID: "deleteShare", method: .delete, path: "/v1/shares/{id}", caller: .user,
            work: .procedure(.write("api.end_share", .path("id", .uuid), .now)),
            summary: "End a share", details: "This has the same effect as ending the vault's share.", area: "Shares",
            bound: Bound.ending,
            success: .noContent, problems: [.notFound]),
    ]
}
