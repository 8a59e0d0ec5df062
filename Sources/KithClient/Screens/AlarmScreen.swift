public import Foundation
public import Observation

/// The actions on an alarm.
public enum AlarmAction: Sendable, Hashable {
    /// The receiver looks after it, or says that they still do.
    case take
    /// The taker gives it back, or a receiver says that they can't look after it.
    case release
    /// The receiver reached the sender, who is safe.
    case safe
    /// The receiver called for help.
    case helpCalled
    /// The receiver opens it again, since it ended too early.
    case reopen
    /// The sender says that it was a false alarm.
    case falseAlarm
}

extension Kith.Alarm {
    /// The actions that the caller has, the most important first, with the dialogs that they ask first.
    public func actions(_ texts: KithTexts = .preferred()) -> [ScreenAction<AlarmAction>] {
        let name = sender.displayName
        func ending(_ kind: AlarmAction, _ label: String, _ symbol: String, title: String, message: String)
            -> ScreenAction<AlarmAction>
        {
            ScreenAction(
                kind, label, symbol: symbol, .green,
                dialog: Dialog(title: title, message: message, confirm: label, isDestructive: false, texts))
        }
        if role == .sender {
            guard status != .resolved else { return [] }
            return [
                ending(
                    .falseAlarm, texts.alarmFalse, "bell.slash.fill", title: texts.alarmFalseTitle,
                    message: texts.alarmFalseMessage)
            ]
        }
        guard role == .receiver else { return [] }
        guard status != .resolved else {
            guard outcome == .safe || outcome == .helpCalled else { return [] }
            // It asks, so that a second tap of whoever ended the alarm does not open it, and a second tap of whoever
            // opens it does not say that they look after it: `safe` may have stood at its place, and `take` follows
            // there.
            let dialog = Dialog(
                title: texts.alarmReopenTitle, message: texts.alarmReopenMessage, confirm: texts.alarmReopen,
                isDestructive: false, texts)
            return [ScreenAction(.reopen, texts.alarmReopen, symbol: "bell.badge.fill", .orange, dialog: dialog)]
        }
        var actions: [ScreenAction<AlarmAction>] = []
        if status == .open || takenByMe {
            let label = takenByMe ? texts.alarmTakeAgain : texts.alarmTake
            actions.append(ScreenAction(.take, label, symbol: "figure.walk"))
        }
        actions.append(
            ending(
                .safe, texts.alarmSafe, "checkmark.circle.fill", title: texts.alarmSafeTitle(name: name),
                message: texts.alarmSafeMeaning))
        actions.append(
            ending(
                .helpCalled, texts.alarmHelpCalled, "cross.case.fill", title: texts.alarmHelpCalledTitle,
                message: texts.alarmSafeMeaning))
        if takenByMe {
            actions.append(ScreenAction(.release, texts.alarmRelease, symbol: "arrow.uturn.backward", .orange))
        } else if status == .open, !declinedByMe {
            actions.append(ScreenAction(.release, texts.alarmDecline, symbol: "hand.raised"))
        }
        return actions
    }
}

/// One alarm: who knows, who goes, what the person who goes should know, and one big "I'm looking after it".
///
/// Calls: `getAlarm`, `getAlarmCareCard`, `noteAlarm`, `takeAlarm`, `releaseAlarm`, `resolveAlarm`, `reopenAlarm`;
/// `streamEvents` while it follows.
@Observable @MainActor public final class AlarmScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The id of the alarm.
    public let id: UUID
    /// The alarm; nil until it is loaded, and for somebody who has no part in it any more.
    public private(set) var alarm: Kith.Alarm?
    /// The sender's care card and place, once they were asked for; nil before, and when the alarm is over.
    public private(set) var card: Kith.CareCard?
    /// The action whose dialog is shown; nil if there is none.
    public private(set) var asking: ScreenAction<AlarmAction>?
    /// What the person is about to write for everybody in the alarm. It goes along when they end it.
    public var note = ""

    let calls: ScreenCalls

    /// Creates the screen. Call ``load()`` when it appears, or `follow(_:)` to keep it current.
    public init(_ kith: Kith, _ id: UUID, texts: KithTexts = .preferred()) {
        (calls, self.id, self.texts) = (ScreenCalls(kith), id, texts)
    }

    /// The actions of the person.
    public var actions: [ScreenAction<AlarmAction>] { alarm?.actions(texts) ?? [] }

    /// Whether the care card can be asked for. The sender sees each view.
    public var maySeeCard: Bool {
        guard let alarm else { return false }
        return alarm.role == .receiver && alarm.status != .resolved && alarm.kind != .drill && alarm.hasCareCard
    }

    /// Loads the alarm.
    public func load() async {
        let failure = await load {
            try await calls.alarm(id)
        } then: { alarm in
            take(alarm)
        }
        if (failure as? KithProblem)?.code == .notFound { (alarm, card) = (nil, nil) }
    }

    /// Takes in the alarm as it is now, from an answer or an event.
    func take(_ changed: Kith.Alarm) {
        guard changed.id == id else { return }
        let before = alarm?.state.sentence
        alarm = changed
        if changed.status == .resolved { card = nil }
        if let before, before != changed.state.sentence, !state.isBusy { state.announce(changed.state.sentence) }
    }

    /// Takes an action, or asks first.
    public func choose(_ kind: AlarmAction) async {
        guard !state.isBusy, let action = actions.first(where: { $0.id == kind }) else { return }
        if action.dialog == nil { return await carryOut(kind) }
        asking = action
    }

    /// Takes the action whose dialog is shown.
    public func confirm() async {
        guard let action = asking else { return }
        asking = nil
        await carryOut(action.id)
    }

    /// Leaves everything as it is.
    public func cancel() {
        asking = nil
    }

    /// Shows the care card and the place. The sender sees that the person has looked.
    public func showCard() async {
        guard maySeeCard else { return }
        await act {
            try await calls.careCard(of: id)
        } then: { card in
            self.card = card
            return alarm.map { texts.alarmCardMeaning(name: $0.sender.displayName) }
        }
    }

    /// Adds the note, which everybody in the alarm sees.
    public func addNote() async {
        guard let words = enteredNote else {
            return state.show(ErrorPresentation(invalid: texts.alarmNoteEmpty, texts: texts))
        }
        await act {
            try await calls.note(id, words)
        } then: { alarm in
            note = ""
            take(alarm)
            return texts.alarmNoted
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    private var enteredNote: String? {
        let words = note.trimmingCharacters(in: .whitespacesAndNewlines)
        return words.isEmpty ? nil : words
    }

    private func carryOut(_ kind: AlarmAction) async {
        guard let shown = alarm else { return }
        let name = shown.sender.displayName
        let done: Kith.Alarm? = await act {
            switch kind {
            case .take: try await calls.take(id)
            case .release: try await calls.release(id)
            case .safe: try await calls.resolve(shown, .safe, enteredNote)
            case .helpCalled: try await calls.resolve(shown, .helpCalled, enteredNote)
            case .falseAlarm: try await calls.resolve(shown, .falseAlarm, enteredNote)
            case .reopen: try await calls.reopen(id, enteredNote)
            }
        } then: { alarm in
            take(alarm)
            switch kind {
            case .take: return texts.alarmTook(name: name)
            case .release: return shown.takenByMe ? texts.alarmReleased(name: name) : texts.alarmDeclined
            case .reopen: return texts.alarmReopened
            case .safe, .helpCalled, .falseAlarm:
                note = ""
                return texts.alarmEnded
            }
        }
        // Somebody was faster: the screen shows who, and keeps saying why the tap did nothing.
        guard done == nil, let problem = state.problem else { return }
        if let current = try? await calls.alarm(id) { alarm = current }
        state.problem = problem
    }
}

/// The alarms that concern a person now, for a banner on every screen and a list.
///
/// Calls: `getHome`; `streamEvents` while it follows.
@Observable @MainActor public final class AlarmsScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The alarms that are not over, newest first, drills last.
    public private(set) var alarms: [Kith.OpenAlarm] = []

    let calls: ScreenCalls

    /// Creates an empty list. Call ``load()`` when it appears, or `follow(_:)` to keep it current.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// The alarm of the banner: the newest that nobody looks after, or else the newest; nil if there is none.
    public var banner: Kith.OpenAlarm? { alarms.first { $0.status == .open && $0.kind != .drill } ?? alarms.first }

    /// What stands in place of an empty list; nil if nothing is known yet.
    public var placeholder: String? { state.isLoaded && alarms.isEmpty ? texts.alarmNone : nil }

    /// Loads the alarms.
    public func load() async {
        await load {
            try await calls.home().alarms
        } then: { alarms in
            let known = Set(self.alarms.map(\.id))
            if let new = alarms.first(where: { !known.contains($0.id) }), new.role == .receiver {
                state.announce(new.state.text)
            }
            self.alarms = alarms
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}

extension AlarmScreen: LiveScreen {
    /// The client whose events change the screen.
    public var kith: Kith { calls.kith }

    /// Takes in what has changed in the alarm, and that the person has no part in it any more.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .alarm(let event):
            switch event.data {
            case .changedAlarm(let changed): if changed.id == id { await load() }
            case .gone(let gone): if gone.id == id { await load() }
            case .unknown: await load()
            }
        case .reset: await load()
        default: break
        }
    }
}

extension AlarmsScreen: LiveScreen {
    /// The client whose events change the screen.
    public var kith: Kith { calls.kith }

    /// Loads the alarms anew when one has changed.
    public func apply(_ event: Kith.StreamEvent) async {
        switch event {
        case .alarm, .reset: await load()
        default: break
        }
    }
}
