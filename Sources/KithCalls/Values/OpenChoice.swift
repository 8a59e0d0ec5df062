/// A text from a set that a newer server may extend. A value that this library does not know is kept as it is.
public protocol OpenChoice: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible
where RawValue == String {
    /// Creates a value from its text, whether it is known or not.
    init(rawValue: String)
}

extension OpenChoice {
    /// The text of the value.
    public var description: String { rawValue }
}
