internal import Crypto

extension Command {
    /// `tenant export` and `tenant import`.
    static func move(
        _ verb: String, _ arguments: inout Arguments, _ database: Database, _ configuration: Configuration
    ) throws {
        let slug = verb == "export" ? try arguments.positional("the tenant's SLUG") : nil
        let folder = ExportFolder(try arguments.positional("the FOLDER"))
        let isCopy = arguments.flag("live")
        guard let file = try arguments.option("key") else {
            throw CommandError(
                "missing --key FILE: the key under which an export has secrets (openssl rand -hex 32 makes one)",
                status: 64)
        }
        guard slug != nil || !isCopy else { throw CommandError("tenant import takes no --live", status: 64) }
        try arguments.finish()
        let key: MasterKey
        do throws(CryptoError) { key = try MasterKey(file: file) } catch {
            throw CommandError("--key: \(error)", status: 66)
        }
        let keys = MoveKeys(export: key, master: try configuration.loadMasterKey())
        // No other role may read sealed keys, or write what tenants themselves write.
        if let slug {
            let session = try database.home(of: slug).session(role: "kith_owner")
            try configuration.check(keys.master, session)
            try TenantExport(of: slug, isCopy: isCopy, to: folder, keys, session).run()
        } else {
            let place = try database.place(ExportFolder.slug(in: folder.readManifest(keys)))
            let session = try (place?.database ?? database).session(role: "kith_owner")
            try configuration.check(keys.master, session)
            try TenantImport(from: folder, keys, session, number: place?.number).run()
        }
    }
}

/// The keys of a move: one for the files, and this installation's own.
struct MoveKeys {
    let export: MasterKey
    let master: MasterKey

    /// The code that proves that a manifest was written by somebody with the export key.
    func code(of manifest: [UInt8]) throws(CryptoError) -> String {
        Hex.encode(try export.derived(for: "tenant_export")[0].authenticationCode(for: manifest))
    }
}
