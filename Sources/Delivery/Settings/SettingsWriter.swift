internal import Foundation

/// Writes the members of a channel's settings as JSON, in the order of their names.
struct SettingsWriter {
    private var members: [String: Any] = [:]

    /// A member with a text; none without one.
    mutating func field(_ name: String, _ value: String?) {
        if let value { members[name] = value }
    }

    /// A member with a number.
    mutating func field(_ name: String, _ value: Int) {
        members[name] = value
    }

    /// The object.
    var json: [UInt8] {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return (try? JSONSerialization.data(withJSONObject: members, options: options)).map(Array.init)
            ?? Array("{}".utf8)
    }
}
