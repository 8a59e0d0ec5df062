internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The import of what an app has had elsewhere.
    static let imports: [Endpoint] = [
        Endpoint(
            operationID: "importItems", method: .post, path: "/v1/tenant/import", caller: .key(scope: .users),
            work: .handler(LineImport.answerItems),
            summary: "Import users, codes, connections, vaults, nominees and subscriptions",
            details:
                """
                The body has one item on each line, and the answer one result on each line. A line has at most 16 \
                KiB. A line names users, vaults and nominees by their external_id, and only those of earlier lines \
                or imports. Nobody is notified, and codes that people know keep working. Send the users that have \
                codes, then the lines of kind code, before all other lines: Kith makes a random code for every \
                sender and receiver without one, and a code that is taken is refused. A subscription that had lapsed \
                before the import tells nobody, and its pings stop when the grace period after the lapse is over. A \
                later lapse is told like any other. An import can be sent again: subscriptions are updated, a user \
                gets the name and the contacts that they lack, and everything else that exists stays as it is. A \
                nominee whom an import would let in against what people have done here since (a block, a \
                revocation, a transfer of the vault) is a conflict, and so is a user whose account was deleted here. \
                A body has at most 10,000 lines, or 1,000 with an Idempotency-Key, which makes the import \
                one transaction.
                """,
            area: "Tenant", bound: Bound.newUsers,
            body: .component(.importItem), bodyType: .jsonLines, maximumBody: LineImport.maximumBody,
            answer: .component(.importResult), answerType: .jsonLines, repeatRight: .sight)
    ]
}
