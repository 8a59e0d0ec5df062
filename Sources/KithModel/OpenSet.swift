/// A string value from an open set. A newer server may send values that this library does not know, which must not
/// break decoding.
public protocol OpenSet: RawRepresentable, Hashable, Codable, Sendable where RawValue == String {
    /// Creates a value from its string, known or not.
    init(rawValue: String)
}
