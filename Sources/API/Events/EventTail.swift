/// How far a server has read the events of all tenants. A pure value: the reading is done elsewhere.
struct EventTail {
    /// What was read at once.
    struct Piece {
        /// The oldest transaction that was still running: nothing of it and of later ones was read.
        let horizon: UInt64
        /// The last event in it; nil where there is none.
        let last: (transaction: UInt64, id: String)?
        /// Whether it holds as many events as were asked for, so that there may be more below the horizon.
        let isFull: Bool
    }

    /// What a piece means.
    enum Step: Equatable {
        /// There may be more at once.
        case goesOn
        /// Everything below the horizon is read.
        case isDone
        /// The database has forgotten transactions that were read: it is a stand-by that had not got them all, or a back-up. Nobody knows
        /// what its readers have.
        case wentBack
    }

    /// Everything before is read.
    private(set) var transaction: UInt64
    /// Of ``transaction``, everything up to this id.
    private(set) var id: String?
    /// Of the last piece.
    private(set) var horizon: UInt64

    /// Begins where everything from now on is ahead.
    init(horizon: UInt64) {
        transaction = horizon
        self.horizon = horizon
    }

    /// Takes a piece.
    mutating func take(_ piece: Piece) -> Step {
        // A horizon never falls: each snapshot is taken after the one before.
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

    /// What a reader has who has everything that was read.
    func position(at milliseconds: Int64) -> EventPosition {
        EventPosition(milliseconds: milliseconds, transaction: transaction, id: id)
    }
}
