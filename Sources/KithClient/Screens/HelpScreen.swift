public import Foundation
public import Observation

/// "I need help": opens an alarm and tells all receivers at once.
///
/// Calls: `callForHelp`.
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
    /// Whether the call could not be sent: nobody has been told, and nothing is sent later. What the person typed is
    /// kept.
    public private(set) var isUnsent = false
    /// Whether the dialog before the call is shown.
    public private(set) var isAsking = false
    /// For how long the person waits for the server.
    var limit = Kith.patience

    let calls: ScreenCalls

    /// Creates the screen.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// The label of the button.
    public var button: String { texts.alarmCall }

    /// What has become of the call: how many people were told, or what to do where nobody could be, also because the
    /// call could not be sent; nil before it.
    public var result: String? {
        if isUnsent { return texts.alarmCallUnsent(number: Kith.emergencyNumber) }
        return alarm.map { $0.advice ?? texts.alarmCallTold(count: $0.told) }
    }

    /// The link that calls the emergency number. Show it at all times, and first while ``isUnsent``.
    public var emergencyCall: URL? { Kith.emergencyCall }

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

    /// Calls for help, and waits for 20 seconds at most. A second call adds nothing.
    public func confirm() async {
        guard isAsking, state.begin() else { return }
        isAsking = false
        // The result of an earlier call says nothing about this one.
        (alarm, isUnsent) = (nil, false)
        let words = note.trimmingCharacters(in: .whitespacesAndNewlines)
        do {
            alarm = try await calls.callForHelp(note: words.isEmpty ? nil : words, location, within: limit)
            note = ""
            state.succeed(result)
        } catch {
            isUnsent = true
            state.fail(showing: ErrorPresentation(unsentHelp: error, texts: texts))
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
