/// Quoted-printable encoding, for transports that accept only ASCII and lines of at most 78 characters (RFC 2045 §6.7).
enum QuotedPrintable {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes the lines of `text`. Each ends with CRLF.
    static func encode(_ text: String) -> [UInt8] {
        var encoded: [UInt8] = []
        let lines = text.replacing("\r\n", with: "\n").utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines {
            var column = 0
            for (index, byte) in zip(line.indices, line) {
                let isLast = line.index(after: index) == line.endIndex
                let piece = piece(byte, isLast: isLast)
                // The 76th character is the `=` of a soft line break.
                if column + piece.count > 75 {
                    encoded += "=\r\n".utf8
                    column = 0
                }
                encoded += piece
                column += piece.count
            }
            encoded += "\r\n".utf8
        }
        return encoded
    }

    private static func piece(_ byte: UInt8, isLast: Bool) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "="): [UInt8(ascii: "="), digits[3], digits[13]]
        case 0x21...0x7E: [byte]
        // Transports may drop white space at the end of a line.
        case UInt8(ascii: " ") where !isLast, UInt8(ascii: "\t") where !isLast: [byte]
        default: [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}
