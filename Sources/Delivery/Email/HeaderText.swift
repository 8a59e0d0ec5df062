internal import Foundation

/// Text of a person in the head of a mail.
enum HeaderText {
    /// A field's value that is a text, such as a subject: as it is when it is short ASCII, else as encoded words (RFC 2047), folded.
    ///
    /// What would end the line, and every other control character, becomes a space: a head cannot be added to.
    static func unstructured(_ text: String) -> String {
        let clean = oneLine(text)
        let isPlain = clean.utf8.allSatisfy { $0 < 0x80 } && !clean.contains("=?") && clean.utf8.count <= 60
        return isPlain ? clean : encodedWords(clean)
    }

    /// A name in front of an address: in quotes when it is short ASCII, else as encoded words.
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
            // The separators of lines and paragraphs are no control characters, and end lines all the same.
            let endsLine = scalar.value == 0x2028 || scalar.value == 0x2029
            scalars.append(scalar.properties.generalCategory == .control || endsLine ? " " : scalar)
        }
        return String(scalars)
    }

    /// Words of at most 75 characters (RFC 2047 §2), none of which splits a character (§5).
    private static func encodedWords(_ text: String) -> String {
        // 75 less the frame of 12 leaves 63, thus 15 groups of 4 characters for 45 bytes.
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if words[words.count - 1].count + bytes.count > 45 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?utf-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}
