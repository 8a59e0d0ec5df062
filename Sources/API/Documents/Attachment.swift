/// How a document is handed out as a file (RFC 6266).
enum Attachment {
    /// The longest name of a file, in bytes: file systems take no longer ones, and three times that must fit into a header.
    private static let longest = 240
    private static let longestExtension = 16

    /// The `Content-Disposition` of a document of that name: in UTF-8 (RFC 8187), and in ASCII for who does not know that.
    static func disposition(_ name: String) -> String {
        let name = shortened(harmless(name))
        let plain = String(
            name.unicodeScalars.map { scalar in
                (0x20...0x7E).contains(scalar.value) && !"\"\\%/;".unicodeScalars.contains(scalar)
                    ? Character(scalar) : "_"
            }.prefix(100))
        return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(escaped(name))"
    }

    /// The name without what would make it a path, or turn its letters round so that it ends otherwise than it seems to.
    private static func harmless(_ name: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case "/", "\\", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": scalars.append("_")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    /// The name without what is too much of it, before its extension.
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

    /// All but the characters that RFC 8187 takes as they are.
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
