internal import Crypto
internal import Glibc

/// A file of `sql/<feature>/`, which defines functions and views, or the policies and grants of one table. It describes
/// a state rather than a history, and is applied again whenever it has changed.
struct DefinitionFile: Sendable {
    enum Content: Sendable, Equatable {
        case functions
        /// Views, and the functions that depend on them.
        case views
        /// The policies and grants of a table of the schema `kith`.
        case policies(table: String)
    }

    /// The path below `sql/`: the feature, and the schema with the topic, such as `check_ins/worker.miss_pings.sql`.
    let path: String
    let text: String
    let content: Content
    /// The SHA-256 of all that the file's effect depends on, in hexadecimal.
    let checksum: String

    /// The folders of `sql/` in their order: a function calls into its own folder or into one before it.
    static let floors = [
        "foundation", "texts", "tenants", "users", "events", "loops", "retention", "notifications", "pings",
        "connections", "vaults", "documents", "nominees", "alarms", "emergency", "deliveries", "states", "connecting",
        "profiles", "check_ins", "things", "answers", "sign_in", "access", "feed", "webhooks", "feedback", "repeats",
        "people", "canaries", "imports", "cells", "moving", "health", "operation",
    ]

    /// Every definition file that this program contains, in the order in which they are applied.
    static let all = ordered(embeddedFiles.filter { !$0.path.hasPrefix(Migration.folder) })

    /// Whether functions may keep rows of the file's views in variables. Those of the views in `admin` are for
    /// operators.
    var definesRowTypes: Bool { content == .views && !path.contains("/admin.") }

    /// Orders files so that each comes after what it needs when it is created: functions by schema, then views, which
    /// call them, then policies, and in each of these by the floors. The bodies of functions are not checked, so
    /// functions may refer to each other freely.
    static func ordered(_ files: [(path: String, text: String)]) -> [DefinitionFile] {
        // The standard policies are part of every table's policies.
        let standard = files.first { $0.path == standardPolicies }?.text ?? ""
        return files.map { DefinitionFile(path: $0.path, text: $0.text, standard: standard) }
            .sorted { ($0.rank, $0.floor, $0.path) < ($1.rank, $1.floor, $1.path) }
    }

    /// The file with `internal.protect_table`.
    private static let standardPolicies = "foundation/internal.protect_table.sql"
    private static let prefixes = ["kith", "internal", "api", "worker", "admin", "policies"]

    /// Whether the functions of a file take rows of the view `internal.own_connections`, so that they come after it.
    private static func takesRowsOfViews(_ path: String) -> Bool { path.hasPrefix("states/internal.") }

    private let rank: Int
    private let floor: Int

    private init(path: String, text: String, standard: String) {
        let name = path.split(separator: "/").last ?? ""
        let words = name.split(separator: ".")
        guard words.count == 3, let schema = Self.prefixes.firstIndex(of: String(words[0])) else {
            preconditionFailure("sql/\(path) is not named <schema>.<topic>.sql or policies.<table>.sql")
        }
        guard let floor = Self.floors.firstIndex(of: String(path.prefix { $0 != "/" })) else {
            preconditionFailure("sql/\(path) is in a folder that DefinitionFile.floors does not have")
        }
        self.path = path
        self.text = text
        self.floor = floor
        if words[0] == "policies" {
            content = .policies(table: String(words[1]))
            checksum = Hex.encode(sha256("\(standard)\n\(text)".utf8))
            rank = 2 * Self.prefixes.count
        } else {
            // Every command examines every file, and strstr is quicker than String.contains.
            let hasViews = strstr(text, "\ncreate view ") != nil
            content = hasViews ? .views : .functions
            checksum = Hex.encode(sha256(text.utf8))
            // Replacing a view locks it until the transaction ends. So views come last, and those that requests read,
            // in `internal`, after the operators'.
            rank =
                hasViews
                ? 2 * Self.prefixes.count - 1 - schema
                : Self.takesRowsOfViews(path) ? 2 * Self.prefixes.count - 1 : schema
        }
    }
}
