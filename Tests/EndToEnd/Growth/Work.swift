/// What a call does in the database, as PostgreSQL counts it. Unlike its time, it does not depend on the machine.
struct Work: Hashable, Sendable {
    /// The pages of tables and indexes that the statements of the program touched, in memory or on disk, those that the
    /// procedures run included.
    var buffers: Int
    /// The statements that ran, those in procedures included.
    var statements: Int

    /// The smaller of two figures each.
    func least(_ other: Work) -> Work {
        Work(buffers: min(buffers, other.buffers), statements: min(statements, other.statements))
    }

    /// The work for one of several items, rounded up.
    func share(of items: Int) -> Work {
        Work(buffers: (buffers + items - 1) / items, statements: (statements + items - 1) / items)
    }
}

/// The work of a call, and the statements that touched most.
struct MeasuredWork: Sendable {
    let work: Work
    let statements: [String]
}

extension Work: CustomStringConvertible {
    var description: String { "\(buffers) buffers, \(statements) statements" }
}
