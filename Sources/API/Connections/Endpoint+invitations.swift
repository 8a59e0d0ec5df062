internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Invitations to people who have no account yet.
    static let invitations: [Endpoint] = [
        Endpoint(
            operationID: "createConnectionInvitation", method: .post, path: "/v1/connection-invitations", caller: .user,
            work: .handler(ConnectionInviting.answer),
            summary: "Invite people by phone number",
            details: "The invitation has my permanent code as a sender. One call can invite up to 1,000 people.",
            area: "Invitations", bound: "2,000 people invited per user in 24 hours. Invitations are kept for 90 days.",
            body: .object([
                .init(
                    "recipients", .array(of: .component(.newRecipient), count: 1...1000), required: true),
                .init("send", .boolean, "Whether Kith sends the texts. If not, I send them with sms_url."),
            ]),
            answer: .component(.connectionInvitation), success: .created,
            repeatRight: .sender, problems: [.profileRequired, .tooManyRequests]),
        Endpoint(
            operationID: "listConnectionInvitations", method: .get, path: "/v1/connection-invitations", caller: .user,
            work: .procedure(.read("api.list_connection_invitations", .limit, .cursor(.uuid))),
            summary: "List my invitations, newest first", area: "Invitations",
            answer: .list(of: .connectionInvitationSummary)),
        Endpoint(
            operationID: "getConnectionInvitation", method: .get, path: "/v1/connection-invitations/{id}",
            caller: .user,
            work: .procedure(.read("api.get_connection_invitation", .path("id", .uuid))),
            summary: "Get an invitation with its recipients", area: "Invitations",
            answer: .component(.connectionInvitation), problems: [.notFound]),
        Endpoint(
            operationID: "reportInvitationOutcome", method: .patch,
            path: "/v1/connection-invitations/{id}/recipients/{n}", caller: .user,
            work: .procedure(
                .write(
                    "api.report_invitation_outcome", .path("id", .uuid), .path("n", .number), .member("outcome"), .now)),
            summary: "Report the outcome of an invitation's text message",
            details: "The phone's message composer reports the outcome for one recipient.", area: "Invitations",
            bound: Bound.changes,
            body: .object([.init("outcome", .component(.invitationOutcome), required: true)]),
            answer: .component(.invitationRecipient), problems: [.notFound, .invalidTransition]),
        Endpoint(
            operationID: "reportGroupInvitationOutcome", method: .patch,
            path: "/v1/connection-invitations/{id}/recipients", caller: .user,
            work: .procedure(.write("api.report_invitation_outcomes", .path("id", .uuid), .body, .now)),
            summary: "Report the outcome of one text message to several recipients",
            details:
                """
                The phone's message composer reports one outcome for all. Recipients to whom a text was sent, is on \
                its way, or cannot be sent stay as they are.
                """,
            area: "Invitations", bound: Bound.changes,
            body: .object([
                .init("outcome", .component(.invitationOutcome), required: true),
                .init(
                    "recipients", .array(of: .integer(1...1000), count: 1...1000),
                    "The positions of the recipients. All of them by default."),
            ]),
            answer: .component(.connectionInvitation), problems: [.notFound]),
    ]
}
