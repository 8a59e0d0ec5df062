import HTTP
import Testing

@Suite struct `A router` {
    private let router: Router<String> = {
        var router = Router<String>()
        router.add(.get, "/", "root")
        router.add(.get, "/v1/users", "list users")
        router.add(.post, "/v1/users", "make a user")
        router.add(.post, "/v1/users:import", "import users")
        router.add(.get, "/v1/users/me", "me")
        router.add(.get, "/v1/users/{id}", "a user")
        router.add(.delete, "/v1/users/{id}", "remove a user")
        router.add(.get, "/v1/users/me/devices", "my devices")
        router.add(.post, "/v1/users/{id}/pause", "pause a user")
        router.add(.put, "/v1/users/{id}/devices/{device}", "a user's device")
        return router
    }()

    /// The matched route and its parameters in one line, or the allowed methods, or "nothing".
    private func match(_ method: HTTPMethod, _ path: String) -> String {
        switch router.match(method, path) {
        case .found(let route, let parameters): ([route] + parameters).joined(separator: " | ")
        case .invalidParameter(let route, let index): "\(route), parameter \(index) is invalid"
        case .methodNotAllowed(let methods): "only " + methods.map(\.rawValue).joined(separator: ", ")
        case .notFound: "nothing"
        }
    }

    @Test(arguments: [
        ("/", "root"),
        ("/v1/users", "list users"),
        ("/v1/users/42", "a user | 42"),
    ])
    func `finds literals and parameters`(path: String, route: String) {
        #expect(match(.get, path) == route)
    }

    @Test func `returns parameters in the order of the path`() {
        #expect(match(.put, "/v1/users/7/devices/phone") == "a user's device | 7 | phone")
    }

    @Test func `prefers a literal to a parameter, and falls back to the parameter if the literal has no match`() {
        #expect(match(.get, "/v1/users/me") == "me")
        #expect(match(.post, "/v1/users/me/pause") == "pause a user | me")
        #expect(match(.delete, "/v1/users/me") == "only GET, HEAD")
    }

    @Test func `treats a colon as an ordinary character`() {
        #expect(match(.post, "/v1/users:import") == "import users")
        #expect(match(.get, "/v1/users:import") == "only POST")
    }

    @Test func `routes HEAD to GET`() {
        #expect(match(.head, "/v1/users/42") == "a user | 42")
        #expect(match(.head, "/v1/users/42/pause") == "only POST")
    }

    @Test func `lists the methods of a known path`() {
        #expect(match(.put, "/v1/users") == "only GET, HEAD, POST")
        #expect(match(.post, "/v1/users/me") == "only GET, HEAD")
        #expect(match(.get, "/v1/users/me/pause") == "only POST")
        #expect(match(HTTPMethod(rawValue: "get"), "/") == "only GET, HEAD")
    }

    @Test(arguments: [
        "", "*", "v1/users", "/v1", "/v1/", "/v1/users/", "/v1/users//", "/v1//users", "//v1/users", "/v1/users/42/",
        "/v1/users/42/other", "/v1/users//pause", "/V1/users", "/v1/users/./me", "/v1/users/../users",
    ])
    func `finds nothing for any other path`(path: String) {
        #expect(match(.get, path) == "nothing")
    }

    @Test func `decodes parameters after splitting the path`() {
        #expect(match(.get, "/v1/users/a%2Fb") == "a user | a/b")
        #expect(match(.get, "/v1/users/%C3%A4%20+") == "a user | ä +")
        #expect(match(.get, "/v1/users/%2E%2E") == "a user | ..")
    }

    @Test func `compares decoded literals`() {
        #expect(match(.get, "/v1/%75sers") == "list users")
        #expect(match(.get, "/v1/users/%6De") == "me")
        #expect(match(.get, "/v1%2Fusers") == "nothing")
    }

    @Test(arguments: ["%", "%4", "%zz", "%00", "%0A", "%7F", "%FF", "%C3", "%ED%A0%80"])
    func `names the parameter with an escape that is malformed, not UTF-8 or a control character`(segment: String) {
        #expect(match(.get, "/v1/users/\(segment)") == "a user, parameter 0 is invalid")
        #expect(match(.put, "/v1/users/7/devices/\(segment)") == "a user's device, parameter 1 is invalid")
        #expect(match(.get, "/v1/\(segment)") == "nothing")
    }

    @Test func `without routes finds nothing`() {
        guard case .notFound = Router<Int>().match(.get, "/") else {
            Issue.record("a route was found")
            return
        }
    }
}
