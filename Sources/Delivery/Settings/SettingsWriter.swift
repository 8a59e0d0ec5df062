internal import Foundation

/// Writes the members of a channel's settings as JSON, sorted by name.
struct SettingsWriter {
    private var members: [String: Any] = [:]

    /// Adds a member with a text; none when `value` is nil.
    mutating func field(_ name: String, _ value: String?) {
        if let value { members[name] = value }
    }

    /// Adds a member with a number.
    mutating func field(_ name: String, _ value: Int) {
        members[name] = value
    }

    /// Adds a member with an object.
    mutating func field(_ name: String, _ value: SettingsWriter) {
        members[name] = value.members
    }

    /// The object.
    var json: [UInt8] {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return (try? JSONSerialization.data(withJSONObject: members, options: options)).map(Array.init)
            ?? Array("{}".utf8)
    }
}
