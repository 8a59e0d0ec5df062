internal import Foundation

/// The JSON of a push, kept within what its service takes.
enum PushText {
    /// The JSON of `value` on one line, in a fixed order, with `data`, JSON already, under `name` behind it.
    static func json(_ value: some Encodable, _ name: String, _ data: [UInt8]?) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes = try Array(encoder.encode(value))
        guard let data else { return bytes }
        bytes.removeLast()
        return bytes + Array(",\"\(name)\":".utf8) + data + [UInt8(ascii: "}")]
    }

    /// What `payload` makes of `text`, or of the longest beginning of it, with an ellipsis, that keeps the payload within `limit` bytes: cut
    /// between characters, and a payload cannot be cut as bytes, since escapes make some characters longer. Nil when not even the ellipsis
    /// fits.
    static func fitting(
        _ text: String, within limit: Int, _ payload: (String) throws -> [UInt8]
    ) rethrows -> [UInt8]? {
        let whole = try payload(text)
        if whole.count <= limit { return whole }
        let characters = Array(text)
        // How many characters surely fit, and the payload of that many; and how many surely do not.
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
