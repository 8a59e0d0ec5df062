internal import JSON

/// The web origins of all tenants, as they were last read from the database. All of them are kept, so that an unknown
/// origin, which anybody can send, seldom costs a query.
struct AllowedOrigins {
    /// How many seconds they are used, and a browser may remember the answer to its preflight request.
    static let life = 60
    /// The tenants that allow each origin.
    private var tenants: [String: Set<Int>] = [:]
    /// When they were read, in microseconds since 1970; nil before the first answer.
    var readAt: Int64?
    /// How long reading took, in microseconds.
    private var took: Int64 = 0

    /// Whether a tenant allows an origin, or for nil any tenant.
    func allow(_ origin: String, by tenantID: Int?) -> Bool {
        guard let tenants = tenants[origin] else { return false }
        return tenantID.map(tenants.contains) ?? true
    }

    /// Whether they are too old to answer by. An origin that they do not allow may have been set a moment ago, so it is
    /// looked for again; not within a second, nor for more than a twentieth of the time.
    func mustBeRead(for origin: String, by tenantID: Int?, at now: Int64) -> Bool {
        guard let readAt else { return true }
        let age = now - readAt
        return age >= Int64(Self.life) * 1_000_000 || age >= max(1_000_000, 20 * took) && !allow(origin, by: tenantID)
    }

    /// Takes an answer of `api.allowed_origins`; nil stands for one that cannot be read.
    mutating func take(_ answer: JSONValue?, took: Duration) {
        self.took = Int64(took / .microseconds(1))
        guard let answer else { return }
        tenants = answer.members.reduce(into: [:]) { tenants, member in
            tenants[member.name] = Set(member.value.elements.compactMap(\.integer))
        }
    }
}
