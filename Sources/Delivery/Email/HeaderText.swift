internal import Foundation

/// Text that a person wrote, in a mail header.
enum HeaderText {
    /// The value of an unstructured field such as a subject. Short ASCII stays as it is; any other text becomes encoded
    /// words (RFC 2047), folded.
    ///
    /// Line endings and all other control characters become spaces, so that nobody can inject a header.
    static func unstructured(_ text: String) -> String {
        let clean = oneLine(text)
        let isPlain = clean.utf8.allSatisfy { $0 < 0x80 } && !clean.contains("=?") && clean.utf8.count <= 60
        return isPlain ? clean : encodedWords(clean)
    }

    /// A display name in front of an address. Short ASCII is quoted; any other text becomes encoded words.
    static func phrase(_ text: String) -> String {
        let clean = oneLine(text)
        guard clean.utf8.allSatisfy({ $0 < 0x80 }), !clean.contains("=?"), clean.utf8.count <= 60 else {
            return encodedWords(clean)
        }
        return "\"" + clean.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func oneLine(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // The line and paragraph separators are not control characters, but they end lines too.
            let endsLine = scalar.value == 0x2028 || scalar.value == 0x2029
            scalars.append(scalar.properties.generalCategory == .control || endsLine ? " " : scalar)
        }
        return String(scalars)
    }

    /// Encoded words of at most 75 characters (RFC 2047 §2). None of them splits a character (§5).
    private static func encodedWords(_ text: String) -> String {
        // The frame takes 12 of the 75 characters. The other 63 hold 15 groups of 4 characters, which encode 45 bytes.
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 45 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?utf-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}
