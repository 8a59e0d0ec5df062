/// A confirmation that a screen asks for before it acts. Its title is visible.
public struct Dialog: Sendable, Hashable {
    /// The title.
    public let title: String
    /// What the action does.
    public let message: String
    /// The button that acts.
    public let confirm: DialogButton
    /// The button that does not.
    public let cancel: DialogButton

    init(title: String, message: String, confirm: String, isDestructive: Bool = true, _ texts: KithTexts) {
        self.title = title
        self.message = message
        self.confirm = DialogButton(label: confirm, role: isDestructive ? .destructive : .normal)
        cancel = DialogButton(label: texts.buttonCancel, role: .cancel)
    }
}

/// A button of a dialog or an alert.
public struct DialogButton: Sendable, Hashable {
    /// What a button does, which decides how it looks.
    public enum Role: Sendable, Hashable {
        /// It does something that can be undone.
        case normal
        /// It ends something.
        case destructive
        /// It does nothing.
        case cancel
    }

    /// The label.
    public let label: String
    /// The role.
    public let role: Role
}

/// The colour of an action's symbol, by SwiftUI's names.
public enum ActionColor: String, Sendable, Hashable {
    /// Of an action that rests something.
    case orange
    /// Of an action that goes on with something.
    case green
    /// Of an action that ends something.
    case red
    /// Of every other action.
    case accent
}

/// An action that a screen offers: its label, its symbol, and the dialog that it asks first.
public struct ScreenAction<Kind: Sendable & Hashable>: Sendable, Hashable, Identifiable {
    /// What the action does.
    public let id: Kind
    /// The label, also for VoiceOver.
    public let label: String
    /// The name of its symbol in SF Symbols.
    public let symbol: String
    /// The symbol's colour.
    public let color: ActionColor
    /// Whether the button has the destructive role.
    public let isDestructive: Bool
    /// What to ask first; nil to act at once.
    public let dialog: Dialog?

    init(
        _ id: Kind, _ label: String, symbol: String, _ color: ActionColor = .accent, isDestructive: Bool = false,
        dialog: Dialog? = nil
    ) {
        (self.id, self.label, self.symbol, self.color) = (id, label, symbol, color)
        (self.isDestructive, self.dialog) = (isDestructive, dialog)
    }
}
