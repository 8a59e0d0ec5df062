internal import HTTP

extension Endpoint {
    /// Invitations to people who have no account yet.
    static let invitations: [Endpoint] = [
        Endpoint(
            operationID: "createConnectionInvitation", method: .post, path: "/v1/connection-invitations", caller: .user,
            work: .handler(.connectionInvitation),
            summary: "Invite people by phone number",
            details: "The invitation has my permanent code as a sender. One call can invite up to 1,000 people.",
            area: "Invitations",
            body: .object([
                .init(
                    "recipients", .array(of: .component(.newRecipient), count: 1...1000), required: true),
                .init("send", .boolean, "Whether Kith sends the texts. If not, I send them with sms_url."),
            ]),
            answer: .component(.connectionInvitation), success: .created,
            problems: [.profileRequired, .tooManyRequests]),
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
            body: .object([.init("outcome", .component(.invitationOutcome), required: true)]),
            answer: .component(.invitationRecipient), problems: [.notFound, .invalidTransition]),
    ]
}
