/// A text of an open set: a server newer than this library may send values that it does not know, and must not break it.
public protocol OpenSet: RawRepresentable, Hashable, Codable, Sendable where RawValue == String {
    /// A value from its text, known or not.
    init(rawValue: String)
}
