/// The `Content-Disposition` of a document sent as a file (RFC 6266).
enum Attachment {
    /// The longest file name in bytes. File systems allow no longer ones, and its percent-encoded form must fit into a
    /// header.
    private static let longest = 240
    private static let longestExtension = 16

    /// The `Content-Disposition` for a document's name: in UTF-8 (RFC 8187), with an ASCII fallback for older clients.
    static func disposition(_ name: String) -> String {
        let name = shortened(harmless(name))
        let plain = String(
            name.unicodeScalars.map { scalar in
                (0x20...0x7E).contains(scalar.value) && !"\"\\%/;".unicodeScalars.contains(scalar)
                    ? Character(scalar) : "_"
            }.prefix(100))
        return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(escaped(name))"
    }

    /// Replaces path separators, the bidirectional controls that can disguise a file's extension, and a name of dots,
    /// which is a folder's. Windows drops dots and spaces at the end, so they would hide an extension.
    private static func harmless(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case "/", "\\", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": scalars.append("_")
            default: scalars.append(scalar)
            }
        }
        while let last = scalars.last, last == "." || last == " " { scalars.removeLast() }
        return scalars.isEmpty ? "_" : String(scalars)
    }

    /// Shortens the name in front of its extension to ``longest`` bytes.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let suffix = name[dot...].utf8.count <= longestExtension ? name[dot...] : ""
        var short = ""
        for character in name where short.utf8.count + character.utf8.count + suffix.utf8.count <= longest {
            short.append(character)
        }
        return short + suffix
    }

    /// Percent-encodes all but the characters that RFC 8187 allows.
    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "!#$&+-.^_`|~".utf8.contains(byte)
            if isPlain {
                escaped.append(byte)
            } else {
                escaped += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
