internal import EventLoop
internal import Identity
internal import JSON
internal import Postgres
internal import Requests

/// Which tenants have left the cell where the map of a loop places them. A cell remembers those that have moved away
/// (`api.departed_tenants`).
///
/// `@unchecked Sendable`: confined to the loop's thread, as the router is that has it.
final class TenantDepartures: @unchecked Sendable {
    /// How long it is known whether a tenant has left, in seconds: with ``MapCurrency/life``, less than its rows stay.
    private static let life = 1.0

    private let cells: LoopCells
    /// nil stands for any tenant of any cell. It is known of the map with this version.
    private var known = TenantDepartures.nothing
    private var version = -1

    private static var nothing: ExpiringCache<Int?, Bool> { ExpiringCache(capacity: 20_000, life: life) }

    init(_ cells: LoopCells) {
        self.cells = cells
    }

    /// Whether a tenant has left the cell where the map places it, or, for nil, any tenant of these cells; nil if that
    /// cannot be known. With `isNew`, the database is asked in any case.
    func hasLeft(_ tenant: Int?, in cells: [LoopCells.Cell], isNew: Bool = false) async -> Bool? {
        if version != self.cells.map.version {
            version = self.cells.map.version
            known = Self.nothing
        }
        let now = Double(self.cells.pool.loop.clock.now) / 1_000_000
        if !isNew, let hasLeft = known.value(for: tenant, at: now) { return hasLeft }
        let asked = version
        // An answer by an older map says nothing of the new one.
        func remember(_ hasLeft: Bool) {
            guard self.cells.map.version == asked else { return }
            known.insert(hasLeft, for: tenant, until: now + Self.life, at: now)
        }
        var isKnown = true
        for cell in cells {
            let values: [PostgresValue] = [tenant.map { .int($0) } ?? .null, .int(asked)]
            guard cell.pool.isReady,
                let answer = try? await cell.pool.query(
                    Self.departed, values, client: Caller.authentication, deadline: .seconds(1))
            else {
                isKnown = false
                continue
            }
            if names(answer, 0, of: cell.name, tenant) {
                remember(true)
                return true
            }
        }
        // A cell that does not answer may be the one that somebody has left.
        guard isKnown, self.cells.map.cells.count == cells.count || tenant != nil else { return nil }
        remember(false)
        return false
    }

    /// Whether `api.departed_tenants`, the column of an answer, names the tenant, or any whom the map places in this
    /// cell.
    func names(_ answer: PostgresResult, _ column: Int, of cell: String, _ tenant: Int?) -> Bool {
        let list = answer.bytes(0, column).flatMap { try? JSONDocument($0) }?.root.elements ?? []
        return list.contains { entry in
            guard let number = entry.integer else { return false }
            return number == tenant || tenant == nil && cells.map.cell(of: number) == cell
        }
    }

    private static let departed = PostgresStatement(
        name: "departed_tenants", sql: "select api.departed_tenants($1::integer, $2::bigint)")
}
