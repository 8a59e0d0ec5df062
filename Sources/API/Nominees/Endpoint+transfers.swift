internal import Delivery
internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Transfers of a vault's ownership. The recipient accepts by token, like a nominee.
    static let transfers: [Endpoint] = [
        Endpoint(
            operationID: "createTransfer", method: .post, path: "/v1/vaults/{id}/transfer", caller: .user,
            work: .procedure(.write("api.create_transfer", .path("id", .uuid), .body, .publicURL, .now)),
            summary: "Offer a vault to somebody",
            details:
                """
                The body names the recipient, with or without a contact, or gives the id of one of the vault's \
                nominees. A vault can have one pending transfer at a time.
                """,
            area: "Transfers", bound: "10 offers per vault in 24 hours, one at a time.",
            body: .object([
                .init("name", .string(.line, length: 1...100), "Required unless nominee_id is given."),
                .init(
                    "phone", .nullable(.string(.writtenPhone)),
                    """
                    If a phone number or e-mail address is given, the recipient must have it as a verified contact \
                    to accept.
                    """
                ),
                .init("email", .nullable(.string(.email))),
                .init(
                    "nominee_id", .string(.uuid),
                    """
                    A nominee of the vault who has accepted, instead of name, phone and email. Only that person can \
                    accept.
                    """,
                    example: .leftOut),
                channel,
                .init(
                    "keep_access", .boolean, required: true,
                    "Whether I become a nominee with access level full. Otherwise I lose access."),
            ]),
            answer: .component(.offeredTransfer), success: .created, answerHoldsSecret: true,
            repeatRight: .vault(.owner), problems: nominee + [.conflict, .invalidTransition, .tooManyRequests]),
        Endpoint(
            operationID: "getTransfer", method: .get, path: "/v1/vaults/{id}/transfer", caller: .user,
            work: .procedure(.read("api.get_transfer", .path("id", .uuid), .now)),
            summary: "Get a vault's pending transfer", area: "Transfers", answer: .component(.transfer),
            problems: nominee),
        Endpoint(
            operationID: "resendTransfer", method: .post, path: "/v1/vaults/{id}/transfer/resend", caller: .user,
            work: .procedure(
                .write("api.resend_transfer", .path("id", .uuid), .member("channel"), .publicURL, .now)),
            summary: "Resend the invitation to a vault's pending transfer",
            details: "Creates a new invitation. The old one becomes invalid, and the offer lasts as long as a new one.",
            area: "Transfers", bound: "5 times per transfer in 24 hours, 400 times per user per UTC day.",
            body: .object([channel]), answer: .component(.offeredTransfer), answerHoldsSecret: true,
            repeatRight: .vault(.owner), problems: nominee + [.tooManyRequests]),
        Endpoint(
            operationID: "reportTransferInvitationOutcome", method: .patch,
            path: "/v1/vaults/{id}/transfer/invitation", caller: .user,
            work: .procedure(
                .write("api.report_transfer_invitation", .path("id", .uuid), .member("outcome"), .now)),
            summary: "Report the outcome of a transfer's invitation message",
            details: "The phone's message composer reports the outcome.", area: "Transfers", bound: Bound.changes,
            body: .object([.init("outcome", .component(.invitationOutcome), required: true)]),
            answer: .component(.transfer), problems: nominee + [.invalidTransition]),
        Endpoint(
            operationID: "cancelTransfer", method: .delete, path: "/v1/vaults/{id}/transfer", caller: .user,
            work: .procedure(.write("api.cancel_transfer", .path("id", .uuid), .now)),
            summary: "Cancel a vault's pending transfer", area: "Transfers", bound: Bound.ending, success: .noContent,
            problems: nominee),
    ]
}
