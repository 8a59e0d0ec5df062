/// The values of the API, such as `Kith.Connection`, are types in it. In an app it is also the client, which KithClient
/// makes: a client of one tenant of a Kith server, of which an app makes one and keeps it.
public final class Kith: Sendable {
    /// What KithClient has in a client. Nothing else makes one.
    package let client: any Sendable

    /// Creates a client that consists of `client`.
    package init(client: any Sendable) {
        self.client = client
    }
}
