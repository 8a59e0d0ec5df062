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
    /// How old the routes of the cells become, and how old at least when a request waits for newer ones: they are many,
    /// and anybody can name a host.
    private static let lifeOfRoutes = (usual: Duration.seconds(5), least: Duration.seconds(1))

    private let pool: PostgresPool
    private let router: CellRouter
    private var map = CellMap()
    private var hasAnswered = false
    /// When the directory was asked for the map, if it has answered.
    private var askedAt: ContinuousClock.Instant?
    private var triedAt = ContinuousClock.now
    private var routesAskedAt: ContinuousClock.Instant?
    private var pause: Task<Void, Never>?

    /// `pool` and `router` are the first loop's.
    public init(pool: PostgresPool, router: CellRouter) {
        self.pool = pool
        self.router = router
    }

    /// Reads until the task is cancelled, and calls `publish` with the first map, even an empty one, and with each that
    /// differs from the one before.
    public func run(_ publish: (CellMap) async -> Void) async {
        router.currency.onRenewal { [self] in pool.loop.execute { self.hurry() } }
        defer { router.currency.onRenewal(nil) }
        while !Task.isCancelled {
            let isFirst = !hasAnswered
            var hasChanged = await readMap()
            let needsRoutes = map.isSplit && (hasChanged || areRoutesOld)
            // A tenant that moves waits until the servers know its place, so this waits for no cell (`TenantMove`).
            if hasChanged, needsRoutes, !isFirst {
                await publish(map)
                hasChanged = false
            }
            if !hasChanged { noteCurrency() }
            if needsRoutes { hasChanged = await readRoutes() || hasChanged }
            if hasChanged { await publish(map) }
            noteCurrency()
            if needsRoutes, let routesAskedAt {
                router.currency.note(
                    routesAskedAt: routesAskedAt, areComplete: map.cells.allSatisfy { known[$0.name] != nil })
            }
            await rest()
        }
    }

    private var areRoutesOld: Bool {
        guard let routesAskedAt else { return true }
        let age = ContinuousClock.now - routesAskedAt
        // While a tenant moves, the map is read so often that its writes need not wait.
        return age >= Self.lifeOfRoutes.usual
            || router.currency.needsRoutes && age >= Self.lifeOfRoutes.least && !map.isMoving
    }

    /// Tells the routers how new the map is that they have.
    private func noteCurrency() {
        if let askedAt { router.currency.note(askedAt: askedAt) }
    }

    /// Waits for the next turn, or until a request needs a newer map.
    private func rest() async {
        let loop = pool.loop
        let pause = loop.spawn { [interval] in try? await loop.sleep(for: interval) }
        self.pause = pause
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        self.pause = nil
    }

    private var interval: Duration {
        if !hasAnswered { return Self.atFirst }
        return map.isMoving ? Self.constantly : map.isSplit ? Self.often : Self.rarely
    }

    /// Ends the pause, unless the directory was asked a moment ago: many requests may need a newer map at once.
    private func hurry() {
        guard ContinuousClock.now - triedAt >= Self.constantly else { return }
        pause?.cancel()
    }

    private func readMap() async -> Bool {
        let now = ContinuousClock.now
        triedAt = now
        guard
            let answer = try? await pool.query(
                Self.cellMap, [.int(map.version)], lane: .upkeep, deadline: .seconds(1))
        else {
            router.currency.noteFailure()
            return false
        }
        let isFirst = !hasAnswered
        hasAnswered = true
        askedAt = now
        guard let bytes = answer.bytes(0, 0), let document = try? JSONDocument(bytes) else { return isFirst }
        map.apply(document.root)
        return true
    }

    /// What is known of a cell. It stays if the cell does not answer.
    private struct Known {
        var routes: CellMap.Routes
        /// The tenants that have left the cell, but not in the map.
        var departed: Set<Int>
        /// What stands for these routes in the cell.
        var hash: String?
        /// Whether the cell answered the last time.
        var isNew = true
    }
    private var known: [String: Known] = [:]

    /// The answers of the cells that answer in time, which are asked at once, so that a slow one holds up no other.
    private func ask(_ pools: [String: PostgresPool]) async -> [(cell: String, answer: PostgresResult)] {
        await withTaskGroup(of: (cell: String, answer: PostgresResult)?.self) { group in
            for (cell, pool) in pools where pool.isReady {
                let values: [PostgresValue] = [
                    known[cell]?.hash.map(PostgresValue.text) ?? .null, .int(map.version),
                ]
                group.addTask(executorPreference: pool.loop) {
                    guard
                        let answer = try? await pool.query(
                            Self.cellRoutes, values, lane: .upkeep, deadline: .seconds(1))
                    else { return nil }
                    return (cell, answer)
                }
            }
            return await group.reduce(into: []) { if let answer = $1 { $0.append(answer) } }
        }
    }

    private func readRoutes() async -> Bool {
        router.currency.needRoutes(false)
        routesAskedAt = ContinuousClock.now
        var pools = router.otherProvedPools
        if let directory = map.cells.first { pools[directory.name] = pool }
        known = known.filter { pools[$0.key] != nil }
        for cell in pools.keys { known[cell]?.isNew = false }
        for (cell, answer) in await ask(pools) {
            let departed = Set(
                answer.bytes(0, 1).flatMap { try? JSONDocument($0) }?.root.elements.compactMap(\.integer) ?? [])
            if let document = answer.bytes(0, 0).flatMap({ try? JSONDocument($0) }) {
                known[cell] = Known(
                    routes: CellMap.Routes(document.root["routes"]), departed: departed,
                    hash: document.root["hash"]?.string)
            } else {
                // They are still those of this hash.
                known[cell]?.departed = departed
                known[cell]?.isNew = true
            }
        }
        var routes = CellMap.Routes()
        for one in known.values { routes.merge(one.routes) }
        // What a request names a tenant by leads to the tenant also while its cell is not known, or cannot tell.
        // Otherwise it would lead nowhere, and a token of an identity provider would be refused as unknown.
        routes.keep(map.routes) { tenant in
            guard let cell = map.cell(of: tenant) else { return false }
            return known[cell].map { !$0.isNew || $0.departed.contains(tenant) } ?? true
        }
        guard routes != map.routes else { return false }
        map.routes = routes
        return true
    }

    private static let cellMap = PostgresStatement(name: "cell_map", sql: "select api.cell_map($1::bigint)")
    private static let cellRoutes = PostgresStatement(
        name: "cell_routes", sql: "select api.cell_routes($1::text), api.departed_tenants(null, $2::bigint)")
}
