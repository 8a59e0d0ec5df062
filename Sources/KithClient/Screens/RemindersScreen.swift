import Foundation
public import Observation

/// A sender's reminders before the deadline, each with its minutes and channels.
///
/// Calls: `getHome`, `setSenderProfile`.
@Observable @MainActor public final class RemindersScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The reminders, at most four.
    public var reminders: [Kith.Reminder] = []
    /// The sender's profile; nil for somebody who is no sender, and until it is loaded.
    public private(set) var profile: Kith.SenderProfile?

    let calls: ScreenCalls

    /// Creates the screen. Call ``load()`` when it appears.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// What is not right about the reminders; nil if they can be saved.
    public var complaint: String? {
        guard let profile else { return nil }
        let minutes = reminders.map(\.beforeMinutes)
        let areRight =
            (1...4).contains(minutes.count) && Set(minutes).count == minutes.count
            && minutes.allSatisfy { (1..<profile.graceMinutes).contains($0) }
        return areRight ? nil : texts.senderRemindersInvalid
    }

    /// Fills the reminders from the stored profile.
    public func load() async {
        await load {
            try await calls.home().sender?.profile
        } then: { profile in
            if let profile { take(profile) }
        }
    }

    /// Saves the reminders.
    public func save() async {
        guard profile != nil else { return }
        if let complaint { return state.show(ErrorPresentation(invalid: complaint, texts: texts)) }
        await act {
            try await calls.setSenderProfile(.init(reminders: .set(reminders)))
        } then: { profile in
            take(profile)
            return texts.senderRemindersSaved
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    private func take(_ profile: Kith.SenderProfile) {
        (self.profile, reminders) = (profile, profile.reminders)
    }
}
