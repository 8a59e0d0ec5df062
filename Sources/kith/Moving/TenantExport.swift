internal import Crypto
internal import Foundation
internal import Identity
internal import JSON
internal import Postgres

/// Writes all of a tenant into a folder, from one snapshot of the database.
///
/// An export that was interrupted begins anew with another snapshot, but keeps the documents that it has written: a
/// version never changes.
struct TenantExport {
    private let slug: String
    private let isCopy: Bool
    private let folder: ExportFolder
    private let keys: MoveKeys
    private let session: PostgresSession

    init(of slug: String, isCopy: Bool, to folder: ExportFolder, _ keys: MoveKeys, _ session: PostgresSession) {
        self.slug = slug
        self.isCopy = isCopy
        self.folder = folder
        self.keys = keys
        self.session = session
    }

    func run() throws {
        try Database.reporting { try session.execute("begin isolation level repeatable read") }
        let facts = try Database.reporting {
            try session.query("select internal.leaving_tenant($1, $2, now())", [.text(slug), .bool(isCopy)])
        }
        guard
            var manifest = try JSONSerialization.jsonObject(with: Data(facts.bytes(0, 0) ?? [])) as? [String: Any],
            let tenant = manifest["tenant_id"] as? Int
        else { throw CommandError("internal.leaving_tenant gave no tenant") }
        try folder.begin(slug)
        let rows = TenantRows(tenant: tenant, session: session)
        try rows.enter()
        let estimate = try session.query(
            """
            select sum(rows) from internal.rows_of_tenant($1::integer) as counted
            where counted.name in (select name from internal.moved_tables())
            """, [.int(tenant)])
        var progress = Progress(of: estimate.int(0, 0) ?? 0, doing: "exporting \(slug)")
        var files: [ExportFolder.File] = []
        var tables: [String: ExportFolder.Table] = [:]
        for table in try rows.tables() {
            let writer = try write(table, rows, &progress)
            files += writer.files
            tables[table] = writer.summary
        }
        let digest = ExportFolder.digest(of: files)
        manifest["format"] = 1
        manifest["kith"] = Release.name
        manifest["sha256"] = digest
        manifest["files"] = try object(files)
        manifest["tables"] = try object(tables)
        let text = [UInt8](
            try JSONSerialization.data(withJSONObject: manifest, options: [.prettyPrinted, .sortedKeys]))
        try folder.finish(text, code: try keys.code(of: text))
        _ = try session.query(
            """
            select internal.record_act($1, internal.operator(), 'tenant.export', $2, jsonb_build_object('sha256', \
            $3::text))
            """,
            [.int(tenant), .text(slug), .text(digest)])
        try session.execute("commit")
        progress.end()
        print("exported \(slug): \(progress.rows) rows, \(progress.bytes) bytes, SHA-256 \(digest)")
    }

    /// Writes the files of a table.
    private func write(_ table: String, _ rows: TenantRows, _ progress: inout Progress) throws -> FileWriter {
        var writer = FileWriter(table, to: folder)
        guard table != TenantRows.chunks else {
            try writeDocuments(rows, &writer, &progress)
            return writer
        }
        try rows.read(table) { row in
            var line = row.json
            if let sealed = row.sealed {
                line += try [UInt8(ascii: "\t")] + Array(reseal(sealed, table, row.key, rows.tenant).utf8)
            }
            writer.add(line, row.json)
            progress.add(rows: 1, bytes: line.count + 1)
            if writer.isFull { try writer.flush(as: writer.next) }
        }
        try writer.end()
        return writer
    }

    /// Writes a file for each document. Its chunks stay as they are, bound to the number that the tenant has here, and
    /// an import seals them again.
    private func writeDocuments(_ rows: TenantRows, _ writer: inout FileWriter, _ progress: inout Progress) throws {
        let versions = try session.query(
            "select id from kith.document_versions where tenant_id = $1::integer and state = 'current' order by id",
            [.int(rows.tenant)])
        for version in (0..<versions.rowCount).compactMap({ versions.string($0, 0) }) {
            if let written = folder.bytes(writer.name(version)) {
                for line in written.split(separator: UInt8(ascii: "\n")) {
                    writer.add(Array(line), Array(line.prefix { $0 != UInt8(ascii: "\t") }))
                    progress.add(rows: 1, bytes: line.count + 1)
                }
                writer.keep(as: version)
            } else {
                try rows.read(TenantRows.chunks, first: version) { row in
                    let line = row.json + [UInt8(ascii: "\t")] + (row.sealed ?? [])
                    writer.add(line, row.json)
                    progress.add(rows: 1, bytes: line.count + 1)
                }
                try writer.flush(as: version)
            }
        }
        try writer.end()
    }

    /// Opens a secret with the master key and seals it with the export key.
    private func reseal(_ sealed: [UInt8], _ table: String, _ id: String, _ tenant: Int) throws -> String {
        let context = SealedKeys.context(table, tenant, id)
        guard let bytes = Data(base64Encoded: Data(sealed)),
            let secret = try? keys.master.open([UInt8](bytes), for: context)
        else {
            throw CommandError("KITH_MASTER_KEY does not open \(table) \(id) of \(slug)", status: 78)
        }
        return Data(try keys.export.seal(secret, for: context)).base64EncodedString()
    }

    private func object(_ value: some Encodable) throws -> Any {
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(value))
    }
}

/// Collects the rows of a table and writes them to files.
private struct FileWriter {
    /// The most bytes of a file, except that a document is one file. An import writes a file in one transaction.
    private static let maximumBytes = 4 << 20
    /// The most rows of a file.
    private static let maximumRows = 2000

    private let table: String
    private let folder: ExportFolder
    private let digest = SHA256Digest()
    private var content: [UInt8] = []
    private var rows = 0
    private var all = 0
    private(set) var files: [ExportFolder.File] = []
    private(set) var summary = ExportFolder.Table(rows: 0, sha256: "")

    init(_ table: String, to folder: ExportFolder) {
        self.table = table
        self.folder = folder
    }

    var isFull: Bool { content.count >= Self.maximumBytes || rows >= Self.maximumRows }

    /// The next part in numbers of six digits.
    var next: String {
        let number = "\(files.count + 1)"
        return String(repeating: "0", count: max(0, 6 - number.count)) + number
    }

    /// The name of the file with a part of the table.
    func name(_ part: String) -> String { "\(table).\(part).rows" }

    /// Adds a line, whose row counts for the digest of the table.
    mutating func add(_ line: [UInt8], _ row: [UInt8]) {
        digest.update(row + [UInt8(ascii: "\n")])
        content += line
        content.append(UInt8(ascii: "\n"))
        rows += 1
    }

    /// Writes what was collected as a file.
    mutating func flush(as part: String) throws {
        guard rows > 0 else { return }
        try folder.write(content, to: name(part))
        keep(as: part)
    }

    /// Lists what was collected as a file that is there already.
    mutating func keep(as part: String) {
        files.append(
            ExportFolder.File(name: name(part), rows: rows, bytes: content.count, sha256: Hex.encode(sha256(content))))
        all += rows
        (content, rows) = ([], 0)
    }

    mutating func end() throws {
        try flush(as: next)
        summary = ExportFolder.Table(rows: all, sha256: Hex.encode(digest.finish()))
    }
}
