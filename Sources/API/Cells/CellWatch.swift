internal import EventLoop
internal import JSON
internal import Logging
public import Postgres

/// Reads the map of cells from the directory, and from each cell by what requests name its tenants, for all loops of a
/// server.
///
/// While the directory is away, the map stays as it is. With one database it is one small question every 5 seconds.
///
/// `@unchecked Sendable`: used on the first loop's thread, by one task.
public final class CellWatch: @unchecked Sendable {
    /// How often the directory is asked: before its first answer, with one database, and with several.
    private static let atFirst = Duration.milliseconds(50)
    private static let rarely = Duration.seconds(5)
    private static let often = Duration.seconds(1)
    /// How often it is asked while a tenant is about to change its cell, and its writes wait.
    private static let constantly = Duration.milliseconds(50)
    /// How often each cell is asked for its routes, in turns of ``often``.
    private static let turnsOfRoutes = 5

    private let pool: PostgresPool
    private let router: CellRouter
    private var map = CellMap()
    private var hasAnswered = false

    /// `pool` and `router` are the first loop's.
    public init(pool: PostgresPool, router: CellRouter) {
        self.pool = pool
        self.router = router
    }

    /// Reads until the task is cancelled, and calls `publish` with the first map, even an empty one, and with each that
    /// differs from the one before.
    public func run(_ publish: (CellMap) async -> Void) async {
        var turn = 0
        while !Task.isCancelled {
            let isFirst = !hasAnswered
            var hasChanged = await readMap()
            let needsRoutes = map.isSplit && (hasChanged || turn % Self.turnsOfRoutes == 0)
            // A tenant that moves waits until the servers know its place, so this waits for no cell (`TenantMove`).
            if hasChanged, needsRoutes, !isFirst {
                await publish(map)
                hasChanged = false
            }
            if needsRoutes { hasChanged = await readRoutes() || hasChanged }
            if hasChanged { await publish(map) }
            turn += 1
            try? await pool.loop.sleep(for: interval)
        }
    }

    private var interval: Duration {
        if !hasAnswered { return Self.atFirst }
        return map.isMoving ? Self.constantly : map.isSplit ? Self.often : Self.rarely
    }

    private func readMap() async -> Bool {
        guard
            let answer = try? await pool.query(
                Self.cellMap, [.int(map.version)], lane: .upkeep, deadline: .seconds(1))
        else { return false }
        let isFirst = !hasAnswered
        hasAnswered = true
        guard let bytes = answer.bytes(0, 0), let document = try? JSONDocument(bytes) else { return isFirst }
        map.apply(document.root)
        return true
    }

    /// Keeps what is known of a cell that does not answer.
    private var routesOfPools: [ObjectIdentifier: CellMap.Routes] = [:]

    private func readRoutes() async -> Bool {
        let pools = router.provedPools
        for pool in pools where pool.isReady {
            guard
                let answer = try? await pool.query(Self.cellRoutes, [], lane: .upkeep, deadline: .seconds(1)),
                let bytes = answer.bytes(0, 0), let document = try? JSONDocument(bytes)
            else { continue }
            routesOfPools[ObjectIdentifier(pool)] = CellMap.Routes(document.root)
        }
        routesOfPools = routesOfPools.filter { known in pools.contains { ObjectIdentifier($0) == known.key } }
        var routes = CellMap.Routes()
        for one in routesOfPools.values { routes.merge(one) }
        guard routes != map.routes else { return false }
        map.routes = routes
        return true
    }

    private static let cellMap = PostgresStatement(name: "cell_map", sql: "select api.cell_map($1::bigint)")
    private static let cellRoutes = PostgresStatement(name: "cell_routes", sql: "select api.cell_routes()")
}
