internal import Crypto
internal import Postgres

/// Reads the rows of a tenant's tables in the form of an export, inside a transaction of `session`.
struct TenantRows {
    /// A row: its JSON without the sealed column, the first part of its key, and its sealed column in base64. The last
    /// two are nil for tables without one, and the last also for rows without a value.
    struct Row {
        let json: [UInt8]
        let key: String
        let sealed: [UInt8]?
    }

    let tenant: Int
    let session: PostgresSession

    /// Sets the tenant for the rest of the transaction, so that the policies confine the session to it.
    func enter() throws(PostgresError) {
        _ = try session.query("select set_config('kith.tenant_id', $1, true)", [.text("\(tenant)")])
    }

    /// The tables of an export, each after those that it refers to.
    func tables() throws(PostgresError) -> [String] {
        let rows = try session.query("select name from internal.moved_tables() order by level, name collate \"C\"")
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }
    }

    /// Reads the rows of a table in the order of its key: all of them, or those whose key begins with `first`.
    func read(_ table: String, first: String? = nil, _ body: (Row) throws -> Void) throws {
        // A chunk of a document has 256 KiB.
        let batch = table == Self.chunks ? 16 : 1000
        let sql = try session.query(
            "select internal.export_query($1::integer, $2, $3)",
            [.int(tenant), .text(table), first.map(PostgresValue.text) ?? .null])
        try session.execute("declare moved no scroll cursor for \(sql.string(0, 0) ?? "")")
        while true {
            let rows = try session.query("fetch \(batch) from moved")
            for row in 0..<rows.rowCount {
                try body(
                    Row(json: rows.bytes(row, 0) ?? [], key: rows.string(row, 1) ?? "", sealed: rows.bytes(row, 2)))
            }
            guard rows.rowCount == batch else { break }
        }
        try session.execute("close moved")
    }

    /// The rows of a table and their digest, as the manifest has them.
    func digest(_ table: String) throws -> ExportFolder.Table {
        let digest = SHA256Digest()
        var count = 0
        try read(table) { row in
            digest.update(row.json + [UInt8(ascii: "\n")])
            count += 1
        }
        return ExportFolder.Table(rows: count, sha256: Hex.encode(digest.finish()))
    }

    /// The table with the contents of documents.
    static let chunks = "document_chunks"
}
