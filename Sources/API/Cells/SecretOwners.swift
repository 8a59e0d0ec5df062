internal import EventLoop
internal import HTTP
internal import Identity
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Finds out whose a secret is: the cells are asked, and the answer is remembered.
///
/// `@unchecked Sendable`: confined to the loop's thread, as the router is that has it.
final class SecretOwners: @unchecked Sendable {
    /// The most secrets that are looked for at once. Anybody can send a secret that nobody has.
    static let mostSearches = 16
    /// How long a secret's tenant is remembered, and that a secret is nobody's, in seconds. A tenant keeps its secrets.
    private static let life = 600.0
    private static let refusalLife = 5.0

    private let cells: LoopCells
    private let departures: TenantDepartures
    private let currency: MapCurrency
    private var tenants = ExpiringCache<[UInt8], Int?>(capacity: 20_000, life: SecretOwners.life)
    private var searches = 0

    init(_ cells: LoopCells, _ departures: TenantDepartures, _ currency: MapCurrency) {
        self.cells = cells
        self.departures = departures
        self.currency = currency
    }

    /// The tenant of a secret; nil if it is nobody's. The cell of the tenant with the number in the secret's text is
    /// asked first, and usually alone.
    ///
    /// - Throws: ``Problem`` `unavailable` if that cannot be known now, or `too_many_requests`: anybody can send a
    ///   secret that nobody has.
    func tenant(
        ofSecret hash: [UInt8], _ number: Int?, of request: HTTPRequest, at now: Double
    ) async throws(Problem) -> Int? {
        if let known = tenants.value(for: hash, at: now) { return known }
        try cells.directory.admit(request)
        guard searches < Self.mostSearches else { throw CellRouter.away }
        searches += 1
        defer { searches -= 1 }
        if let number, let name = cells.map.cell(of: number), let cell = cells.readyCell(named: name),
            case .tenant(let tenant) = await ask(cell.pool, cell.name, hash)
        {
            tenants.insert(tenant, for: hash, until: now + Self.life, at: now)
            return tenant
        }
        // A cell that is away would only delay the answer.
        let usable = cells.proved.enumerated().filter { $0.offset == 0 || $0.element.pool.isReady }.map(\.element)
        var isCertain = usable.count == cells.map.cells.count
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
            throw CellRouter.away
        }
        // A cell that does not know the tenant that the map places there, because it was restored to before the tenant
        // came, has none of its secrets: apps that read 401 sign out.
        if let number, let name = cells.map.cell(of: number),
            let cell = usable.first(where: { $0.name == name }),
            await departures.hasLeft(number, in: [cell], isNew: true) != false
        {
            throw CellRouter.away
        }
        tenants.insert(nil, for: hash, until: now + Self.refusalLife, at: now)
        return nil
    }

    private enum Answer: Sendable {
        case tenant(Int)
        case nobody
        case failure
    }

    private func ask(_ pool: PostgresPool, _ cell: String, _ hash: [UInt8]) async -> Answer {
        guard
            let result = try? await pool.query(
                Self.findSecret, [.bytea(hash), .int(cells.map.version)], client: Caller.authentication,
                deadline: .seconds(1))
        else { return .failure }
        guard let bytes = result.bytes(0, 0) else {
            // The secret may be in a cell that this map does not have.
            return departures.names(result, 1, of: cell, nil) ? .failure : .nobody
        }
        return (try? JSONDocument(bytes))?.root.integer.map(Answer.tenant) ?? .failure
    }

    private static let findSecret = PostgresStatement(
        name: "find_secret", sql: "select api.find_secret($1::bytea), api.departed_tenants(null, $2::bigint)")
}
