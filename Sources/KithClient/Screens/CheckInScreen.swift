internal import Foundation
public import Observation

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
    public func sentence(_ texts: KithTexts = .preferred()) -> String? {
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

/// A sender's main screen: what the day says, and the button "I'm safe".
///
/// While the person's own call for help is open, "I'm safe" ends it, and everybody who was told stops. So
/// ``checkIn()`` then only asks: show the dialog of ``asking`` elsewhere than the button, and call ``confirm()`` or
/// ``cancel()``.
///
/// Calls: `getHome`, `checkIn`; `streamEvents` while it follows.
@Observable @MainActor public final class CheckInScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// What the person's day says; nil until it is loaded, and for somebody who has nothing to check in to.
    public private(set) var day: Kith.State?
    /// The progress of the last tap.
    public private(set) var progress = CheckInProgress.idle
    /// Words that go along with the check-in.
    public var note = ""
    /// Whether the receivers see the note.
    public var sharesNote = false
    /// Where the person is, if the app has asked them and they allow it; nil sends nothing. It is stored sealed, for
    /// seven days.
    public var location: Kith.Place?

    /// The action whose dialog is shown; nil if there is none.
    public private(set) var asking: ScreenAction<CheckInAction>?

    /// The check-in whose steps are shown: that of the last tap, also if that was in an earlier launch or in another
    /// process of the app.
    private var latest: KithCheckIn?
    /// Follows a check-in that was kept before.
    @ObservationIgnored private var following: Task<Void, Never>?
    let calls: ScreenCalls

    /// Creates the screen. Call ``load()`` when it appears.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    deinit { following?.cancel() }

    /// The sentence above the button, at this moment.
    public var sentence: String {
        if let day { return day.current(at: calls.now, texts).sentence }
        if calls.isSignedOut { return texts.problemSignedOut }
        return state.isLoaded ? texts.checkInNothing : texts.checkInUnknown
    }

    /// When the day changes by itself the next time; nil if it does not.
    var changesAt: Date? { day?.until }

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

    /// Loads what the day says. A check-in that was kept before, and is not received, is shown at once.
    public func load() async {
        takeUpKept()
        await load {
            try await calls.home()
        } then: { home in
            day = home.state
            // The last tap has answered an earlier question.
            if case .received = progress, day?.asks == true { progress = .idle }
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
        (progress, latest) = (.sending, nil)
        let note = KeptCheckIn.note(note)
        do {
            let checkIn = try await calls.checkIn(note: note, shareNote: note == nil ? nil : sharesNote, location)
            self.note = ""
            latest = checkIn
            for await step in checkIn.states where latest?.id == checkIn.id { take(step) }
        } catch {
            state.fail(error, texts)
            progress = error is CancellationError ? .idle : .refused
        }
        if case .received = progress { await load() }
    }

    /// Shows the newest check-in that waits on this device; if none waits, the newest that was refused.
    private func takeUpKept() {
        let all = calls.kept
        guard latest == nil, !state.isBusy, let kept = all.last(where: { !$0.isRefused }) ?? all.last else { return }
        latest = kept
        following = Task { [weak self] in
            for await step in kept.states {
                guard let self, latest?.id == kept.id else { return }
                take(step)
            }
            guard let self, latest?.id == kept.id else { return }
            if case .received = progress { return await load() }
            // Another process has sent it long ago, or forgotten it.
            if !kept.isRefused { (latest, progress) = (nil, .idle) }
        }
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

    /// Takes away the error that the person has read. A check-in that the server refused is then forgotten.
    public func dismissProblem() {
        state.problem = nil
        if let refused = latest, refused.isRefused { calls.forget(refused) }
    }
}
