internal import JSON

/// Which cells an installation has, and in which of them each tenant lives (decision 51). A server has one in memory,
/// and reads from the directory what has changed.
///
/// In an installation with one database it is empty.
public struct CellMap: Sendable {
    /// A cell as the map names it.
    public struct Cell: Sendable, Equatable {
        /// The cell's name.
        public let name: String
        /// The libpq URL without a user and a password; nil for the directory.
        public let address: String?
        /// The system identifier of its server.
        let cluster: String
        /// The oid of its database there.
        let database: Int
    }

    /// By what requests name tenants, besides numbers and slugs.
    struct Routes: Sendable, Equatable {
        /// An issuer of tokens, or one audience of a shared issuer.
        struct Issuer: Hashable, Sendable {
            let name: String
            /// Empty if one tenant owns the issuer.
            let audience: String
        }

        /// When a tenant has claimed an issuer, in microseconds since 1970.
        struct Claim: Sendable, Equatable {
            let tenant: Int
            let claimedAt: Int
        }

        var hosts: [String: Int] = [:]
        var origins: [String: Int] = [:]
        var issuers: [Issuer: Claim] = [:]

        /// Reads the routes in an answer of `api.cell_routes`.
        init(_ answer: JSONValue?) {
            guard let answer else { return }
            for pair in answer["hosts"]?.elements ?? [] { add(pair, to: \.hosts) }
            for pair in answer["origins"]?.elements ?? [] { add(pair, to: \.origins) }
            for claim in answer["issuers"]?.elements ?? [] {
                let parts = claim.elements
                guard parts.count == 4, let name = parts[0].string, let audience = parts[1].string,
                    let tenant = parts[2].integer, let claimedAt = parts[3].integer
                else { continue }
                issuers[Issuer(name: name, audience: audience)] = Claim(tenant: tenant, claimedAt: claimedAt)
            }
        }

        /// The routes of no cell.
        init() {}

        private mutating func add(_ pair: JSONValue, to names: WritableKeyPath<Routes, [String: Int]>) {
            let parts = pair.elements
            guard parts.count == 2, let name = parts[0].string, let tenant = parts[1].integer else { return }
            self[keyPath: names][name] = min(tenant, self[keyPath: names][name] ?? tenant)
        }

        /// Adds the routes of another cell. Of two tenants, the one with the lower number keeps a host, and the one
        /// that claimed it first an issuer, so a tenant takes nothing from one in another cell.
        mutating func merge(_ other: Routes) {
            hosts.merge(other.hosts, uniquingKeysWith: min)
            origins.merge(other.origins, uniquingKeysWith: min)
            issuers.merge(other.issuers) { one, two in
                (one.claimedAt, one.tenant) <= (two.claimedAt, two.tenant) ? one : two
            }
        }

        /// Adds those of earlier routes that lead to a tenant of `isKept`, unless there is one to another tenant now.
        mutating func keep(_ earlier: Routes, of isKept: (Int) -> Bool) {
            hosts.merge(earlier.hosts.filter { isKept($0.value) }) { now, _ in now }
            origins.merge(earlier.origins.filter { isKept($0.value) }) { now, _ in now }
            issuers.merge(earlier.issuers.filter { isKept($0.value.tenant) }) { now, _ in now }
        }
    }

    /// The version that the directory gave; -1 before the first answer.
    private(set) var version = -1
    /// The cells, the directory first; empty if there is one database.
    public private(set) var cells: [Cell] = []
    /// The routes of all cells that have answered.
    var routes = Routes()
    /// Whether a tenant is about to change its cell, so that the map must be new.
    private(set) var isMoving = false
    /// The tenants that the last answer has moved, with the cells in which they lived before.
    private(set) var moved: [Int: String] = [:]
    private var cellOfTenant: [Int: String] = [:]
    private var numbers: [String: Int] = [:]

    /// A map of one database.
    public init() {}

    /// Whether tenants live in more databases than one.
    var isSplit: Bool { cells.count > 1 }

    /// The name of the cell in which a tenant lives.
    func cell(of tenant: Int) -> String? { cellOfTenant[tenant] }

    /// The number of the tenant with a slug.
    func number(of slug: String) -> Int? { numbers[slug] }

    /// Changes the map as an answer of `api.cell_map` says.
    mutating func apply(_ answer: JSONValue) {
        guard let version = answer["version"]?.integer else { return }
        self.version = version
        cells = (answer["cells"]?.elements ?? []).compactMap { cell in
            guard let name = cell["name"]?.string, let cluster = cell["cluster"]?.string,
                let database = cell["database"]?.integer
            else { return nil }
            return Cell(name: name, address: cell["address"]?.string, cluster: cluster, database: database)
        }
        isMoving = answer["is_moving"]?.boolean == true
        let before = cellOfTenant
        moved = [:]
        if answer["is_whole"]?.boolean == true {
            cellOfTenant = [:]
            numbers = [:]
        }
        for tenant in answer["tenants"]?.elements ?? [] {
            let parts = tenant.elements
            guard parts.count == 3, let number = parts[0].integer, let slug = parts[1].string,
                let cell = parts[2].string
            else { continue }
            if let former = before[number], former != cell { moved[number] = former }
            cellOfTenant[number] = cell
            numbers[slug] = number
        }
    }
}
