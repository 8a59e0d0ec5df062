/// An e-mail address that is safe to use in an envelope and in a header.
public struct MailAddress: Sendable, Equatable {
    /// The address as it was given.
    public let text: String

    /// The part after the `@`.
    public var domain: Substring { text[text.index(after: text.lastIndex(of: "@")!)...] }

    /// Whether the address has characters beyond ASCII. Only servers with SMTPUTF8 accept those (RFC 6531).
    public var isInternational: Bool { !text.utf8.allSatisfy { $0 < 0x80 } }

    /// Reads an address: an unquoted local part (RFC 5321 `Dot-string`, or the same in UTF-8) and a domain name.
    /// Returns nil when `text` is not such an address, or is longer than 254 bytes.
    public init?(_ text: String) {
        guard text.utf8.count <= 254, let at = text.lastIndex(of: "@") else { return nil }
        let local = text[..<at]
        let domain = text[text.index(after: at)...]
        guard !local.isEmpty, local.utf8.count <= 64, local.unicodeScalars.allSatisfy(Self.isAtom),
            !local.hasPrefix("."), !local.hasSuffix("."), !local.contains("..")
        else { return nil }
        // The root's trailing dot is not accepted: with it the same mailbox would have two addresses (RFC 5321 §4.1.2).
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard domain.unicodeScalars.allSatisfy(Self.isName),
            labels.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") && !$0.hasSuffix("-") })
        else { return nil }
        self.text = text
    }

    private static func isAtom(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        case ".", "!", "#", "$", "%", "&", "'", "*", "+", "-", "/", "=", "?", "^", "_", "`", "{", "|", "}", "~": true
        default:
            scalar.value >= 0xA0 && !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "-": true
        default:
            scalar.value >= 0xA0 && !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
