internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Pages and files that browsers and phones' operating systems request.
    static let pages: [Endpoint] = [
        Endpoint(
            operationID: "getJoinPage", method: .get, path: "/join", caller: .open,
            work: .resource(JoinPage.answer, parameters: JoinPage.parameters),
            summary: "Show the join page",
            details:
                """
                The page is for people who were invited and do not have the app yet. The tenant follows from the \
                Host header, or else from t. With join_redirects it leads to the tenant's app_link.
                """,
            area: "Pages",
            answer: .string(.text, length: 0...100_000), answerType: .html, mayRedirect: true,
            problems: [.notFound, .tenantSuspended]),
        Endpoint(
            operationID: "getInvitationPage", method: .get, path: "/i/{token}", caller: .open,
            work: .resource(InvitationPages.show, parameters: InvitationPages.parameters),
            summary: "Show the page of an invitation",
            details: "The page is for people who were invited to a vault and do not have the app yet.", area: "Pages",
            answer: .string(.text, length: 0...100_000), answerType: .html,
            problems: [.invitationInvalid, .tenantSuspended]),
        Endpoint(
            operationID: "submitInvitationForm", method: .post, path: "/i/{token}", caller: .open,
            work: .resource(InvitationPages.submit, parameters: InvitationPages.parameters),
            summary: "Submit a form of an invitation's page",
            details: "The form requests a one-time code, accepts the invitation with the code, or declines it.",
            area: "Pages", bound: Bound.oneTimeCodes,
            body: InvitationPages.fields, bodyType: .form, maximumBody: InvitationPages.maximumBody,
            answer: .string(.text, length: 0...100_000),
            answerType: .html,
            problems: [
                .invitationInvalid, .invitationExpired, .invitationUsed, .conflict, .forbidden, .tenantSuspended,
                .quotaExceeded,
            ], triesOneTimeCodes: true),
        Endpoint(
            operationID: "getOpenPage", method: .get, path: "/open", caller: .open,
            work: .resource(OpenPage.answer, parameters: OpenPage.parameters),
            summary: "Show the page behind a notification's link",
            details:
                """
                The link of an e-mail opens the app, which shows what type and id name, as about in a notification's \
                data does. Without the app, this page says where to answer. It changes nothing.
                """,
            area: "Pages",
            answer: .string(.text, length: 0...100_000), answerType: .html,
            problems: [.notFound, .tenantSuspended]),
        Endpoint(
            operationID: "getStatusPage", method: .get, path: "/status", caller: .open,
            work: .resource(StatusPage.answer, parameters: StatusPage.parameters),
            summary: "Show whether Kith watches",
            details:
                """
                The page says whether check-ins are taken, whether missed ones are noticed, whether each channel sends, \
                and which interruptions there were in the last 90 days. While the database is away, it says so.
                """,
            area: "Pages",
            answer: .string(.text, length: 0...100_000), answerType: .html,
            problems: [.notFound]),
        Endpoint(
            operationID: "getStatusFeed", method: .get, path: "/status.atom", caller: .open,
            work: .resource(StatusPage.feed, parameters: StatusPage.parameters),
            summary: "Get the interruptions as a feed",
            details: "The feed is in the Atom format.", area: "Pages",
            answer: .string(.text, length: 0...200_000), answerType: .atom,
            problems: [.notFound]),
        Endpoint(
            operationID: "getAppSiteAssociation", method: .get, path: "/.well-known/apple-app-site-association",
            caller: .open,
            work: .resource(AppSiteAssociation.answer),
            summary: "Get the associated apps of this host",
            details: "The answer says which apps open the links of this host.", area: "Pages",
            answer: .component(.appSiteAssociation),
            problems: [.notFound]),
    ]
}
