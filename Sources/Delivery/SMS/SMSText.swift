/// A text message as networks count it: in segments of seven-bit characters (3GPP TS 23.038, section 6.2.1), or of
/// UTF-16 if it has any other character. Each segment costs.
struct SMSText {
    /// How many characters a message of one segment has, and each of several, which give up some to say how they belong
    /// together (3GPP TS 23.040, section 9.2.3.24.1).
    private static let (sevenBit, utf16) = ((one: 160, several: 153), (one: 70, several: 67))

    let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The number of segments that the text takes.
    var segments: Int {
        guard let sizes = Self.sevenBitSizes(of: text) else {
            // A surrogate pair stays in one segment.
            return Self.segments(text.unicodeScalars.map { UTF16.width($0) }, Self.utf16)
        }
        return Self.segments(sizes, Self.sevenBit)
    }

    /// The text, or if that takes fewer segments, the text with quotation marks, dashes and spaces that seven bits can
    /// write.
    var economical: String {
        var plain = ""
        for character in text { plain += Self.plain[character] ?? String(character) }
        guard plain != text, SMSText(plain).segments < segments else { return text }
        return plain
    }

    private static func segments(_ sizes: [Int], _ limit: (one: Int, several: Int)) -> Int {
        guard sizes.reduce(0, +) > limit.one else { return 1 }
        var (segments, used) = (1, 0)
        for size in sizes {
            if used + size > limit.several { (segments, used) = (segments + 1, 0) }
            used += size
        }
        return segments
    }

    /// The size of each character in seven-bit units; nil if there is one that seven bits cannot write.
    private static func sevenBitSizes(of text: String) -> [Int]? {
        var sizes: [Int] = []
        for scalar in text.unicodeScalars {
            if basic.contains(scalar) {
                sizes.append(1)
            } else if extended.contains(scalar) {
                // An escape comes before it.
                sizes.append(2)
            } else {
                return nil
            }
        }
        return sizes
    }

    /// The basic character set (3GPP TS 23.038, section 6.2.1).
    private static let basic = Set(
        """
        @£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿\
        abcdefghijklmnopqrstuvwxyzäöñüà\n\r
        """.unicodeScalars)
    /// Its extension table (section 6.2.1.1).
    private static let extended = Set("^{}\\[~]|€\u{0C}".unicodeScalars)

    /// The GSM characters that replace typography which seven bits cannot write.
    private static let plain: [Character: String] = [
        "“": "\"", "”": "\"", "„": "\"", "«": "\"", "»": "\"", "‘": "'", "’": "'", "‚": "'", "–": "-", "—": "-",
        "‑": "-", "…": "...", "\u{A0}": " ", "\u{202F}": " ", "\u{2009}": " ",
    ]
}
