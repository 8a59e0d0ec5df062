/// How the work of a call or of a loop may grow when its tenant has twenty times the people.
enum Growth: Sendable {
    /// It concerns one person: not at all.
    case person
    /// It lists what the tenant has: what a page holds, which even the small tenant fills.
    case page
    /// It processes a batch: what an item needs, or nothing if nothing is due.
    case batch

    /// Work that grows by more than that.
    struct Exception: Sendable {
        /// With which statistics it does.
        let statistics: Set<CrowdHouse.Statistics>
        /// How many times as much it may be.
        let times: Int
        /// Why that is accepted.
        let reason: String
    }
}

extension Work {
    /// What it may be in a tenant with twenty times the people: a fifth more, for nodes of indexes that are not always
    /// equally full; and a page for each statement, because an index may have one more level.
    var largest: Work { Work(buffers: buffers + buffers / 5 + statements, statements: statements + statements / 5) }

    func isWithin(_ largest: Work) -> Bool { buffers <= largest.buffers && statements <= largest.statements }
}
