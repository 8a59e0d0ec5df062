/// A side of a connection.
public enum Role: String, Codable, Sendable, CaseIterable {
    /// Who says "I'm safe".
    case sender
    /// Who is told.
    case receiver

    /// The other side.
    public var opposite: Role { self == .sender ? .receiver : .sender }
}
