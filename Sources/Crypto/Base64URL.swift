internal import Foundation

/// Base64 with the URL alphabet and without padding (RFC 4648 §5), as tokens use it.
public enum Base64URL {
    /// Encodes `bytes`.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes `text`; nil when it is not base64url. Padding, white space, the standard alphabet and a last digit whose
    /// unused bits are not zero are refused, so that the bytes have only one spelling.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var digits = Array(text.utf8)
        guard digits.allSatisfy(isDigit), endsInZeroBits(digits) else { return nil }
        for index in digits.indices {
            switch digits[index] {
            case UInt8(ascii: "-"): digits[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): digits[index] = UInt8(ascii: "/")
            default: break
            }
        }
        let padding = (4 - digits.count % 4) % 4
        guard padding < 3 else { return nil }
        digits.append(contentsOf: repeatElement(UInt8(ascii: "="), count: padding))
        return Data(base64Encoded: Data(digits)).map(Array.init)
    }

    /// Whether the bits of the last digit that belong to no byte are zero.
    private static func endsInZeroBits(_ digits: [UInt8]) -> Bool {
        switch digits.count % 4 {
        case 2: "AQgw".utf8.contains(digits[digits.count - 1])
        case 3: "AEIMQUYcgkosw048".utf8.contains(digits[digits.count - 1])
        default: true
        }
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
