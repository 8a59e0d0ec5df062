public import Foundation

/// A person signed in on this device.
public struct KithSession: Sendable, Hashable, Identifiable {
    /// Tells this sign-in from earlier and later ones, also of the same person.
    public let id: UUID
    /// The person's id.
    public let userID: UUID

    init(_ credentials: Credentials) {
        (id, userID) = (credentials.signIn, credentials.userID)
    }
}
