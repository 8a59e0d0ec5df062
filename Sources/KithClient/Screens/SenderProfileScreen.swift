import Foundation
public import Observation

/// The screen on which a person becomes a sender, or changes when they are asked.
///
/// Calls: `getHome`, `setSenderProfile`.
@Observable @MainActor public final class SenderProfileScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// When the person is asked every day.
    public var pingTime: Kith.TimeOfDay = "09:00"
    /// The time zone of ``pingTime``.
    public var timeZone = Kith.deviceTimeZone
    /// How many minutes the person has to answer.
    public var graceMinutes = 90
    /// How many minutes before the deadline the person is reminded.
    public var reminderMinutes = 15
    /// Whether receivers see the phone number beside a missed ping.
    public var sharesPhone = false
    /// The profile as it is stored; nil for somebody who is no sender yet.
    public private(set) var profile: Kith.SenderProfile?

    let calls: ScreenCalls

    /// Creates the screen. Call ``load()`` when it appears.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// What is not right about the fields; nil if they can be saved.
    public var complaint: String? {
        if !(5..<720).contains(graceMinutes) { return texts.senderGraceInvalid }
        return (1..<graceMinutes).contains(reminderMinutes) ? nil : texts.senderReminderInvalid
    }

    /// Fills the fields from the stored profile.
    public func load() async {
        await load {
            try await calls.home().sender?.profile
        } then: { profile in
            if let profile { take(profile) }
        }
    }

    /// Saves the fields.
    public func save() async {
        guard maySave else { return }
        if let complaint { return state.show(ErrorPresentation(invalid: complaint, texts: texts)) }
        let request = Kith.SetSenderProfileRequest(
            pingTime: pingTime, timeZone: .set(timeZone), graceMinutes: .set(graceMinutes),
            reminderMinutes: .set(reminderMinutes),
            sharePhone: sharesPhone)
        await act {
            try await calls.setSenderProfile(request)
        } then: { profile in
            take(profile)
            return texts.senderSaved
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    private func take(_ profile: Kith.SenderProfile) {
        self.profile = profile
        (pingTime, timeZone) = (profile.pingTime, profile.timeZone)
        (graceMinutes, reminderMinutes) = (profile.graceMinutes, profile.reminderMinutes)
        sharesPhone = profile.sharePhone
    }
}
