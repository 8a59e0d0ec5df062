public import Foundation
public import Observation

/// What a sender's screen says about today: a value computed from the first screen's answer.
public enum Today: Sendable, Hashable {
    /// The person has called for help, and the call is open.
    case calledForHelp
    /// Somebody asked the person whether they are OK, and has not got an answer in time.
    case unanswered
    /// The person is asked, and there is time until the deadline, or until Kith judges if that is later.
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
    /// `misses` are those that nobody has answered, of any day: no new day and no break hides one. An own alarm that is
    /// open goes before all: no earlier check-in stands beside it.
    public init(
        pings: [Kith.Ping], misses: [Kith.Ping] = [], alarms: [Kith.OpenAlarm] = [], break: Kith.Break?,
        on date: Kith.LocalDate
    ) {
        let live = pings.filter { $0.status != .cancelled }
        let own = alarms.filter { $0.role == .sender }.map(\.kind)
        if own.contains(.help) {
            self = .calledForHelp
        } else if own.contains(.unanswered) {
            self = .unanswered
        } else if live.contains(where: { $0.status == .missed }) || misses.contains(where: { $0.date == date }) {
            self = .missed
        } else if let missed = misses.map(\.date).max() {
            self = .missedEarlier(on: missed)
        } else if let deadline = live.filter({ $0.status == .due }).map({ $0.judgeAt ?? $0.deadlineAt }).min() {
            self = .due(deadline: deadline)
        } else if let at = live.filter({ $0.status == .scheduled }).map(\.scheduledAt).min() {
            self = .later(at: at)
        } else if let ping = live.filter({ $0.completedAt != nil }).max(by: { $0.deadlineAt < $1.deadlineAt }),
            let at = ping.completedAt
        {
            self = .done(at: at, late: ping.isToldLate)
        } else if let rest = `break`, rest.from <= date, date <= rest.until {
            self = .onBreak(until: rest.until)
        } else {
            self = .nothing
        }
    }

    /// The sentence above the button at `now`, by the server's clock. Times are written in `timeZone`.
    func sentence(at now: Date, in timeZone: TimeZone, _ texts: KithTexts = .english) -> String {
        switch self {
        case .calledForHelp: return texts.checkInCalled
        case .unanswered: return texts.checkInUnanswered
        case .due(let deadline):
            let minutes = Int((deadline.timeIntervalSince(now) / 60).rounded(.up))
            return minutes < 1 ? texts.checkInDue : "\(texts.checkInDue) \(texts.checkInLeft(count: minutes))"
        // Its time has come, and the server has not said so yet.
        case .later(let at) where at <= now: return texts.checkInDue
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

    /// Whether a miss waits for the person's check-in.
    fileprivate var isMiss: Bool {
        switch self {
        case .missed, .missedEarlier: true
        default: false
        }
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
    /// The tap is kept on the device until the same person signs in again.
    case waitsForSignIn
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
        case .waitsForSignIn: texts.checkInKeptSignIn
        case .received: texts.checkInReceived
        case .refused: texts.checkInRefused
        }
    }
}

/// What the button of the check-in screen does.
public enum CheckInAction: Sendable, Hashable {
    /// Says "I'm safe".
    case checkIn
}

/// A sender's main screen: today's question, and the button "I'm safe".
///
/// While the person's own call for help is open, "I'm safe" ends it, and everybody who was told stops. So
/// ``checkIn()`` then only asks: show the dialog of ``asking`` elsewhere than the button, and call ``confirm()`` or
/// ``cancel()``.
@Observable @MainActor public final class CheckInScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// What today is about.
    public private(set) var today = Today.unknown
    /// Who has ended the alarm of a miss and what they said, while the miss goes on.
    private var resolution: Kith.MissedPingResolution?
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

    /// The action whose dialog is shown; nil if there is none.
    public private(set) var asking: ScreenAction<CheckInAction>?

    /// The check-in whose steps are shown: that of the last tap.
    private var latest: UUID?
    let calls: ScreenCalls

    /// Creates the screen. Call ``load()`` when it appears.
    public init(_ kith: Kith, texts: KithTexts = .english) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// The sentence above the button, at this moment. It counts the minutes that are left, so draw it anew each minute.
    public var sentence: String {
        let sentence = today.sentence(at: calls.now, in: timeZone, texts)
        guard today.isMiss, let resolution else { return sentence }
        return "\(sentence) \(resolution.sentence(toSender: true, in: timeZone, texts))"
    }

    /// The label of the button. It is never disabled by the time of day: anybody may say "I'm safe" at any time.
    public var button: String { texts.checkInButton }

    /// The action of the button, with the question that it asks first while the person's own call for help is open.
    public var action: ScreenAction<CheckInAction> {
        let dialog = Dialog(
            title: texts.alarmCallEndTitle, message: texts.alarmCallEndMessage, confirm: texts.alarmCallEndConfirm,
            texts)
        return ScreenAction(
            .checkIn, button, symbol: "checkmark.circle.fill", .green, dialog: calls.endsOwnCall ? dialog : nil)
    }

    /// Loads what today is about.
    public func load() async {
        await load {
            try await calls.home()
        } then: { home in
            guard let sender = home.sender else {
                // Anybody can call for help, and be asked.
                resolution = nil
                return today = Today(
                    pings: [], alarms: home.alarms, break: nil, on: Kith.LocalDate(calls.now, in: timeZone))
            }
            timeZone = TimeZone(identifier: sender.profile.timeZone) ?? .current
            // Nobody is told of the ping of a connection that waits for a consent.
            let connections = sender.dashboard.items.filter { $0.status != .pending }
            resolution = connections.compactMap(\.missedPingResolution).max { $0.at < $1.at }
            today = Today(
                pings: connections.compactMap(\.todayPing), misses: connections.compactMap(\.missedPing),
                alarms: home.alarms, break: sender.break, on: sender.dashboard.date)
            switch (today, progress) {
            // The last tap has answered an earlier question.
            case (.due, .received), (.missed, .received), (.missedEarlier, .received), (.calledForHelp, .received),
                (.unanswered, .received):
                progress = .idle
            default: break
            }
        }
    }

    /// Says "I'm safe", or asks first. It returns when the server has the check-in or has refused it; the person can
    /// tap again meanwhile, because a tap that waits for a network is on the disk.
    public func checkIn() async {
        let action = action
        if action.dialog == nil { return await carryOut() }
        if !state.isBusy { asking = action }
    }

    /// Says "I'm safe" after the question, which ends the person's own call for help.
    public func confirm() async {
        guard asking != nil else { return }
        asking = nil
        await carryOut()
    }

    /// Lets the call for help go on.
    public func cancel() {
        asking = nil
    }

    private func carryOut() async {
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
        case .waitsForSignIn:
            progress = .waitsForSignIn
            state.announce(texts.checkInKeptSignIn)
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
