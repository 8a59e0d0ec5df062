internal import HTTP

extension Endpoint {
    /// Pages and files that browsers and phones' operating systems request.
    static let pages: [Endpoint] = [
        Endpoint(
            method: .get, path: "/join", caller: .open, work: .joinPage,
            summary: "A page for who was invited and has no app yet, of the tenant by Host or else by t", area: "Pages",
            answer: .string(.text, length: 0...100_000), answerType: .html, problems: [.notFound, .tenantSuspended]),
        Endpoint(
            method: .get, path: "/i/{token}", caller: .open, work: .invitationPage,
            summary: "A page for who has an invitation to a vault, and no app yet", area: "Pages",
            answer: .string(.text, length: 0...100_000), answerType: .html,
            problems: [.invitationInvalid, .tenantSuspended]),
        Endpoint(
            method: .post, path: "/i/{token}", caller: .open, work: .invitationForm,
            summary: "What a form of that page sends: accepting after a one-time code, or declining", area: "Pages",
            body: InvitationPages.fields, bodyType: .form, maximumBody: InvitationPages.maximumBody,
            answer: .string(.text, length: 0...100_000),
            answerType: .html,
            problems: [
                .invitationInvalid, .invitationExpired, .invitationUsed, .conflict, .forbidden, .tenantSuspended,
                .quotaExceeded,
            ]),
        Endpoint(
            method: .get, path: "/.well-known/apple-app-site-association", caller: .open,
            work: .appSiteAssociation,
            summary: "Which apps open the links of this host", area: "Pages", answer: .component(.appSiteAssociation),
            problems: [.notFound]),
    ]
}
