internal import Foundation

/// Base64 with the URL alphabet and without padding (RFC 4648 §5), as tokens use it.
public enum Base64URL {
    /// Encodes `bytes`.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes `text`; nil when it is not base64url. Padding, white space and the standard alphabet are refused, so
    /// that a token has only one spelling.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.allSatisfy(isDigit) else { return nil }
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard padding.count < 3, let data = Data(base64Encoded: standard + padding) else { return nil }
        return Array(data)
    }

    private static func isDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
