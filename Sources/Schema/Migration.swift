internal import Crypto

/// A file of `sql/migrations/`. Migrations are applied once, ordered by number, and never edited afterwards.
struct Migration {
    let number: Int
    let name: String
    let text: String

    /// The SHA-256 of the text in hexadecimal, which the ledger records.
    var checksum: String { Hex.encode(sha256(text.utf8)) }

    /// The folder of the migrations, below `sql/`.
    static let folder = "migrations/"

    /// The number of the last migration of 1.0. A database in which one of these differs was made before 1.0.
    static let lastOfBaseline = 19

    /// Every migration that this program contains, in order.
    static let all: [Migration] = embeddedFiles.compactMap { file in
        guard file.path.hasPrefix(folder) else { return nil }
        let name = String(file.path.dropFirst(folder.count))
        guard let number = Int(name.prefix(4)) else {
            preconditionFailure("sql/migrations/\(name) does not begin with four digits")
        }
        return Migration(number: number, name: name, text: file.text)
    }
}
