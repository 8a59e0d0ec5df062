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
    /// How old the routes of the cells become, and how old at least when a request waits for newer ones or a cell has
    /// not given its own: they are many, and anybody can name a host.
    private static let lifeOfRoutes = (usual: Duration.seconds(5), least: Duration.seconds(1))

    private let pool: PostgresPool
    private let router: CellRouter
    private var map = CellMap()
    private var hasAnswered = false
    /// When the directory was asked for the map, if it has answered.
    private var askedAt: ContinuousClock.Instant?
    private var triedAt = ContinuousClock.now
    private var routesAskedAt: ContinuousClock.Instant?
    private var isAsking = false
    /// When the cells were asked for the routes in ``known``, which are still to be published: ``newRoutes``, or nil if
    /// they are those of the map.
    private var answeredFor: ContinuousClock.Instant?
    private var newRoutes: CellMap.Routes?
    /// The version of the map and the states of the cells from which its routes were merged.
    private var merged: (version: Int, states: [String: Known.State])?
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
            var hasChanged = await readMap()
            if hasChanged { routesAskedAt = nil }
            askForRoutes()
            let askedAt = answeredFor
            answeredFor = nil
            if let routes = newRoutes {
                map.routes = routes
                newRoutes = nil
                hasChanged = true
            }
            if hasChanged { await publish(map) }
            noteCurrency()
            if let askedAt { router.currency.note(routesAskedAt: askedAt, areComplete: areRoutesComplete) }
            if answeredFor == nil { await rest() }
        }
    }

    /// Whether each cell gave its routes when it was asked last.
    private var areRoutesComplete: Bool { map.cells.allSatisfy { known[$0.name]?.state.isNew == true } }

    private var areRoutesOld: Bool {
        guard let routesAskedAt else { return true }
        let age = ContinuousClock.now - routesAskedAt
        return age >= Self.lifeOfRoutes.usual
            || age >= Self.lifeOfRoutes.least && (router.currency.needsRoutes || !areRoutesComplete)
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
        /// What the routes of all cells depend on, besides the routes of each.
        struct State: Equatable {
            /// The hash by which the cell knows whether its routes are still these.
            var hash: String?
            /// The tenants that have left the cell, but not in the map.
            var departed: Set<Int> = []
            /// Whether the cell answered the last time.
            var isNew = true
        }

        var routes = CellMap.Routes()
        var state = State()

        /// What an answer says, if this was known before.
        func after(_ answer: PostgresResult) -> Known {
            var known = self
            known.state.departed = Set(
                answer.bytes(0, 1).flatMap { try? JSONDocument($0) }?.root.elements.compactMap(\.integer) ?? [])
            known.state.isNew = true
            // Without a document they are still those of the hash.
            if let document = answer.bytes(0, 0).flatMap({ try? JSONDocument($0) }) {
                known.routes = CellMap.Routes(document.root["routes"])
                known.state.hash = document.root["hash"]?.string
            }
            return known
        }
    }
    private var known: [String: Known] = [:]

    /// The answers of the cells that answer in time, which are asked at once, so that a slow one holds up no other.
    private func ask(_ pools: [String: PostgresPool]) async -> [(cell: String, answer: PostgresResult)] {
        await withTaskGroup(of: (cell: String, answer: PostgresResult)?.self) { group in
            for (cell, pool) in pools where pool.isReady {
                let values: [PostgresValue] = [
                    known[cell]?.state.hash.map(PostgresValue.text) ?? .null, .int(map.version),
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

    /// Asks the cells for their routes, if these are old. A tenant that moves waits until the servers know its place,
    /// so the map waits for no cell.
    private func askForRoutes() {
        guard map.isSplit, !isAsking, areRoutesOld else { return }
        isAsking = true
        let askedAt = ContinuousClock.now
        routesAskedAt = askedAt
        router.currency.needRoutes(false)
        var pools = router.cells.otherProvedPools
        if let directory = map.cells.first { pools[directory.name] = pool }
        pool.loop.spawn { [self, pools] in
            let answers = await ask(pools)
            known = await Self.updated(known.filter { pools[$0.key] != nil }, by: answers)
            let states = (version: map.version, states: known.mapValues(\.state))
            if merged.map({ $0 != states }) ?? true {
                newRoutes = await Self.merge(known, into: map) ?? newRoutes
                merged = states
            }
            isAsking = false
            answeredFor = askedAt
            pause?.cancel()
        }
    }

    /// What is known after the answers. Not on the loop's thread: the routes of a hundred thousand tenants are 10 MB.
    private static func updated(
        _ before: [String: Known], by answers: [(cell: String, answer: PostgresResult)]
    ) async -> [String: Known] {
        await Task.detached {
            var known = before
            for cell in known.keys { known[cell]?.state.isNew = false }
            for (cell, answer) in answers { known[cell] = (known[cell] ?? Known()).after(answer) }
            return known
        }.value
    }

    /// The routes of all cells, if they are others than those of the map. Not on the loop's thread either.
    private static func merge(_ known: [String: Known], into map: CellMap) async -> CellMap.Routes? {
        await Task.detached {
            var routes = CellMap.Routes()
            for one in known.values { routes.merge(one.routes) }
            // What a request names a tenant by leads to the tenant also while its cell is not known, or cannot tell.
            // Otherwise it would lead nowhere, and a token of an identity provider would be refused as unknown.
            routes.keep(map.routes) { tenant in
                guard let cell = map.cell(of: tenant) else { return false }
                return known[cell].map { !$0.state.isNew || $0.state.departed.contains(tenant) } ?? true
            }
            return routes == map.routes ? nil : routes
        }.value
    }

    private static let cellMap = PostgresStatement(name: "cell_map", sql: "select api.cell_map($1::bigint)")
    private static let cellRoutes = PostgresStatement(
        name: "cell_routes", sql: "select api.cell_routes($1::text), api.departed_tenants(null, $2::bigint)")
}
