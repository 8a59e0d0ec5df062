/// Version 7 UUIDs (RFC 9562 §5.7), as the database makes them, for rows whose id the server must know before it
/// inserts them.
public enum UUID7 {
    /// Returns a UUID for `instant`, in microseconds since 1970, as lower-case text. 62 bits are random, or taken from
    /// `random`, of which 16 bytes are needed.
    public static func make(at instant: Int64, random: [UInt8]? = nil) -> String {
        let milliseconds = UInt64(max(0, instant)) / 1000
        // The microseconds within the millisecond, as a fraction of 4096 (RFC 9562 §6.2, method 3).
        let fraction = UInt64(max(0, instant)) % 1000 * 4096 / 1000
        var bytes = random ?? randomBytes(16)
        for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> UInt64(40 - 8 * index)) }
        bytes[6] = 0x70 | UInt8(fraction >> 8)
        bytes[7] = UInt8(fraction & 0xFF)
        bytes[8] = 0x80 | bytes[8] & 0x3F
        let hex = Array(Hex.encode(bytes))
        return [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]].map { String($0) }.joined(
            separator: "-")
    }

    /// The instant of a UUID that ``make(at:random:)`` made, to the millisecond, in microseconds since 1970; nil if
    /// `text` is none.
    public static func instant(of text: String) -> Int64? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        guard text.utf8.count == 36, digits.count == 32, digits[12] == UInt8(ascii: "7"),
            let milliseconds = Int64(String(decoding: digits[..<12], as: UTF8.self), radix: 16)
        else { return nil }
        return milliseconds * 1000
    }
}
