/// Text for a way that may take ASCII only and lines of 78 characters (RFC 2045 §6.7).
enum QuotedPrintable {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// The lines of `text`, each ended by CRLF.
    static func encode(_ text: String) -> [UInt8] {
        var encoded: [UInt8] = []
        let lines = text.replacing("\r\n", with: "\n").utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines {
            var column = 0
            for (index, byte) in zip(line.indices, line) {
                let isLast = line.index(after: index) == line.endIndex
                let piece = piece(byte, isLast: isLast)
                // The 76th character is the one that says that the line goes on.
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
        // White space at the end of a line may get lost on the way.
        case UInt8(ascii: " ") where !isLast, UInt8(ascii: "\t") where !isLast: [byte]
        default: [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}
