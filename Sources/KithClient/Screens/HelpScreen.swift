import Foundation
public import Observation

/// "I need help": opens an alarm and tells all receivers at once.
@Observable @MainActor public final class HelpScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// Words for everybody who is told.
    public var note = ""
    /// Where the person is, if the app has asked them and they allow it; nil sends nothing. It is stored sealed, for
    /// seven days.
    public var location: Kith.Place?
    /// The alarm of the call; nil before.
    public private(set) var alarm: Kith.CalledAlarm?
    /// Whether the dialog before the call is shown.
    public private(set) var isAsking = false

    private let calls: ScreenCalls

    /// Creates the screen.
    public init(_ kith: Kith, texts: KithTexts = .english) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// The label of the button.
    public var button: String { texts.alarmCall }

    /// What has become of the call: how many people were told, or what to do where nobody could be; nil before it.
    public var result: String? {
        alarm.map { $0.advice ?? texts.alarmCallTold(count: $0.told) }
    }

    /// The dialog before the call; nil if it is not shown.
    public var dialog: Dialog? {
        guard isAsking else { return nil }
        return Dialog(
            title: texts.alarmCallTitle, message: texts.alarmCallMessage, confirm: texts.alarmCall,
            isDestructive: false,
            texts)
    }

    /// Asks whether to call for help.
    public func ask() {
        isAsking = !state.isBusy
    }

    /// Calls for help. A second call adds nothing.
    public func confirm() async {
        guard isAsking else { return }
        isAsking = false
        // The result of an earlier call says nothing about this one.
        alarm = nil
        let words = note.trimmingCharacters(in: .whitespacesAndNewlines)
        await act {
            try await calls.callForHelp(note: words.isEmpty ? nil : words, location)
        } then: { called in
            alarm = called
            note = ""
            return result
        }
    }

    /// Does not call.
    public func cancel() {
        isAsking = false
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}
