internal import Crypto
internal import EventLoop
internal import Identity
internal import JSON
internal import Postgres

/// Whether a database is the one that the map of cells names, and can be used by this program.
struct CellProof {
    let masterKey: MasterKey
    /// The checksum of the program's schema.
    let schema: String

    /// The result of a proof.
    enum Verdict {
        case holds
        case fails(String)
        case isAway(String)
    }

    /// Asks the database of a cell.
    func verdict(on server: LoopCells.Server) async -> Verdict {
        do throws(PostgresError) {
            let row = try await server.pool.query(Self.identity, [.text(schema)], lane: .upkeep)
            guard row.string(0, 0) == "kith_api" else { return .fails("its sessions do not act as kith_api") }
            guard row.bool(0, 1) == true else {
                return .fails("it has another schema than this program: run kith migrate")
            }
            guard server.pool.loop.clock.isSet == false || row.bool(0, 2) == true else {
                return .fails("the clock is set, which works only on a database that kith dev made")
            }
            let known = try await server.pool.query(Self.cellIdentity, [], lane: .upkeep)
            let facts = known.bytes(0, 0).flatMap { try? JSONDocument($0) }?.root
            let isSame =
                facts?["cluster"]?.string == server.cell.cluster
                && facts?["database"]?.integer == server.cell.database
                && facts?["name"]?.string == server.cell.name
            guard isSame else { return .fails("its address leads to another database than the one that was added") }
            // Once: a key that no longer opens what is there cannot have sealed it.
            guard !server.isProved else { return .holds }
            let samples = try await server.pool.query(Self.sealedSamples, [], lane: .upkeep)
            return SealedKeys.objection(to: masterKey, in: samples).map { .fails($0) } ?? .holds
        } catch {
            return .isAway("\(error)")
        }
    }

    private static let identity = PostgresStatement(
        name: "cell_schema",
        sql: """
            select current_user, exists (select from internal.migrated_schemas where checksum = $1::text), exists (
              select from pg_catalog.pg_class as class join pg_catalog.pg_namespace as namespace on namespace.oid = class.relnamespace
              where namespace.nspname = 'internal' and class.relname = 'development'
            )
            """)
    private static let sealedSamples = PostgresStatement(name: "sealed_samples", sql: SealedKeys.samples)
    private static let cellIdentity = PostgresStatement(name: "cell_identity", sql: "select api.cell_identity()")
}
