internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests
internal import Web

/// Keeps the status of the installation for the status page (G11). It asks the database for a tenant at most once in
/// ``life``, and remembers the answer, so that the page has one while the database is away.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
final class StatusBoard {
    /// The status that a page shows, and whose it is.
    struct Finding {
        /// The tenant of the page; nil for all.
        let tenant: PageTenant?
        let status: SystemStatus
        /// Whether the database does not answer.
        var isAway = false
    }

    /// For how long an answer is given again, in microseconds.
    private static let life: Int64 = 2_000_000
    /// The most tenants whose answer is remembered.
    private static let mostTenants = 1000

    private let pool: PostgresPool
    private let readiness: Readiness
    private let publicURL: String
    /// The last status of each tenant, and of all (nil).
    private var known: [Int?: SystemStatus] = [:]
    /// The requests that wait for an answer that another one has asked for.
    private var waiting: [Int?: [UnsafeContinuation<Void, Never>]] = [:]
    /// The tenants by their own hosts and slugs. No other name is kept, so no stranger fills it.
    private var byHost: [String: PageTenant] = [:]
    private var bySlug: [String: PageTenant] = [:]
    /// The boards of the other cells; nil for one that cannot be asked.
    var others: () -> [StatusBoard?] = { [] }

    init(pool: PostgresPool, readiness: Readiness, publicURL: String) {
        self.pool = pool
        self.readiness = readiness
        self.publicURL = publicURL
    }

    /// Finds the status for the page that a request names.
    ///
    /// - Throws: ``Problem`` `not_found` if the request names a tenant that does not exist, and `unavailable` if the
    ///   database answers too slowly and nothing is known.
    func finding(for request: HTTPRequest) async throws(Problem) -> Finding {
        let (slug, now) = (request.parameter("t"), request.receivedAt)
        guard pool.isReady else { return await unreachable(request) }
        do throws(Problem) {
            guard let tenant = try await PageTenant.of(request, pool, publicURL: publicURL) else {
                guard slug == nil else { throw PageTenant.unknown }
                return try await all(at: now)
            }
            remember(tenant, by: request)
            return Finding(tenant: tenant, status: try await status(of: tenant.id, at: now))
        } catch {
            guard error.code == .unavailable else { throw error }
            guard pool.isReady else { return await unreachable(request) }
            // Somebody who asks for pages without end may use up the strangers' connections. The page shows the last
            // answer with its time.
            let tenant = remembered(request)
            guard let status = known[tenant?.id] else { throw error }
            return Finding(tenant: tenant, status: status)
        }
    }

    /// The status while the database of the tenant that a request names cannot be asked.
    func unreachable(_ request: HTTPRequest) async -> Finding {
        let (tenant, now) = (remembered(request), request.receivedAt)
        if tenant == nil, request.parameter("t") == nil, let all = try? await all(at: now) { return all }
        return Finding(tenant: tenant, status: .away(known[tenant?.id] ?? known[nil], at: now), isAway: true)
    }

    private func remember(_ tenant: PageTenant, by request: HTTPRequest) {
        if bySlug.count + byHost.count >= 2 * Self.mostTenants { (bySlug, byHost) = ([:], [:]) }
        if tenant.slug == request.parameter("t") {
            bySlug[tenant.slug] = tenant
        } else if let host = PageTenant.host(of: request) {
            byHost[host] = tenant
        }
    }

    private func remembered(_ request: HTTPRequest) -> PageTenant? {
        PageTenant.host(of: request).flatMap { byHost[$0] } ?? request.parameter("t").flatMap { bySlug[$0] }
    }

    /// The status of all tenants of all cells.
    private func all(at now: Int64) async throws(Problem) -> Finding {
        let own = try await ofDatabase(at: now)
        var statuses: [SystemStatus?] = []
        for board in others() { statuses.append(try? await board?.ofDatabase(at: now).status) }
        guard !statuses.isEmpty else { return own }
        return Finding(tenant: nil, status: own.status.combined(with: statuses), isAway: own.isAway)
    }

    /// The status of all tenants of this database.
    private func ofDatabase(at now: Int64) async throws(Problem) -> Finding {
        guard pool.isReady else {
            return Finding(tenant: nil, status: .away(known[nil], at: now), isAway: true)
        }
        return Finding(tenant: nil, status: try await status(of: nil, at: now))
    }

    /// The status of a tenant, or of all. One request asks the database, and those that come meanwhile wait for it.
    private func status(of tenant: Int?, at now: Int64) async throws(Problem) -> SystemStatus {
        if waiting[tenant] != nil { await withUnsafeContinuation { self.waiting[tenant]?.append($0) } }
        if let known = known[tenant], (0...Self.life).contains(now - known.knownAt) { return known }
        if waiting[tenant] != nil { throw Problem(.unavailable, "The database answers too slowly.") }
        waiting[tenant] = []
        defer { for continuation in waiting.removeValue(forKey: tenant) ?? [] { continuation.resume() } }
        let answer: [UInt8]?
        do throws(PostgresError) {
            answer = try await pool.query(
                Self.statement, [tenant.map { .int($0) } ?? .null, .instant(now)],
                lane: .reads, client: Caller.strangers, deadline: .seconds(1)
            ).bytes(0, 0)
        } catch {
            throw Problem(error)
        }
        let facts = try JSONDocument(answer: answer ?? [])
        let lateness = await readiness.ages.answer()
        if known.count > Self.mostTenants { known = [:] }
        let status = SystemStatus(facts.root, lateness: lateness?.root, at: now)
        known[tenant] = status
        return status
    }

    private static let statement = PostgresStatement(
        name: "status", sql: "select api.status($1::integer, $2::timestamptz)")
}
