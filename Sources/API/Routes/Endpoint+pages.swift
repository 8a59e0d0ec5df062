internal import HTTP

extension Endpoint {
    /// What a browser, or a phone's operating system, asks for by itself.
    static let pages: [Endpoint] = [
        Endpoint(
            method: .get, path: "/join", caller: .open, work: .joinPage,
            summary: "A page for who was invited and has no app yet, of the tenant by Host or else by t", area: "Pages",
            answer: .string(.text, length: 0...100_000), answerType: .html, problems: [.notFound, .tenantSuspended]),
        Endpoint(
            method: .get, path: "/.well-known/apple-app-site-association", caller: .open,
            work: .appSiteAssociation,
            summary: "Which apps open the links of this host", area: "Pages", answer: .component(.appSiteAssociation),
            problems: [.notFound]),
    ]
}
