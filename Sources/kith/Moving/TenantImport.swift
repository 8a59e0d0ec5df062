internal import Crypto
internal import Foundation
internal import Identity
internal import JSON
internal import Postgres

/// Writes a tenant that another installation has exported, and seals its secrets with this installation's master key.
///
/// Each file is one transaction, and an import that was interrupted goes on with the next file. Until all of it is
/// there and was read again, the tenant counts as deleted. If a row cannot be trusted, nothing of the import stays.
struct TenantImport {
    /// The most rows of a statement.
    private static let batch = 500

    private let folder: ExportFolder
    private let keys: MoveKeys
    private let session: PostgresSession
    /// The tenant's number in an installation with several cells; nil if the database numbers its tenants itself.
    private let number: Int?

    init(from folder: ExportFolder, _ keys: MoveKeys, _ session: PostgresSession, number: Int?) {
        self.number = number
        self.folder = folder
        self.keys = keys
        self.session = session
    }

    /// What the import reads of a manifest. The database reads the rest.
    private struct Manifest: Decodable {
        let format: Int
        let slug: String
        /// The number that the tenant has where it comes from.
        let source: Int
        let files: [ExportFolder.File]
        let tables: [String: ExportFolder.Table]
        let sha256: String

        private enum CodingKeys: String, CodingKey {
            case format, slug, files, tables, sha256
            case source = "tenant_id"
        }
    }

    func run() throws {
        let text = try folder.readManifest(keys)
        guard let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(text)), manifest.format == 1,
            manifest.sha256 == ExportFolder.digest(of: manifest.files)
        else {
            throw CommandError("the manifest is not of a format that this release reads", status: 65)
        }
        // Two imports at once would wait for each other's rows.
        let lock = try session.query("select pg_try_advisory_lock(hashtext('kith tenant import'))")
        guard lock.bool(0, 0) == true else {
            throw CommandError("another import is running here: try again when it has ended", status: 75)
        }
        let begun = try Database.reporting {
            try session.query(
                "select internal.begin_import($1::jsonb, now(), $2::integer)",
                [.bytes(text), number.map(PostgresValue.int) ?? .null])
        }
        let state = try JSONDocument(begun.bytes(0, 0) ?? []).root
        guard let tenant = state["tenant_id"]?.integer, let written = state["files"]?.integer else {
            throw CommandError("internal.begin_import gave no tenant")
        }
        var progress = Progress(of: manifest.files.reduce(0) { $0 + $1.rows }, doing: "importing \(manifest.slug)")
        do {
            for (number, file) in zip(1..., manifest.files) {
                if number > written { try write(file, number, of: manifest, tenant) }
                progress.add(rows: file.rows, bytes: file.bytes)
            }
            progress.end()
            try verify(manifest, tenant)
            try transaction {
                try bindCareCards(from: manifest.source, to: tenant)
                try trusting { try session.query("select internal.finish_import($1::integer, now())", [.int(tenant)]) }
            }
        } catch let refusal as Refusal {
            try purge(tenant)
            throw CommandError("\(refusal.reason) Nothing of it was kept", status: 65)
        }
        print("imported \(manifest.slug): \(progress.rows) rows, \(progress.bytes) bytes, SHA-256 \(manifest.sha256)")
    }

    /// Seals the care cards, whose keys were imported, for the number that the tenant has here. After the verification,
    /// which compares them with the export, and in the transaction that ends the import, so that it is done once.
    private func bindCareCards(from source: Int, to tenant: Int) throws {
        guard source != tenant else { return }
        let table = "care_cards"
        var last = "00000000-0000-0000-0000-000000000000"
        while true {
            let rows = try session.query(
                """
                select user_id, encode(sealed_key, 'hex'), encode(sealed_card, 'hex') from kith.care_cards
                where tenant_id = $1::integer and user_id > $2::uuid order by user_id limit 500
                """, [.int(tenant), .text(last)])
            guard rows.rowCount > 0 else { return }
            for row in 0..<rows.rowCount {
                last = rows.string(row, 0) ?? ""
                guard let wrapped = rows.string(row, 1).flatMap(Hex.decode),
                    let sealed = rows.string(row, 2).flatMap(Hex.decode),
                    let key = try? PersonalKey(
                        wrapped: wrapped, table: table, tenant: tenant, user: last, with: keys.master),
                    let card = try? key.bound(to: source, table: table, user: last).open(sealed)
                else { throw Refusal(reason: "The care card of user \(last) does not open.") }
                _ = try session.query(
                    "update kith.care_cards set sealed_card = $3 where tenant_id = $1::integer and user_id = $2::uuid",
                    [.int(tenant), .text(last), .bytea(try key.seal(card))])
            }
        }
    }

    // MARK: - Writing

    private func write(_ file: ExportFolder.File, _ number: Int, of manifest: Manifest, _ tenant: Int) throws {
        let lines = try folder.read(file).split(separator: UInt8(ascii: "\n"))
        let sealing = Sealing(
            keys: keys, table: file.table, key: try key(of: file.table), source: manifest.source, tenant: tenant,
            document: file.table == TenantRows.chunks ? try document(file, tenant) : nil)
        try transaction {
            try TenantRows(tenant: tenant, session: session).enter()
            for start in stride(from: 0, to: lines.count, by: sealing.document == nil ? Self.batch : 16) {
                let part = lines[start..<min(start + (sealing.document == nil ? Self.batch : 16), lines.count)]
                var rows: [UInt8] = [UInt8(ascii: "[")]
                for line in part {
                    if rows.count > 1 { rows.append(UInt8(ascii: ",")) }
                    rows += try sealing.row(line, file.name)
                }
                rows.append(UInt8(ascii: "]"))
                try trusting {
                    try session.query(
                        "select internal.import_rows($1, $2::json, now())", [.text(file.table), .bytes(rows)])
                }
            }
            if let document = sealing.document {
                try document.check(file.name)
            }
            _ = try session.query(
                "select internal.finish_file($1::integer, $2::integer)", [.int(tenant), .int(number)])
        }
    }

    /// The first part of a table's key and its sealed column; nil for a table without one.
    private func key(of table: String) throws -> (first: String, sealed: String)? {
        let rows = try session.query(
            "select key[1], sealed from internal.moved_tables() where name = $1 and sealed is not null", [.text(table)])
        guard rows.rowCount == 1, let first = rows.string(0, 0), let sealed = rows.string(0, 1) else { return nil }
        return (first, sealed)
    }

    /// The document whose content is in a file.
    private func document(_ file: ExportFolder.File, _ tenant: Int) throws -> ImportedDocument {
        let version = String(file.name.dropFirst(TenantRows.chunks.count + 1).dropLast(".rows".count))
        let rows = try session.query(
            """
            select version.vault_id, version.document_id, version.chunks, key.wrapped_key, document.sha256
            from kith.document_versions as version
            join kith.vault_keys as key on key.tenant_id = version.tenant_id and key.vault_id = version.vault_id
            left join kith.documents as document on document.tenant_id = version.tenant_id and document.version_id = version.id
            where version.tenant_id = $1::integer and version.id = $2::uuid
            """, [.int(tenant), .text(version)])
        guard rows.rowCount == 1, let vault = rows.string(0, 0), let wrapped = rows.string(0, 3),
            let sealed = Hex.decode(String(wrapped.dropFirst(2))),
            let key = try? ContentKey(wrapped: sealed, tenant: tenant, vault: vault, with: keys.master)
        else {
            throw CommandError("\(file.name) belongs to no document of the export", status: 65)
        }
        return ImportedDocument(
            version: version, vault: vault, id: rows.string(0, 1) ?? "", chunks: rows.int(0, 2) ?? 0, key: key,
            sha256: rows.string(0, 4).map { String($0.dropFirst(2)) })
    }

    private func transaction(_ body: () throws -> Void) throws {
        try session.execute("begin")
        do {
            try Database.reporting(body)
            try session.execute("commit")
        } catch {
            try? session.execute("rollback")
            throw error
        }
    }

    // MARK: - Verifying

    /// Reads every table of the tenant again, as an export does, and compares it with the manifest.
    private func verify(_ manifest: Manifest, _ tenant: Int) throws {
        try session.execute("begin isolation level repeatable read read only")
        let rows = TenantRows(tenant: tenant, session: session)
        try rows.enter()
        for table in try rows.tables() {
            let found = try rows.digest(table)
            guard let expected = manifest.tables[table], expected.rows == found.rows, expected.sha256 == found.sha256
            else {
                try session.execute("rollback")
                throw Refusal(
                    reason:
                        """
                        \(table) is not what was exported (\(found.rows) of \(manifest.tables[table]?.rows ?? 0) \
                        rows).
                        """
                )
            }
        }
        try session.execute("commit")
    }

    // MARK: - Refusing

    /// What is wrong with an export. It cannot be imported, however often somebody tries.
    private struct Refusal: Error {
        let reason: String
    }

    /// Throws a `Refusal` if the database does not accept what the export has.
    private func trusting(_ body: () throws -> PostgresResult) throws {
        do {
            _ = try body()
        } catch PostgresError.server(let error) where error.sqlState.isInClass("22") {
            throw Refusal(reason: "The export cannot be trusted: \(error.message).")
        } catch PostgresError.server(let error) {
            guard let detail = error.detail, detail.hasPrefix("The export cannot be trusted") else {
                throw PostgresError.server(error)
            }
            throw Refusal(reason: detail)
        }
    }

    /// Deletes what an import has written. Nobody has seen it.
    private func purge(_ tenant: Int) throws {
        try transaction {
            _ = try session.query("select internal.refuse_import($1::integer, now())", [.int(tenant)])
        }
        var isDone = false
        while !isDone {
            let step = try Database.reporting {
                try session.query("select admin.purge_tenant($1::integer, 2000)", [.int(tenant)])
            }
            isDone = try JSONDocument(step.bytes(0, 0) ?? []).root["is_done"]?.boolean == true
        }
    }
}

/// Turns the lines of a file into rows for this installation: opens what is sealed, and seals it again.
private struct Sealing {
    let keys: MoveKeys
    let table: String
    /// The first part of the table's key and the sealed column; nil for a table without one.
    let key: (first: String, sealed: String)?
    /// The tenant's number where it comes from.
    let source: Int
    /// The tenant's number here.
    let tenant: Int
    /// The document whose chunks the rows are.
    let document: ImportedDocument?

    func row(_ line: ArraySlice<UInt8>, _ file: String) throws -> [UInt8] {
        let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 1)
        guard let key, parts.count == 2 else { return Array(line) }
        guard let sealed = Data(base64Encoded: Data(parts[1])), let row = try? JSONDocument(Array(parts[0])).root,
            parts[0].last == UInt8(ascii: "}"), let column = try reseal([UInt8](sealed), row, key.first)
        else {
            throw CommandError("--key does not open what \(file) has", status: 65)
        }
        return parts[0].dropLast() + Array(#","\#(key.sealed)":"\\x\#(Hex.encode(column))"}"#.utf8)
    }

    private func reseal(_ sealed: [UInt8], _ row: JSONValue, _ key: String) throws -> [UInt8]? {
        if let document {
            guard let position = row["n"]?.integer else { return nil }
            return try document.reseal(sealed, at: position, from: source, to: tenant)
        }
        guard let id = row[key]?.string,
            let secret = try? keys.export.open(sealed, for: SealedKeys.context(table, source, id))
        else { return nil }
        return try keys.master.seal(secret, for: SealedKeys.context(table, tenant, id))
    }
}

/// A document whose content is imported.
private final class ImportedDocument {
    private let version: String
    private let vault: String
    private let id: String
    private let chunks: Int
    private let key: ContentKey
    /// The SHA-256 of the content in hexadecimal digits; nil if no document has this version.
    private let sha256: String?
    private let digest = SHA256Digest()
    private var next = 0

    init(version: String, vault: String, id: String, chunks: Int, key: ContentKey, sha256: String?) {
        self.version = version
        self.vault = vault
        self.id = id
        self.chunks = chunks
        self.key = key
        self.sha256 = sha256
    }

    /// Opens a chunk that is bound to the tenant's number `source`, and seals it for `tenant`; nil if it is not the
    /// next one.
    func reseal(_ sealed: [UInt8], at position: Int, from source: Int, to tenant: Int) throws -> [UInt8]? {
        guard position == next, let content = try? key.open(sealed, for: place(position, of: source)) else {
            return nil
        }
        next += 1
        digest.update(content)
        return try key.seal(content[...], for: place(position, of: tenant))
    }

    /// Checks that all of the content came.
    func check(_ file: String) throws(CommandError) {
        guard next == chunks, sha256.map({ $0 == Hex.encode(digest.finish()) }) ?? true else {
            throw CommandError("\(file) is not the whole content of its document", status: 65)
        }
    }

    private func place(_ position: Int, of tenant: Int) -> ContentKey.Place {
        ContentKey.Place(
            tenant: tenant, vault: vault, document: id, version: version, position: position,
            isLast: position == chunks - 1)
    }
}
