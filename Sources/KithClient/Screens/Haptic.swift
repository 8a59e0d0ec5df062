/// What a device lets the person feel. On iOS, `UINotificationFeedbackGenerator` has `success` and `error`, and
/// `UISelectionFeedbackGenerator` has `selection`; SwiftUI has `sensoryFeedback(_:trigger:)`.
public enum Haptic: Sendable, Hashable {
    /// An action has succeeded.
    case success
    /// An action has failed.
    case error
    /// A button was tapped.
    case selection
}
