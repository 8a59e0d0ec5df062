internal import HTTP
internal import Identity
internal import JSON
internal import NetworkAddresses
internal import Pages
internal import Problems
internal import Requests
internal import Web

/// A request of a page's module: for the events, or for the session data with which it sends a kept check-in.
struct LiveVisit {
    let site: SiteServer
    let request: HTTPRequest
    let session: BrowserSessions.Session
    let client: NetworkAddress?

    /// The stream of events, as ``EventStreaming`` makes it for apps.
    func events() async throws(Problem) -> HTTPResponse {
        try await site.call(.get("/v1/events"), for: request, as: .person(session), client: client)
    }

    /// Who is signed in, a token for a form, and the server's clock in milliseconds since 1970.
    func identity() throws(Problem) -> HTTPResponse {
        var json = JSONWriter()
        let token = try FormToken(of: session, site.services.masterKey)
        json.object { json in
            json.field("user", session.caller.user)
            json.field("token", token.text)
            json.field("now", Int(request.receivedAt / 1000))
        }
        return HTTPResponse(
            .ok,
            headers: [
                "Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
            ], body: json.bytes)
    }
}
