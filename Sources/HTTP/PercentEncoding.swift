/// Percent-encoding (RFC 3986 §2.1).
enum PercentEncoding {
    /// Decodes a segment of a path. Returns `nil` when an escape is invalid, or when the result is not UTF-8 or
    /// contains control characters. No path of the API contains those, and PostgreSQL does not accept NUL.
    static func decodeSegment(_ bytes: some Collection<UInt8>) -> String? {
        guard let decoded = decode(bytes, lenient: false), !decoded.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            return nil
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Decodes a name or a value of a form: `+` is a space, and an invalid escape stands for itself. Invalid UTF-8 is
    /// repaired, and `isUTF8` is false then.
    static func decodeForm(_ bytes: some Collection<UInt8>) -> (text: String, isUTF8: Bool) {
        let spaced = bytes.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        let decoded = decode(spaced, lenient: true) ?? []
        if let text = String(validating: decoded, as: UTF8.self) { return (text, true) }
        return (String(decoding: decoded, as: UTF8.self), false)
    }

    private static func decode(_ bytes: some Collection<UInt8>, lenient: Bool) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            if digits.count == 2, let high = hexadecimal(digits.first), let low = hexadecimal(digits.dropFirst().first)
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else if lenient {
                decoded.append(byte)
            } else {
                return nil
            }
        }
        return decoded
    }

    /// The value of a hexadecimal digit.
    static func hexadecimal(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let digit) where digit >= UInt8(ascii: "0") && digit <= UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case .some(let digit) where digit >= UInt8(ascii: "a") && digit <= UInt8(ascii: "f"):
            digit - UInt8(ascii: "a") + 10
        case .some(let digit) where digit >= UInt8(ascii: "A") && digit <= UInt8(ascii: "F"):
            digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
