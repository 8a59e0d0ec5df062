internal import Synchronization

/// The things whose next reports need not reach the database, because the minute in which they are merged has not ended. A stuck button
/// that reports ten thousand times a second thus costs nobody else a connection.
final class MergedReports: Sendable {
    struct Name: Hashable, Sendable {
        /// The SHA-256 of the token.
        let hash: [UInt8]
        /// A thing that may not report by GET is refused each time.
        let isGet: Bool
    }

    /// Beyond this number, those that have ended are dropped, and if there are still more, all: each then asks the database once.
    private let limit: Int
    private let ends = Mutex<[Name: Int64]>([:])

    init(limit: Int = 100_000) {
        self.limit = limit
    }

    /// Whether a report at `now`, in microseconds, is merged with an earlier one.
    func isMerged(_ name: Name, at now: Int64) -> Bool {
        // A clock that was set back by more than a minute merges nothing.
        ends.withLock { $0[name].map { now < $0 && $0 - now <= 60_000_000 } ?? false }
    }

    /// Merges the reports of the next `seconds`.
    func merge(_ name: Name, for seconds: Int, at now: Int64) {
        ends.withLock { ends in
            if ends.count >= limit { ends = ends.filter { $0.value > now } }
            if ends.count >= limit { ends = [:] }
            ends[name] = now + Int64(seconds) * 1_000_000
        }
    }
}
