import Foundation

/// The stored state of the sign-in, in one item, so that it changes atomically.
struct SessionRecord: Codable, Sendable {
    /// The name of the item.
    static let name = "session"

    /// The server and the tenant that the tokens are for. They are never sent to another one.
    let server: URL
    let tenant: String
    var credentials: Credentials?
    /// The sign-ins that ended on this device, and that the server does not know of yet.
    var revocations: [Revocation] = []
    /// What ``ServerClock/skew`` was.
    var skew: TimeInterval?
    /// A time of the server's clock, as one of its last answers told it.
    var heardAt: Date?

    struct Revocation: Codable, Sendable, Equatable {
        var credentials: Credentials
        let everywhere: Bool
    }
}
