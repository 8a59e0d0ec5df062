internal import HTTP

extension Endpoint {
    /// Transfers of a vault's ownership. The recipient accepts by token, like a nominee.
    static let transfers: [Endpoint] = [
        Endpoint(
            operationID: "createTransfer", method: .post, path: "/v1/vaults/{id}/transfer", caller: .user,
            work: .procedure(.write("api.create_transfer", .path("id", .uuid), .body, .publicURL, .now)),
            summary: "Offer a vault to somebody", details: "A vault can have one pending transfer at a time.",
            area: "Transfers",
            body: .object([
                .init("name", .string(.line, length: 1...100), required: true),
                .init(
                    "phone", .nullable(.string(.phone)),
                    "If a phone number or e-mail address is given, the recipient must have it as a verified contact to accept."
                ),
                .init("email", .nullable(.string(.email))),
                .init(
                    "keep_access", .boolean, required: true,
                    "Whether I become a nominee with access level full. Otherwise I lose access."),
            ]),
            answer: .component(.offeredTransfer), success: .created, answerHoldsSecret: true,
            problems: nominee + [.conflict, .tooManyRequests]),
        Endpoint(
            operationID: "getTransfer", method: .get, path: "/v1/vaults/{id}/transfer", caller: .user,
            work: .procedure(.read("api.get_transfer", .path("id", .uuid), .now)),
            summary: "Get a vault's pending transfer", area: "Transfers", answer: .component(.transfer),
            problems: nominee),
        Endpoint(
            operationID: "cancelTransfer", method: .delete, path: "/v1/vaults/{id}/transfer", caller: .user,
            work: .procedure(.write("api.cancel_transfer", .path("id", .uuid), .now)),
            summary: "Cancel a vault's pending transfer", area: "Transfers", success: .noContent,
            problems: nominee),
    ]
}
