public import Foundation
public import Observation

/// What a sender's screen says about today: a value computed from the first screen's answer and from the time.
public enum Today: Sendable, Hashable {
    /// The person is asked, and the deadline is ahead.
    case due(deadline: Date)
    /// Today's ping comes later. It can be answered early.
    case later(at: Date)
    /// The deadline has passed without a check-in.
    case missed
    /// The deadline of an earlier day has passed, and no check-in has come since.
    case missedEarlier(on: Kith.LocalDate)
    /// Today's ping is completed.
    case done(at: Date, late: Bool)
    /// The person is on a break.
    case onBreak(until: Kith.LocalDate)
    /// There is nothing to check in to.
    case nothing
    /// Today has not been loaded yet.
    case unknown

    /// Computes it. The most urgent ping decides: a missed one first, then the due one with the earliest deadline.
    /// `misses` are those that nobody has answered, of any day: no new day and no break hides one.
    public init(pings: [Kith.Ping], misses: [Kith.Ping] = [], break: Kith.Break?, on date: Kith.LocalDate) {
        let live = pings.filter { $0.status != .cancelled }
        if live.contains(where: { $0.status == .missed }) || misses.contains(where: { $0.date == date }) {
            self = .missed
        } else if let missed = misses.map(\.date).max() {
            self = .missedEarlier(on: missed)
        } else if let deadline = live.filter({ $0.status == .due }).map(\.deadlineAt).min() {
            self = .due(deadline: deadline)
        } else if let at = live.filter({ $0.status == .scheduled }).map(\.scheduledAt).min() {
            self = .later(at: at)
        } else if let ping = live.filter({ $0.completedAt != nil }).max(by: { $0.deadlineAt < $1.deadlineAt }),
            let at = ping.completedAt
        {
            self = .done(at: at, late: ping.status == .completedLate)
        } else if let rest = `break`, rest.from <= date, date <= rest.until {
            self = .onBreak(until: rest.until)
        } else {
            self = .nothing
        }
    }

    /// The sentence above the button at `now`, by the server's clock. Times are written in `timeZone`.
    public func sentence(at now: Date, in timeZone: TimeZone, _ texts: KithTexts = .english) -> String {
        switch self {
        case .due(let deadline):
            let minutes = Int((deadline.timeIntervalSince(now) / 60).rounded(.up))
            return minutes < 1 ? texts.checkInDue : "\(texts.checkInDue) \(texts.checkInLeft(count: minutes))"
        case .later(let at): return texts.checkInLater(time: Self.time(at, timeZone, texts))
        case .missed: return texts.checkInMissed
        case .missedEarlier(let day): return texts.checkInMissedOn(date: day.formatted(texts))
        case .done(let at, let late):
            let time = Self.time(at, timeZone, texts)
            return late ? texts.checkInDoneLate(time: time) : texts.checkInDone(time: time)
        case .onBreak(let until): return texts.checkInOnBreak(date: until.formatted(texts))
        case .nothing: return texts.checkInNothing
        case .unknown: return texts.checkInUnknown
        }
    }

    private static func time(_ date: Date, _ zone: TimeZone, _ texts: KithTexts) -> String {
        var style = Date.FormatStyle(date: .omitted, time: .shortened, locale: Locale(identifier: texts.language))
        style.timeZone = zone
        return date.formatted(style)
    }
}

/// The progress of a tap on "I'm safe". Only ``received(_:)`` means that the server knows. A check-in that is kept on
/// the device is not called safe, since the receivers do not know about it.
public enum CheckInProgress: Sendable, Hashable {
    /// Nothing was tapped.
    case idle
    /// The tap is on its way.
    case sending
    /// The tap is kept on the device until the network returns.
    case kept
    /// The server has the check-in.
    case received(Kith.CheckIn)
    /// The server has refused the check-in.
    case refused

    /// The sentence below the button; nil if there is nothing to say.
    public func sentence(_ texts: KithTexts = .english) -> String? {
        switch self {
        case .idle: nil
        case .sending: texts.checkInSending
        case .kept: texts.checkInKept
        case .received: texts.checkInReceived
        case .refused: texts.checkInRefused
        }
    }
}

/// A sender's main screen: today's question, and the button "I'm safe".
@Observable @MainActor public final class CheckInScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// What today is about.
    public private(set) var today = Today.unknown
    /// The progress of the last tap.
    public private(set) var progress = CheckInProgress.idle
    /// The time zone of the person's pings.
    public private(set) var timeZone = TimeZone.current
    /// Words that go along with the check-in.
    public var note = ""
    /// Whether the receivers see the note.
    public var sharesNote = false
    /// Where the person is, if the app has asked them and they allow it; nil sends nothing. It is stored sealed, for
    /// seven days.
    public var location: Kith.Place?

    /// The check-in whose steps are shown: that of the last tap.
    private var latest: UUID?
    private let calls: ScreenCalls

    /// Creates the screen. Call ``load()`` when it appears.
    public init(_ kith: Kith, texts: KithTexts = .english) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// The label of the button. It is never disabled by the time of day: anybody may say "I'm safe" at any time.
    public var button: String { texts.checkInButton }

    /// Loads what today is about.
    public func load() async {
        await load {
            try await calls.home()
        } then: { home in
            guard let sender = home.sender else { return today = .nothing }
            timeZone = TimeZone(identifier: sender.profile.timeZone) ?? .current
            let connections = sender.dashboard.items
            today = Today(
                pings: connections.compactMap(\.todayPing), misses: connections.compactMap(\.missedPing),
                break: sender.break, on: sender.dashboard.date)
            switch (today, progress) {
            // The last tap has answered an earlier question.
            case (.due, .received), (.missed, .received), (.missedEarlier, .received): progress = .idle
            default: break
            }
        }
    }

    /// Says "I'm safe". It returns when the server has the check-in or has refused it; the person can tap again
    /// meanwhile, because a tap that waits for a network is on the disk.
    public func checkIn() async {
        guard state.begin() else { return }
        progress = .sending
        let note = KeptCheckIn.note(note)
        do {
            let checkIn = try await calls.checkIn(note: note, shareNote: note == nil ? nil : sharesNote, location)
            self.note = ""
            latest = checkIn.id
            for await step in checkIn.states where latest == checkIn.id { take(step) }
        } catch {
            state.fail(error, texts)
            progress = error is CancellationError ? .idle : .refused
        }
        if case .received = progress { await load() }
    }

    /// Takes in a step of the latest check-in.
    private func take(_ step: KithCheckIn.State) {
        switch step {
        case .kept:
            // On its way, and on the disk: the person may tap again. Nothing is said yet, since the answer mostly comes
            // at once.
            state.isBusy = false
        case .delayed:
            progress = .kept
            state.announce(texts.checkInKept)
        case .received(let receipt):
            progress = .received(receipt)
            state.succeed(texts.checkInReceived)
        case .refused(let problem):
            progress = .refused
            state.fail(problem, texts)
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}
