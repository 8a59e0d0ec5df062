/// Decides when a reader of events connects again, and after which position. It does no input or output: its owner
/// reports what happened and does what it is told.
struct EventReconnection: Sendable {
    /// Why a connection ended, or was not made.
    enum Ending: Sendable {
        /// The server ended the stream, for example because the access token has expired or because it restarts.
        case closed
        /// Nothing arrived for ``silence``, or the network failed.
        case lost
        /// The server refused the stream.
        case refused(KithProblem)
        /// The app came to the front after a while. Its old connection is not to be trusted.
        case abandoned
        /// The reader was slow, and has now read everything that had arrived.
        case overrun
    }

    /// The owner's next act.
    enum Action: Sendable, Equatable {
        /// Waits, unless the app comes to the front, and connects.
        case connect(after: Duration)
        /// Tells the reader to load everything that it shows again, and connects without a position.
        case startAnew
        /// Ends the sequence with this error.
        case fail(KithProblem)
    }

    /// After this time without a byte a connection is dead. The server sends a keep-alive every 15 s.
    static let silence = Duration.seconds(60)
    /// A connection that has been silent for longer when the app comes to the front is abandoned: it has missed a
    /// keep-alive.
    static let silenceInBackground = Duration.seconds(20)
    /// The longest wait between two attempts.
    static let longestWait = Duration.seconds(60)

    /// The wait before the first attempt, as the server last said.
    private(set) var retry = Duration.seconds(2)
    /// The failures since something last arrived.
    private(set) var failures = 0

    /// Reports that bytes have arrived. `retry` is the wait that the stream asks for, in milliseconds.
    mutating func received(retry milliseconds: Int?) {
        failures = 0
        if let milliseconds { retry = min(.milliseconds(milliseconds), Self.longestWait) }
    }

    /// The next action after a connection has ended. `random` is from 0 to 1 and spreads the attempts of many clients.
    mutating func ended(_ ending: Ending, random: Double) -> Action {
        switch ending {
        case .abandoned, .overrun:
            failures = 0
            return .connect(after: .zero)
        case .closed, .lost:
            return .connect(after: wait(random))
        case .refused(let problem):
            switch problem.code.rawValue {
            // The sign-in is over, or there is none: the call has tried to refresh its token.
            case "unauthenticated", "forbidden", KithProblem.Code.notPrepared.rawValue: return .fail(problem)
            // The position is not one of this server's.
            case "validation_failed", "invalid_request": return .startAnew
            default:
                let asked = Duration.seconds(min(max(problem.retryAfter ?? 0, 0), 3600))
                return .connect(after: max(asked * (1 + random / 4), wait(random)))
            }
        }
    }

    /// Whether a connection that has been silent for `silence` is abandoned when the app comes to the front.
    static func abandons(after silence: Duration) -> Bool {
        silence > silenceInBackground
    }

    /// The first wait is the server's. Each further one is twice as long, and between half and all of it passes.
    private mutating func wait(_ random: Double) -> Duration {
        let doublings = min(failures, 6)
        failures += 1
        let whole = min(max(retry, .milliseconds(100)) * (1 << doublings), Self.longestWait)
        return whole * (0.5 + random / 2)
    }
}
