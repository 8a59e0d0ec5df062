/// What a call does in the database, as PostgreSQL counts it. Unlike its time, it does not depend on the machine.
struct Work: Hashable, Sendable {
    /// The pages of tables and indexes that the statements of the program touched, in memory or on disk, those that the
    /// procedures run included.
    var buffers: Int
    /// The statements that ran, those in procedures included.
    var statements: Int
    /// The rows of tables that were inserted, updated or deleted.
    var rowsWritten = 0
    /// The bytes of the write-ahead log that those rows, their indexes and the commits needed.
    var walBytes = 0

    /// The smaller of two figures each.
    func least(_ other: Work) -> Work {
        Work(
            buffers: min(buffers, other.buffers), statements: min(statements, other.statements),
            rowsWritten: min(rowsWritten, other.rowsWritten), walBytes: min(walBytes, other.walBytes))
    }

    /// The work for one of several items, rounded up.
    func share(of items: Int) -> Work {
        func share(_ figure: Int) -> Int { (figure + items - 1) / items }
        return Work(
            buffers: share(buffers), statements: share(statements), rowsWritten: share(rowsWritten),
            walBytes: share(walBytes))
    }
}

/// The work of a call, and the statements that touched most.
struct MeasuredWork: Sendable {
    /// Of an item, if there were several.
    let work: Work
    let statements: [String]
    var items = 1

    /// The smaller of two figures each, and what the one with fewer buffers consisted of.
    func least(_ other: MeasuredWork) -> MeasuredWork {
        let fewer = other.work.buffers < work.buffers ? other : self
        return MeasuredWork(work: work.least(other.work), statements: fewer.statements, items: fewer.items)
    }
}

extension Work: CustomStringConvertible {
    var description: String { "\(buffers) buffers, \(statements) statements" }
}
