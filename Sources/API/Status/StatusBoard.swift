internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests
internal import Web

/// What a server knows of whether it watches, for anybody who asks (G11). It asks the database at most once in
/// ``life``, and remembers the answer, so that it has one while the database is away.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
final class StatusBoard {
    /// What was found out for a page.
    struct Finding {
        /// The tenant of the page; nil for all.
        let tenant: PageTenant?
        let status: SystemStatus
        /// Whether the database does not answer.
        var isAway = false
    }

    /// By what a request names the tenant.
    private struct Name: Hashable {
        let host: String?
        let slug: String?
    }

    /// For how long an answer is given again, in microseconds.
    private static let life: Int64 = 2_000_000
    /// The most tenants whose answer is remembered.
    private static let mostTenants = 1000

    private let pool: PostgresPool
    private let readiness: Readiness
    private let publicURL: String
    private var known: [Name: Finding] = [:]
    /// What was known last of all tenants.
    private var common: Finding?
    /// Since when the database has not answered, in microseconds since 1970; nil while it answers.
    private var awaySince: Int64?
    /// The boards of the other cells; nil for one that cannot be asked.
    var others: () -> [StatusBoard?] = { [] }

    init(pool: PostgresPool, readiness: Readiness, publicURL: String) {
        self.pool = pool
        self.readiness = readiness
        self.publicURL = publicURL
    }

    /// What the page of a request says.
    ///
    /// - Throws: ``Problem`` `not_found` if the request names a tenant that does not exist.
    func finding(for request: HTTPRequest) async throws(Problem) -> Finding {
        let name = Name(host: PageTenant.host(of: request), slug: request.parameter("t"))
        let now = request.receivedAt
        if let known = known[name], isFresh(known, at: now) { return known }
        do throws(Problem) {
            guard let tenant = try await PageTenant.of(request, pool, publicURL: publicURL) else {
                guard name.slug == nil else { throw Problem(.notFound, "There is no such page. Is the link complete?") }
                return await all(at: now)
            }
            let finding = Finding(tenant: tenant, status: try await status(of: tenant.id, at: now))
            if known.count >= Self.mostTenants { known = [:] }
            known[name] = finding
            return finding
        } catch {
            guard error.code == .unavailable else { throw error }
            guard let known = known[name] else { return await all(at: now) }
            return away(known, at: now)
        }
    }

    /// What is said of all tenants.
    private func all(at now: Int64) async -> Finding {
        let own = await ofDatabase(at: now)
        var statuses: [SystemStatus?] = []
        for board in others() { statuses.append(await board?.ofDatabase(at: now).status) }
        guard !statuses.isEmpty else { return own }
        return Finding(tenant: nil, status: own.status.combined(with: statuses), isAway: own.isAway)
    }

    /// What is said of all tenants of this database.
    private func ofDatabase(at now: Int64) async -> Finding {
        if let common, isFresh(common, at: now) { return common }
        do throws(Problem) {
            let finding = Finding(tenant: nil, status: try await status(of: nil, at: now))
            common = finding
            return finding
        } catch {
            return away(common, at: now)
        }
    }

    private func status(of tenant: Int?, at now: Int64) async throws(Problem) -> SystemStatus {
        let json: [UInt8]?
        do throws(PostgresError) {
            json = try await pool.query(
                Self.statement, [tenant.map { .int($0) } ?? .null, .instant(now)], client: Caller.strangers,
                deadline: .seconds(1)
            ).bytes(0, 0)
        } catch {
            throw Problem(error)
        }
        guard let json else { throw Problem(fault: "api.status answered nothing") }
        awaySince = nil
        let facts = try JSONDocument(answer: json)
        let lateness = await readiness.ages.answer()
        return SystemStatus(facts.root, lateness: lateness?.root, at: now)
    }

    private func away(_ known: Finding?, at now: Int64) -> Finding {
        let since = awaySince ?? known?.status.knownAt
        awaySince = since
        let status = SystemStatus.away(known?.status, since: since.map(Words.instant), at: now)
        return Finding(tenant: known?.tenant, status: status, isAway: true)
    }

    private func isFresh(_ finding: Finding, at now: Int64) -> Bool {
        awaySince == nil && (0...Self.life).contains(now - finding.status.knownAt)
    }

    private static let statement = PostgresStatement(
        name: "status", sql: "select api.status($1::integer, $2::timestamptz)")
}
