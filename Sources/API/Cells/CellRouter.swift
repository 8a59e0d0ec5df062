internal import Crypto
internal import EventLoop
internal import Foundation
public import HTTP
internal import Identity
internal import JSON
internal import Logging
public import Postgres
internal import Problems
internal import Requests

/// Sends each request of an event loop to the API server of its tenant's cell (decision 51). In an installation with
/// one database that is the only one there is, and requests are not looked at.
///
/// `@unchecked Sendable`: confined to the loop's thread, which its servers check.
public final class CellRouter: @unchecked Sendable {
    /// The API server of a cell on this loop.
    ///
    /// `@unchecked Sendable`: confined to the loop's thread, as its router is.
    final class Server: @unchecked Sendable {
        let cell: CellMap.Cell
        let pool: PostgresPool
        let api: APIServer
        /// Whether the database has proved to be the one in the map.
        fileprivate(set) var isProved = false

        init(_ cell: CellMap.Cell, _ pool: PostgresPool, _ api: APIServer) {
            self.cell = cell
            self.pool = pool
            self.api = api
        }
    }

    /// Where a request is answered.
    private enum Place {
        /// In a cell, or in the directory, which also answers what is of no tenant.
        case cell(Cell)
        /// In none: the cell cannot be reached, or looking for it would be too much.
        case nowhere(Problem)
        /// In a cell that only a newer map names: the tenant has left the one that this map names.
        case elsewhere
        /// In a cell that a newer map may name: this one has no such tenant.
        case unknown
        /// In a cell that newer routes may name: these lead this name to no tenant. If it is an issuer's, nobody may be
        /// told so as long as a cell has not given its routes: apps sign out when they read that.
        case unrouted(isIssuer: Bool)
    }

    /// A cell that can be asked, and the tenant of the request; nil if the map has no such tenant.
    private struct Cell {
        let name: String
        let pool: PostgresPool
        let api: APIServer
        var tenant: Int?
    }

    private static let away = Problem(.unavailable, "The database does not answer.")

    /// The most secrets that are looked for at once. Anybody can send a secret that nobody has.
    private static let mostSearches = 16
    /// How long a secret's tenant is remembered, and that a secret is nobody's, in seconds. A tenant keeps its secrets.
    private static let life = 600.0
    private static let refusalLife = 5.0
    private static let unknownLife = 600.0
    /// The most requests that wait for newer routes.
    private static let mostUnrouted = 8

    private let pool: PostgresPool
    private let directory: APIServer
    private let publicURL: String
    private let publicHost: String?
    private let masterKey: MasterKey
    private let schema: String
    /// How new the map is.
    let currency: MapCurrency
    private var map = CellMap()
    /// Whether the directory has answered, with a map or with none.
    private var isKnown = false
    private var servers: [String: Server] = [:]
    private var tenants = ExpiringCache<[UInt8], Int?>(capacity: 20_000, life: CellRouter.life)
    private var tokens = ExpiringCache<[UInt8], TenantClue?>(capacity: 20_000, life: CellRouter.life)
    /// What names no tenant in the routes, so that no request waits for newer ones because of it.
    private var unknownClues = ExpiringCache<TenantClue, Bool>(capacity: 20_000, life: CellRouter.unknownLife)
    private var searches = 0
    /// The requests that wait for a newer map, and those that wait for newer routes.
    private var waiting = 0
    private var unrouted = 0
    /// Whether a tenant has left its cell; nil stands for any tenant of any cell. Known for at most ``departureLife``
    /// seconds, and only until the map changes.
    private var departures = ExpiringCache<Int?, Bool>(capacity: 20_000, life: CellRouter.departureLife)

    /// Creates a router that knows the directory alone. `shared` is of all loops, `schema` the checksum of the
    /// program's schema, which a cell must have.
    public init(
        directory: APIServer, pool: PostgresPool, shared: SharedState, schema: String, _ configuration: APIConfiguration
    ) {
        self.directory = directory
        self.pool = pool
        currency = shared.currency
        self.schema = schema
        publicURL = configuration.publicURL
        publicHost = URL(string: publicURL)?.host()?.lowercased()
        masterKey = configuration.masterKey
    }

    // MARK: - Requests

    /// Answers a request, as ``APIServer/respond(to:)`` does.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        if Self.pathsOfServer.contains(request.path) { return await directory.respond(to: request) }
        if !isKnown, request.path != "/readyz", await !becomesKnown() {
            return await directory.refuse(request, Self.away)
        }
        guard map.isSplit else { return await directory.respond(to: request) }
        // Load balancers keep sending requests as long as there is a tenant who can be served.
        if request.path == "/readyz" { return await firstReady.respond(to: request) }
        let failures = currency.failures
        let arrivedAt = ContinuousClock.now
        var former: APIServer?
        var isAdmitted = false
        var isUnrouted = false
        /// Gives back the place of a request that waits for routes.
        func leave() {
            if isUnrouted { unrouted -= 1 }
            isUnrouted = false
        }
        defer { leave() }
        for look in 1...Self.mostLooks {
            let place = await self.place(of: request, since: arrivedAt, isUnrouted)
            if case .unrouted = place {} else { leave() }
            switch place {
            case .nowhere(let problem): return await directory.refuse(request, problem)
            case .cell(let cell) where cell.api !== former:
                if let response = await response(to: request, in: cell) { return response }
                former = cell.api
                // A body that is being read cannot be sent twice.
                guard request.reader == nil else { return await directory.refuse(request, Self.away) }
            // The directory does not answer, and waiting would only fill the server.
            case .elsewhere where currency.failures > failures, .unknown where currency.failures > failures:
                return await directory.refuse(request, Self.away)
            // The cells give no routes in time.
            case .unrouted(let isIssuer) where look == Self.mostLooks && !isIssuer:
                leave()
                return await directory.respond(to: request)
            case .unknown where !isAdmitted, .unrouted where !isAdmitted:
                // Anybody can name a tenant that does not exist.
                do throws(Problem) { try directory.admit(request) } catch {
                    return await directory.refuse(request, error)
                }
                isAdmitted = true
            case .cell, .elsewhere, .unknown, .unrouted: break
            }
            if case .unrouted = place, !isUnrouted {
                isUnrouted = true
                unrouted += 1
            }
            if !isUnrouted {
                waiting += 1
                currency.renew()
            }
            defer { if !isUnrouted { waiting -= 1 } }
            try? await pool.loop.sleep(for: .milliseconds(100))
        }
        return await directory.refuse(request, Self.away)
    }

    /// How often the map is looked at for the new cell of a tenant that has left, a tenth of a second apart.
    private static let mostLooks = 20

    /// The answer of a cell; nil if the tenant has left it, so that another cell must answer. A cell finds neither the
    /// people of a tenant that has left nor anything that they have, and apps that read 401 sign out.
    private func response(to request: HTTPRequest, in cell: Cell) async -> HTTPResponse? {
        let response =
            request.reader == nil
            ? await cell.api.respondUnlessMoving(to: request) : await cell.api.respond(to: request)
        guard let response, let tenant = cell.tenant else { return response }
        let isRead = request.method == .get || request.method == .head
        // Asked in any case, because the clock of a machine that was stopped meanwhile may not tell how old the map is.
        let signsOut = response.status == .unauthorized || isRead && response.status == .seeOther
        guard signsOut || !currency.isCurrent && (isRead || response.status.rawValue >= 400) else { return response }
        switch await hasLeft(tenant, in: [cell], isNew: signsOut) {
        case false?: return response
        case true?:
            cell.api.endStreams(of: tenant)
            return nil
        case nil: return await directory.refuse(request, Self.away)
        }
    }

    /// The paths that the server answers without a cell.
    private static let pathsOfServer: Set = ["/livez", "/docs", "/openapi.json"]

    /// Waits for the map as long as a request waits for a connection. Without it, a tenant of another cell would look
    /// like none: a client that reads 401 signs its user out.
    private func becomesKnown() async -> Bool {
        for _ in 0..<100 where !isKnown { try? await pool.loop.sleep(for: .milliseconds(10)) }
        return isKnown
    }

    private var firstReady: APIServer {
        guard !pool.isReady else { return directory }
        return map.cells.lazy.compactMap { self.servers[$0.name] }.first { $0.isProved && $0.pool.isReady }?.api
            ?? directory
    }

    /// `isWaiting` says whether the request waits for newer routes already.
    private func place(
        of request: HTTPRequest, since arrivedAt: ContinuousClock.Instant, _ isWaiting: Bool
    ) async -> Place {
        let now = Double(request.receivedAt) / 1_000_000
        var hasClue = false
        // Whether the request names a tenant that only a newer map can have.
        var isNewcomer = false
        // What only newer routes can lead to a tenant, and whether it is an issuer that the routes do not have.
        var unknown: TenantClue?
        var isIssuer = false
        for clue in TenantClue.all(of: request, publicURL: publicURL, token: { self.clue(ofToken: $0, at: now) }) {
            let tenant: Int?
            switch clue {
            case .number(let number):
                tenant = number
                isNewcomer = isNewcomer || map.cell(of: number) == nil
            case .slug(let slug):
                tenant = map.number(of: slug)
                isNewcomer = isNewcomer || tenant == nil
            case .host(let host): tenant = map.routes.hosts[host]
            case .origin(let origin): tenant = map.routes.origins[origin]
            case .issuer(let name, let audiences):
                tenant = tenantOfIssuer(name, audiences)
                isIssuer = tenant == nil
            case .secret(let hash, let number):
                do throws(Problem) {
                    tenant = try await self.tenant(ofSecret: hash, number, of: request, at: now)
                    isNewcomer = isNewcomer || tenant.map { map.cell(of: $0) == nil } ?? false
                } catch {
                    return .nowhere(error)
                }
            case .nothing: continue
            }
            if tenant == nil, isNews(clue, at: now) { unknown = clue }
            // The routes may be newer than the map.
            if let tenant, map.cell(of: tenant) == nil { isNewcomer = true }
            hasClue = true
            if let tenant, let name = map.cell(of: tenant) { return await place(of: tenant, named: name) }
        }
        // A client that uses a tenant right after its creation must not be told that there is none.
        if isNewcomer, waiting < Self.mostSearches, !currency.isNewer(than: arrivedAt) { return .unknown }
        if unknown != nil, !currency.hasRoutes(newerThan: arrivedAt) {
            if isWaiting || unrouted < Self.mostUnrouted {
                currency.needRoutes(true)
                return .unrouted(isIssuer: isIssuer)
            }
            if isIssuer { return .nowhere(Self.away) }
        } else if !currency.areRoutesComplete {
            if isIssuer { return .nowhere(Self.away) }
        } else if let unknown {
            unknownClues.insert(true, for: unknown, until: now + Self.unknownLife, at: now)
        }
        // The directory knows no such tenant either, and says so, unless the tenant is just not where this map says.
        if hasClue, !currency.isCurrent {
            guard let isElsewhere = await hasLeft(nil, in: cells) else { return .nowhere(Self.away) }
            if isElsewhere { return .elsewhere }
        }
        return .cell(Cell(name: map.cells.first?.name ?? "", pool: pool, api: directory))
    }

    /// Whether a clue that the routes lead nowhere may be so new that they do not have it yet. No tenant has the host
    /// of the server, an address, or a name without a dot, by which monitors and proxies ask.
    private func isNews(_ clue: TenantClue, at now: Double) -> Bool {
        switch clue {
        case .number, .slug, .secret, .nothing, .host(publicHost), .origin("null"): return false
        case .host(let name) where !name.contains(".") || name.allSatisfy({ $0.isNumber || $0 == "." }): return false
        case .origin(let origin) where URL(string: origin)?.host() == publicHost: return false
        case .host, .origin, .issuer: return unknownClues.value(for: clue, at: now) == nil
        }
    }

    /// Where a tenant is served whose cell the map names.
    private func place(of tenant: Int, named name: String) async -> Place {
        guard var cell = self.cell(named: name) else { return .nowhere(Self.away) }
        cell.tenant = tenant
        if !currency.isCurrent {
            guard let hasLeft = await self.hasLeft(tenant, in: [cell]) else { return .nowhere(Self.away) }
            if hasLeft {
                cell.api.endStreams(of: tenant)
                return .elsewhere
            }
        }
        return .cell(cell)
    }

    /// The cells that have proved to be those in the map, the directory first.
    private var cells: [Cell] { map.cells.compactMap { cell(named: $0.name) } }

    /// The cell with this name, if it has proved to be the one in the map.
    private func cell(named name: String) -> Cell? {
        if name == map.cells.first?.name { return Cell(name: name, pool: pool, api: directory) }
        guard let server = servers[name], server.isProved else { return nil }
        return Cell(name: name, pool: server.pool, api: server.api)
    }

    /// The clue in an access token, which is remembered, because apps send the same token for minutes.
    private func clue(ofToken token: Substring, at now: Double) -> TenantClue? {
        let place = sha256(token.utf8)
        if let known = tokens.value(for: place, at: now) { return known }
        let clue = TenantClue.ofToken(token)
        tokens.insert(clue, for: place, until: now + Self.life, at: now)
        return clue
    }

    /// The tenant that owns an issuer, or its tokens for the first of the audiences that somebody has claimed.
    private func tenantOfIssuer(_ name: String, _ audiences: [String]) -> Int? {
        let issuers = map.routes.issuers
        if let owner = issuers[CellMap.Routes.Issuer(name: name, audience: "")] { return owner.tenant }
        return audiences.lazy.compactMap { issuers[CellMap.Routes.Issuer(name: name, audience: $0)]?.tenant }.first
    }

    // MARK: - Tenants that have left

    /// How long it is known whether a tenant has left, in seconds: with ``MapCurrency/life``, less than its rows stay.
    private static let departureLife = 1.0

    /// Whether a tenant has left the cell where the map places it, or, for nil, any tenant of these cells; nil if that
    /// cannot be known. With `isNew`, the database is asked in any case.
    private func hasLeft(_ tenant: Int?, in cells: [Cell], isNew: Bool = false) async -> Bool? {
        let now = Double(pool.loop.clock.now) / 1_000_000
        if !isNew, let known = departures.value(for: tenant, at: now) { return known }
        var isKnown = true
        for cell in cells {
            let values: [PostgresValue] = [tenant.map { .int($0) } ?? .null, .int(map.version)]
            guard cell.pool.isReady,
                let answer = try? await cell.pool.query(
                    Self.departed, values, client: Caller.authentication, deadline: .seconds(1))
            else {
                isKnown = false
                continue
            }
            if hasDeparted(answer, 0, of: cell.name, tenant) {
                departures.insert(true, for: tenant, until: now + Self.departureLife, at: now)
                return true
            }
        }
        // A cell that does not answer may be the one that somebody has left.
        guard isKnown, map.cells.count == cells.count || tenant != nil else { return nil }
        departures.insert(false, for: tenant, until: now + Self.departureLife, at: now)
        return false
    }

    /// Whether `api.departed_tenants`, the column of an answer, names the tenant, or any whom the map places in this
    /// cell.
    private func hasDeparted(_ answer: PostgresResult, _ column: Int, of cell: String, _ tenant: Int?) -> Bool {
        let list = answer.bytes(0, column).flatMap { try? JSONDocument($0) }?.root.elements ?? []
        return list.contains { entry in
            guard let number = entry.integer else { return false }
            return number == tenant || tenant == nil && map.cell(of: number) == cell
        }
    }

    private static let departed = PostgresStatement(
        name: "departed_tenants", sql: "select api.departed_tenants($1::integer, $2::bigint)")

    // MARK: - Secrets

    /// The tenant of a secret; nil if it is nobody's. The cell of the tenant with the number in the secret's text is
    /// asked first, and usually alone.
    ///
    /// - Throws: ``Problem`` `unavailable` if that cannot be known now, or `too_many_requests`: anybody can send a
    ///   secret that nobody has.
    private func tenant(
        ofSecret hash: [UInt8], _ number: Int?, of request: HTTPRequest, at now: Double
    ) async throws(Problem) -> Int? {
        if let known = tenants.value(for: hash, at: now) { return known }
        try directory.admit(request)
        guard searches < Self.mostSearches else { throw Self.away }
        searches += 1
        defer { searches -= 1 }
        if let number, let name = map.cell(of: number), let pool = usablePool(of: name),
            case .tenant(let tenant) = await ask(pool, name, hash)
        {
            tenants.insert(tenant, for: hash, until: now + Self.life, at: now)
            return tenant
        }
        // A cell that is away would only delay the answer.
        let usable = cells.enumerated().filter { $0.offset == 0 || $0.element.pool.isReady }.map(\.element)
        var isCertain = usable.count == map.cells.count
        let answers = await withTaskGroup(of: Answer.self) { group in
            for cell in usable {
                let (pool, name) = (cell.pool, cell.name)
                group.addTask(executorPreference: pool.loop) { await self.ask(pool, name, hash) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for answer in answers {
            switch answer {
            case .tenant(let tenant):
                tenants.insert(tenant, for: hash, until: now + Self.life, at: now)
                return tenant
            case .nobody: continue
            case .failure: isCertain = false
            }
        }
        guard isCertain else {
            currency.renew()
            throw Self.away
        }
        tenants.insert(nil, for: hash, until: now + Self.refusalLife, at: now)
        return nil
    }

    /// The pool of a cell that can be asked now.
    private func usablePool(of name: String) -> PostgresPool? {
        guard name != map.cells.first?.name else { return pool.isReady ? pool : nil }
        return servers[name].flatMap { $0.isProved && $0.pool.isReady ? $0.pool : nil }
    }

    private enum Answer: Sendable {
        case tenant(Int)
        case nobody
        case failure
    }

    private func ask(_ pool: PostgresPool, _ cell: String, _ hash: [UInt8]) async -> Answer {
        guard
            let result = try? await pool.query(
                Self.findSecret, [.bytea(hash), .int(map.version)], client: Caller.authentication,
                deadline: .seconds(1))
        else { return .failure }
        guard let bytes = result.bytes(0, 0) else {
            // The secret may be in a cell that this map does not have.
            return hasDeparted(result, 1, of: cell, nil) ? .failure : .nobody
        }
        return (try? JSONDocument(bytes))?.root.integer.map(Answer.tenant) ?? .failure
    }

    // MARK: - Cells

    /// Uses another map. `make` makes the pool and the API server of a cell that is new, and is not called for the
    /// directory. Returns the pools of cells that are gone.
    public func use(
        _ map: CellMap, make: (CellMap.Cell) throws -> (pool: PostgresPool, api: APIServer)
    ) -> [PostgresPool] {
        pool.loop.preconditionCurrent()
        self.map = map
        isKnown = true
        departures = ExpiringCache(capacity: 20_000, life: Self.departureLife)
        var kept: [String: Server] = [:]
        for cell in map.cells.dropFirst() {
            if let server = servers[cell.name], server.cell == cell {
                kept[cell.name] = server
                continue
            }
            do {
                let made = try make(cell)
                made.pool.start()
                let server = Server(cell, made.pool, made.api)
                kept[cell.name] = server
                prove(server)
            } catch {
                Log.error("a cell cannot be used", ["cell": cell.name, "reason": "\(error)"])
            }
        }
        for (tenant, former) in map.moved { api(of: former)?.endStreams(of: tenant) }
        let gone = servers.values.filter { kept[$0.cell.name] !== $0 }.map(\.pool)
        servers = kept
        return gone
    }

    /// The API servers of this loop by the names of their cells, without the directory's.
    public var others: [String: APIServer] { servers.mapValues(\.api) }

    /// The API server of a cell; nil if there is none, or if it has not proved to be the one in the map.
    public func api(of cell: String) -> APIServer? {
        if cell == map.cells.first?.name { return directory }
        return servers[cell].flatMap { $0.isProved ? $0.api : nil }
    }

    /// The pools of the other cells that have proved to be those in the map, by their names.
    var otherProvedPools: [String: PostgresPool] { servers.filter(\.value.isProved).mapValues(\.pool) }

    /// Whether each cell can be reached from this loop, in the order of the map.
    public var states: [(cell: String, isUp: Bool)] {
        map.cells.enumerated().map { index, cell in
            guard index > 0 else { return (cell.name, pool.isReady) }
            return (cell.name, servers[cell.name].map { $0.isProved && $0.pool.isReady } ?? false)
        }
    }

    /// All pools beside the directory's.
    public var otherPools: [PostgresPool] { servers.values.map(\.pool) }

    /// Asks a cell's database what it is until it answers, and every 10 seconds from then on. Nothing else is sent
    /// there before it has proved to be the one in the map, has this program's schema, runs sessions as `kith_api`,
    /// which the policies confine, and has nothing that the master key does not open.
    private func prove(_ server: Server) {
        let pool = server.pool
        pool.loop.spawn { [weak self] in
            var complaint: String?
            while let self, self.servers[server.cell.name] === server {
                let proof = await self.proof(of: server)
                switch proof {
                case .holds:
                    if !server.isProved { Log.info("a cell is in use", ["cell": server.cell.name]) }
                    server.isProved = true
                    complaint = nil
                case .fails(let reason), .isAway(let reason):
                    // A cell that is merely away is still the one that it was.
                    if case .fails = proof { server.isProved = false }
                    if reason != complaint, !server.isProved {
                        Log.error("a cell cannot be used", ["cell": server.cell.name, "reason": reason])
                    }
                    complaint = reason
                }
                try? await pool.loop.sleep(for: server.isProved ? .seconds(10) : .seconds(1))
            }
        }
    }

    private enum Proof {
        case holds
        case fails(String)
        case isAway(String)
    }

    private func proof(of server: Server) async -> Proof {
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

    private static let findSecret = PostgresStatement(
        name: "find_secret", sql: "select api.find_secret($1::bytea), api.departed_tenants(null, $2::bigint)")
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
