public import Observation

/// The screen on which a person enters the six digits of somebody's code and connects: a sender a receiver's code, or a
/// receiver a sender's.
///
/// Bind the one hidden text field to `entry.text`, draw `entry.boxes`, and call ``connect()`` from the button.
///
/// Calls: `createConnection`.
@Observable @MainActor public final class ConnectScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The role that the person has in the new connection.
    public let role: Kith.Role
    /// The code as it is entered.
    public var entry = CodeEntry()
    /// The connection, once it is made: show ``success`` instead of the boxes.
    public private(set) var connection: Kith.Connection?

    let calls: ScreenCalls

    /// Creates the screen with empty boxes and the keyboard up.
    public init(_ kith: Kith, as role: Kith.Role, texts: KithTexts = .preferred()) {
        (calls, self.role, self.texts) = (ScreenCalls(kith), role, texts)
    }

    /// The title.
    public var title: String { role == .receiver ? texts.connectTitleReceiver : texts.connectTitleSender }

    /// The label of the button, also while it is busy.
    public var button: String { state.isBusy ? texts.connectBusy : texts.connectButton }

    /// The label of the paste button; nil if the clipboard has no code.
    public var pasteButton: String? { entry.clipboardCode.map { texts.connectPaste(code: $0) } }

    /// What VoiceOver says of the boxes.
    public var entryLabel: String { "\(texts.connectCodeLabel), \(texts.connectCodeEntered(count: entry.text.count))" }

    /// What stands beside the green checkmark: "Connected to Bob". Nil until the connection is made.
    public var success: String? { connection.map { texts.connectDone(name: $0.shownName) } }

    /// Looks for a code in the clipboard. Call it when the screen appears.
    public func appear(clipboard: String?) {
        entry.lookAtClipboard(clipboard)
    }

    /// Fills in the code with which a join link has opened the app, if it is one.
    public func open(code: String?) {
        if let code = CodeEntry.codeInClipboard(code) { entry.text = code }
    }

    /// Connects. An incomplete code is refused here, without a call.
    public func connect() async {
        guard let code = entry.code else {
            return state.show(ErrorPresentation(invalid: texts.connectCodeIncomplete, texts: texts))
        }
        await act {
            try await calls.connect(code)
        } then: { connection in
            self.connection = connection
            return texts.connectDone(name: connection.shownName)
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
        entry.tap()
    }
}

extension Kith.Connection {
    /// The name of the other side: the person's own name for them, else the one that they gave themselves.
    public var shownName: String { alias ?? counterpart.displayName }
}
