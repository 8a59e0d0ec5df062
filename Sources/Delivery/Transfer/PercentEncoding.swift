/// Percent-encoding for text in a URL or a form.
enum PercentEncoding {
    /// Encodes all characters of `text` but the unreserved ones (RFC 3986 §2.3). Forms accept the same encoding.
    static func encode(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded +=
                    byte < 16
                    ? "%0\(String(byte, radix: 16, uppercase: true))" : "%\(String(byte, radix: 16, uppercase: true))"
            }
        }
        return encoded
    }
}
