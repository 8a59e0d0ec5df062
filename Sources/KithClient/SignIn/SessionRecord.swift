import Foundation

/// The stored state of the sign-in, in one item, so that it changes atomically.
struct SessionRecord: Codable, Sendable {
    /// The name of the item.
    static let name = "session"

    /// The server and the tenant that the tokens are for. They are never sent to another one.
    var server: URL
    let tenant: String
    var credentials: Credentials?
    /// The token with which this device was registered for pushes in the present sign-in.
    var device: String?
    /// The sign-ins that ended on this device, and that the server does not know of yet.
    var revocations: [Revocation] = []
    /// What ``ServerClock/skew`` was.
    var skew: TimeInterval?
    /// A time of the server's clock, as one of its last answers told it.
    var heardAt: Date?

    struct Revocation: Codable, Sendable, Equatable {
        var credentials: Credentials
        var everywhere: Bool
        /// The device that got pushes for the person.
        var device: String?
    }

    /// Whether the record is of a tenant of a server, which may have had other addresses.
    func isOf(_ server: URL, formerly: [URL], tenant: String) -> Bool {
        self.tenant == tenant && ([server] + formerly).contains { $0.address == self.server.address }
    }
}

extension URL {
    /// The address without the slash at its end, which says nothing.
    fileprivate var address: Substring {
        let text = absoluteString
        return text.hasSuffix("/") ? text.dropLast() : text[...]
    }
}
