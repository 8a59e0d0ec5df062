internal import Foundation

/// Builds the JSON of a push within the size that its service accepts.
enum PushText {
    /// Encodes `value` as JSON on one line with sorted keys, and appends `data`, which is JSON already, as the member
    /// `name`.
    static func json(_ value: some Encodable, _ name: String, _ data: [UInt8]?) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes = try Array(encoder.encode(value))
        guard let data else { return bytes }
        bytes.removeLast()
        return bytes + Array(",\"\(name)\":".utf8) + data + [UInt8(ascii: "}")]
    }

    /// Returns the payload of `text`. If that exceeds `limit` bytes, it is the payload of the longest prefix of `text`
    /// that fits, with an ellipsis. Nil when not even the ellipsis fits.
    ///
    /// The text is cut between characters. The payload itself cannot be cut, because escapes make some characters
    /// longer.
    static func fitting(
        _ text: String, within limit: Int, _ payload: (String) throws -> [UInt8]
    ) rethrows -> [UInt8]? {
        let whole = try payload(text)
        if whole.count <= limit { return whole }
        let characters = Array(text)
        // `low` characters fit, and `fitting` is their payload. `high` characters do not fit.
        var (low, fitting) = (0, try payload("…"))
        guard fitting.count <= limit else { return nil }
        var high = characters.count
        while high - low > 1 {
            let middle = (low + high) / 2
            let tried = try payload(String(characters[..<middle]) + "…")
            if tried.count <= limit { (low, fitting) = (middle, tried) } else { high = middle }
        }
        return fitting
    }
}
