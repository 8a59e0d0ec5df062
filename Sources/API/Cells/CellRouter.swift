internal import Crypto
internal import EventLoop
internal import Foundation
public import HTTP
internal import Identity
public import Postgres
internal import Problems
internal import Requests

/// Sends each request of an event loop to the API server of its tenant's cell (decision 51). In an installation with
/// one database that is the only one there is, and requests are not looked at.
///
/// `@unchecked Sendable`: confined to the loop's thread, which its servers check.
public final class CellRouter: @unchecked Sendable {
    /// Where a request is answered.
    private enum Place {
        /// In this cell, by the tenant that the map places there; nil in the directory for what is of no tenant.
        case cell(LoopCells.Cell, tenant: Int?)
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

    /// The answer to a request whose cell cannot be asked.
    static let away = Problem(.unavailable, "The database does not answer.")

    /// How long it is remembered what a token says, and that a name is no tenant's, in seconds.
    private static let life = 600.0
    /// The most requests that wait for newer routes.
    private static let mostUnrouted = 8

    /// The cells that this loop knows.
    public let cells: LoopCells
    private let directory: APIServer
    private let publicURL: String
    private let publicHost: String?
    /// How new the map is.
    let currency: MapCurrency
    private let departures: TenantDepartures
    private let secrets: SecretOwners
    private var tokens = ExpiringCache<[UInt8], TenantClue?>(capacity: 20_000, life: CellRouter.life)
    /// What names no tenant in the routes, so that no request waits for newer ones because of it.
    private var unknownClues = ExpiringCache<TenantClue, Bool>(capacity: 20_000, life: CellRouter.life)
    /// The requests that wait for a newer map, and those that wait for newer routes.
    private var waiting = 0
    private var unrouted = 0

    /// Creates a router that knows the directory alone. `shared` is of all loops, `schema` the checksum of the
    /// program's schema, which a cell must have.
    public init(
        directory: APIServer, pool: PostgresPool, shared: SharedState, schema: String, _ configuration: APIConfiguration
    ) {
        self.directory = directory
        cells = LoopCells(
            directory: directory, pool: pool, CellProof(masterKey: configuration.masterKey, schema: schema))
        currency = shared.currency
        departures = TenantDepartures(cells)
        secrets = SecretOwners(cells, departures, currency)
        publicURL = configuration.publicURL
        publicHost = URL(string: publicURL)?.host()?.lowercased()
    }

    // MARK: - Requests

    /// Answers a request, as ``APIServer/respond(to:)`` does.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        if Self.pathsOfServer.contains(request.path) { return await directory.respond(to: request) }
        if !cells.isKnown, request.path != "/readyz", await !becomesKnown() {
            return await directory.refuse(request, Self.away)
        }
        guard cells.map.isSplit else { return await directory.respond(to: request) }
        // Load balancers keep sending requests as long as there is a tenant who can be served.
        if request.path == "/readyz" { return await cells.firstReady.respond(to: request) }
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
            case .cell(let cell, let tenant) where cell.api !== former:
                if let response = await response(to: request, in: cell, tenant) { return response }
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
            try? await cells.pool.loop.sleep(for: .milliseconds(100))
        }
        return await directory.refuse(request, Self.away)
    }

    /// How often the map is looked at for the new cell of a tenant that has left, a tenth of a second apart.
    private static let mostLooks = 20

    /// The answer of a cell; nil if the tenant has left it, so that another cell must answer. A cell finds neither the
    /// people of a tenant that has left nor anything that they have, and apps that read 401 sign out.
    private func response(to request: HTTPRequest, in cell: LoopCells.Cell, _ tenant: Int?) async -> HTTPResponse? {
        let response =
            request.reader == nil
            ? await cell.api.respondUnlessMoving(to: request) : await cell.api.respond(to: request)
        guard let response, let tenant else { return response }
        let isRead = request.method == .get || request.method == .head
        // Asked in any case, because the clock of a machine that was stopped meanwhile may not tell how old the map is.
        let signsOut = response.status == .unauthorized || isRead && response.status == .seeOther
        guard signsOut || !currency.isCurrent && (isRead || response.status.rawValue >= 400) else { return response }
        switch await departures.hasLeft(tenant, in: [cell], isNew: signsOut) {
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
        for _ in 0..<100 where !cells.isKnown { try? await cells.pool.loop.sleep(for: .milliseconds(10)) }
        return cells.isKnown
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
            case .number(let number): tenant = number
            case .slug(let slug):
                tenant = cells.map.number(of: slug)
                isNewcomer = isNewcomer || tenant == nil
            case .host(let host): tenant = cells.map.routes.hosts[host]
            case .origin(let origin): tenant = cells.map.routes.origins[origin]
            case .issuer(let name, let audiences):
                tenant = tenantOfIssuer(name, audiences)
                isIssuer = tenant == nil
            case .secret(let hash, let number):
                do throws(Problem) {
                    tenant = try await secrets.tenant(ofSecret: hash, number, of: request, at: now)
                } catch {
                    return .nowhere(error)
                }
            case .nothing: continue
            }
            if tenant == nil, isNews(clue, at: now) { unknown = clue }
            // Tokens, secrets and routes may be newer than the map.
            if let tenant, cells.map.cell(of: tenant) == nil { isNewcomer = true }
            hasClue = true
            if let tenant, let name = cells.map.cell(of: tenant) { return await place(of: tenant, named: name) }
        }
        // A client that uses a tenant right after its creation must not be told that there is none.
        if isNewcomer, waiting < SecretOwners.mostSearches, !currency.isNewer(than: arrivedAt) { return .unknown }
        if unknown != nil, !currency.hasRoutes(newerThan: arrivedAt) {
            if isWaiting || unrouted < Self.mostUnrouted {
                currency.needRoutes(true)
                return .unrouted(isIssuer: isIssuer)
            }
            if isIssuer { return .nowhere(Self.away) }
        } else if !currency.areRoutesComplete {
            if isIssuer { return .nowhere(Self.away) }
        } else if let unknown {
            unknownClues.insert(true, for: unknown, until: now + Self.life, at: now)
        }
        // The directory knows no such tenant either, and says so, unless the tenant is just not where this map says.
        if hasClue, !currency.isCurrent {
            guard let isElsewhere = await departures.hasLeft(nil, in: cells.proved) else { return .nowhere(Self.away) }
            if isElsewhere { return .elsewhere }
        }
        return .cell(cells.first, tenant: nil)
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
        guard let cell = cells.cell(named: name) else { return .nowhere(Self.away) }
        if !currency.isCurrent {
            guard let hasLeft = await departures.hasLeft(tenant, in: [cell]) else { return .nowhere(Self.away) }
            if hasLeft {
                cell.api.endStreams(of: tenant)
                return .elsewhere
            }
        }
        return .cell(cell, tenant: tenant)
    }

    /// The clue in an access token, which is remembered, because apps send the same token for minutes.
    private func clue(ofToken token: Substring, at now: Double) -> TenantClue? {
        let digest = sha256(token.utf8)
        if let known = tokens.value(for: digest, at: now) { return known }
        let clue = TenantClue.ofToken(token)
        tokens.insert(clue, for: digest, until: now + Self.life, at: now)
        return clue
    }

    /// The tenant that owns an issuer, or its tokens for the first of the audiences that somebody has claimed.
    private func tenantOfIssuer(_ name: String, _ audiences: [String]) -> Int? {
        let issuers = cells.map.routes.issuers
        if let owner = issuers[CellMap.Routes.Issuer(name: name, audience: "")] { return owner.tenant }
        return audiences.lazy.compactMap { issuers[CellMap.Routes.Issuer(name: name, audience: $0)]?.tenant }.first
    }
}
