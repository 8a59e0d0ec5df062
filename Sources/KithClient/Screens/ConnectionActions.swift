public import Observation

/// The actions on a connection.
public enum ConnectionAction: Sendable, Hashable {
    /// Rests the pings. The sender can, while the connection is active.
    case pause
    /// Lets the pings go on. The sender can, while the connection is paused. It asks nothing first.
    case resume
    /// Ends the connection. Either side can.
    case remove
}

extension Kith.Connection {
    /// The actions that the caller has, in the order of the sheet, with the dialogs that they ask first.
    public func actions(_ texts: KithTexts = .preferred()) -> [ScreenAction<ConnectionAction>] {
        let isSender = role == .sender
        var actions: [ScreenAction<ConnectionAction>] = []
        if isSender, status == .active {
            let dialog = Dialog(
                title: texts.connectionPauseTitle, message: texts.connectionPauseMessage(name: shownName),
                confirm: texts.connectionPauseConfirm, texts)
            actions.append(
                .init(.pause, texts.connectionPauseAction, symbol: "pause.circle.fill", .orange, dialog: dialog))
        }
        if isSender, status == .paused {
            actions.append(.init(.resume, texts.connectionResumeAction, symbol: "play.circle.fill", .green))
        }
        if status != .deleted {
            let message =
                isSender
                ? texts.connectionRemoveMessageSender(name: shownName)
                : texts.connectionRemoveMessageReceiver(name: shownName)
            let dialog = Dialog(
                title: texts.connectionRemoveTitle, message: message, confirm: texts.connectionRemoveConfirm, texts)
            actions.append(
                .init(
                    .remove, texts.connectionRemoveAction, symbol: "trash.fill", .red, isDestructive: true,
                    dialog: dialog))
        }
        return actions
    }
}

/// The sheet of actions on one connection.
///
/// Show ``actions``. On a tap call ``choose(_:)``: an action with a dialog waits in ``asking`` for ``confirm()`` or
/// ``cancel()``.
///
/// Calls: `pauseConnection`, `resumeConnection`, `deleteConnection`.
@Observable @MainActor public final class ConnectionActionsScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The connection as it is now.
    public private(set) var connection: Kith.Connection
    /// The action whose dialog is shown; nil if there is none.
    public private(set) var asking: ScreenAction<ConnectionAction>?
    /// Whether the sheet has done its work and goes away.
    public private(set) var isDone = false

    let calls: ScreenCalls

    /// Creates the sheet of `connection`.
    public init(_ kith: Kith, _ connection: Kith.Connection, texts: KithTexts = .preferred()) {
        (calls, self.connection, self.texts) = (ScreenCalls(kith), connection, texts)
    }

    /// The actions. They are disabled while one of them runs.
    public var actions: [ScreenAction<ConnectionAction>] { connection.actions(texts) }

    /// Takes an action, or asks first. An action that the connection does not have now does nothing.
    public func choose(_ kind: ConnectionAction) async {
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

    /// Leaves the connection as it is.
    public func cancel() {
        asking = nil
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    private func carryOut(_ kind: ConnectionAction) async {
        await act {
            switch kind {
            case .pause: return try await calls.pause(connection.id)
            case .resume: return try await calls.resume(connection.id)
            case .remove:
                try await calls.remove(connection.id)
                var removed = connection
                removed.status = .deleted
                return removed
            }
        } then: { changed in
            connection = changed
            isDone = true
            switch kind {
            case .pause: return texts.connectionPauseDone(name: changed.shownName)
            case .resume: return texts.connectionResumeDone(name: changed.shownName)
            case .remove: return texts.connectionRemoveDone(name: changed.shownName)
            }
        }
    }
}
