internal import Crypto

/// One file of `sql/migrations/`: applied once, in the order of its number, and never edited afterwards.
struct Migration {
    let number: Int
    let name: String
    let text: String

    /// SHA-256 of the text in hexadecimal: what the ledger remembers it by.
    var checksum: String { Hex.encode(sha256(text.utf8)) }

    /// Every migration that this program carries, in order.
    static let all: [Migration] = embeddedFiles.compactMap { file in
        guard file.path.hasPrefix("migrations/") else { return nil }
        let name = String(file.path.dropFirst("migrations/".count))
        guard let number = Int(name.prefix(4)) else {
            preconditionFailure("sql/migrations/\(name) does not begin with four digits")
        }
        return Migration(number: number, name: name, text: file.text)
    }
}
