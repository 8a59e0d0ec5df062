/// A side of a connection.
public enum Role: String, Codable, Sendable, CaseIterable {
    /// The person who says "I'm safe".
    case sender
    /// The person who is told.
    case receiver

    /// The other side.
    public var opposite: Role { self == .sender ? .receiver : .sender }
}
