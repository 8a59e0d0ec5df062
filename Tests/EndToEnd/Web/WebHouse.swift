import Foundation
import KithClient
import KithServer
import Postgres
import Testing

/// The installation of all tests of the web client, whose worker delivers codes into a file. Its tenant acme sends
/// pushes to browsers, which reach nobody.
let webHouse = Result { () throws -> SignInHouse in
    let house = try SignInHouse()
    let settings = FileManager.default.temporaryDirectory.appending(path: "kith-push-\(UUID()).json")
    try Data(#"{"subject":"mailto:push@example.com"}"#.utf8).write(to: settings)
    defer { try? FileManager.default.removeItem(at: settings) }
    let set = try KithProcess.run(
        ["tenant", "channel", "set", "acme", "web_push", settings.path], environment: house.installation.environment)
    guard set.status == 0 else { throw KithProcess.Failure(description: set.errors) }
    return house
}

/// Somebody with an account who is signed in to the web client, and an app of theirs beside it.
struct WebPerson {
    let person: Person
    let web: WebVisitor
    let house: SignInHouse
    let email: String

    /// Makes an account with an e-mail address of its own, and signs in.
    static func join(_ name: String, tenant: String = "acme") async throws -> WebPerson {
        let house = try webHouse.get()
        let email = "\(UUID().uuidString.lowercased())@example.com"
        let installed = tenant == "acme" ? house.installation.acme : house.installation.globex
        let text = String(decoding: try JSONEncoder().encode(["display_name": name, "email": email]), as: UTF8.self)
        let user: Kith.User = try await house.client.get(
            "POST", "/v1/users", text, as: installed.secretKey, status: 201)
        let token: Kith.AccessToken = try await house.client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(user.id)"}"#, as: installed.secretKey, status: 201)
        let web = WebVisitor(house.client, tenant: tenant)
        try await web.signIn(email, house)
        return WebPerson(
            person: Person(id: user.id, token: token.accessToken, client: house.client), web: web, house: house,
            email: email)
    }

    /// A sender and a receiver of theirs, connected. The sender's ping is due if the time of day is before noon.
    static func pair(
        _ sender: String = "Alice", _ receiver: String = "Bob", at time: String = "11:00", grace: Int = 719
    ) async throws -> (sender: WebPerson, receiver: WebPerson, connection: Kith.Connection) {
        let (alice, bob) = (try await join(sender), try await join(receiver))
        try await alice.person.becomeSender(at: time, grace: grace)
        let code = try await bob.person.becomeReceiver().code
        let connection = try await alice.person.connect(code)
        return (alice, bob, connection)
    }

    /// Registers a browser for pushes, the one channel of the tenant.
    func getPushes() throws {
        try house.installation.session().execute(
            """
            insert into kith.devices (
              tenant_id, token, user_id, platform, environment, public_key, auth_secret, created_at, last_seen_at
            )
            select tenant_id, 'https://push.example/' || id, id, 'web', 'production', 'key', 'secret', \(Day.sql), \(Day.sql)
            from kith.users where id = '\(person.id.text)'
            """)
    }

    /// The path of a new sign-in link, as the tenant's server gets it. `more` is further members of the call's body.
    func link(_ more: String = "") async throws -> String {
        let link: Kith.SignInLink = try await house.client.get(
            "POST", "/v1/sign-in-links", #"{"user_id":"\#(person.id.text)"\#(more)}"#,
            as: house.installation.acme.secretKey, status: 201)
        #expect(link.expiresIn == 60)
        let address = try #require(URLComponents(string: link.url))
        #expect(address.percentEncodedPath.hasPrefix("/sign-in/link/"))
        return address.percentEncodedPath + "?" + (address.percentEncodedQuery ?? "")
    }
}
