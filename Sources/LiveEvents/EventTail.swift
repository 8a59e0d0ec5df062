/// How far a server has read the events of all tenants. It is a pure value: the reading happens elsewhere.
struct EventTail {
    /// The result of one read.
    struct Piece {
        /// The end of the feed: no earlier transaction that has ended has an event that was not read. After a crash of
        /// PostgreSQL it is still true, which it would not be of the oldest running transaction (`internal.feed_end`).
        let horizon: UInt64
        /// The last event of the piece; nil if it has none.
        let last: (transaction: UInt64, id: String)?
        /// Whether the piece has as many events as were requested. There may be more below the horizon.
        let isFull: Bool
    }

    /// The next step after a piece.
    enum Step: Equatable {
        /// Read again at once, since there may be more.
        case goesOn
        /// Everything below the horizon has been read.
        case isDone
        /// The database has lost transactions that were read: it is a standby that had not received them all, or a
        /// restored backup. The readers' positions are void.
        case wentBack
    }

    /// All events of earlier transactions have been read.
    private(set) var transaction: UInt64
    /// The last event of ``transaction`` that has been read.
    private(set) var id: String?
    /// The horizon of the last piece.
    private(set) var horizon: UInt64

    /// Begins at `horizon`: only events from now on will be read.
    init(horizon: UInt64) {
        transaction = horizon
        self.horizon = horizon
    }

    /// Advances past a piece.
    mutating func take(_ piece: Piece) -> Step {
        // In one database the end of the feed never goes back, not even in a crash.
        guard piece.horizon >= horizon else {
            self = EventTail(horizon: piece.horizon)
            return .wentBack
        }
        horizon = piece.horizon
        if piece.isFull, let last = piece.last {
            (transaction, id) = (last.transaction, last.id)
            return .goesOn
        }
        (transaction, id) = (piece.horizon, nil)
        return .isDone
    }

    /// The position of a reader that has everything read so far.
    func position(at milliseconds: Int64) -> EventPosition {
        EventPosition(milliseconds: milliseconds, transaction: transaction, id: id)
    }
}
