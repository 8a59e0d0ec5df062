import Foundation
public import Observation

/// Somebody from the address book.
public struct PickedContact: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The phone number, in any form; nil if the contact has none.
    public let phone: String?

    /// Creates a contact.
    public init(name: String, phone: String?) {
        (self.name, self.phone) = (name, phone)
    }
}

/// The screen that invites receivers by text message.
///
/// ``pick(_:)`` takes what the contact picker returns, ``invite()`` makes the invitation, and the phone's composer
/// shows ``message`` to ``numbers``. ``report(_:)`` says what became of it.
///
/// Calls: `createConnectionInvitation`, `reportGroupInvitationOutcome`.
@Observable @MainActor public final class InviteReceiversScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The people to invite: those picked contacts who have a number, each number once.
    public private(set) var people: [PickedContact] = []
    /// The number of picked contacts without a phone number.
    public private(set) var withoutNumber = 0
    /// The invitation, once it is made.
    public private(set) var invitation: Kith.ConnectionInvitation?
    /// What became of the last message; nil until the composer has closed.
    public private(set) var outcome: Kith.InvitationOutcome?

    let calls: ScreenCalls

    /// Creates the screen without anybody picked.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// The message, in the server's words byte for byte; nil until the invitation is made. Do not build it in an app.
    public var message: String? { invitation?.message }

    /// The phone numbers for the composer: those of everybody who can be invited, in E.164.
    public var numbers: [String] { invitable.map(\.phone) }

    /// The link that opens the message to everybody in the phone's own app; nil for more than 30 people. iOS has a form
    /// of its own.
    public func smsURL(onIOS: Bool) -> String? { onIOS ? invitation?.smsURLIOS : invitation?.smsURL }

    /// What to say about contacts without a usable number; nil if all have one.
    public var remark: String? {
        let refused = (invitation?.recipients ?? []).count { $0.error != nil }
        if refused > 0 { return texts.inviteNotInvited(count: refused) }
        return withoutNumber > 0 ? texts.inviteWithoutNumber(count: withoutNumber) : nil
    }

    /// Takes what the contact picker returns.
    public func pick(_ contacts: [PickedContact]) {
        let reachable = contacts.filter { $0.phone?.contains { $0.isNumber } == true }
        withoutNumber = contacts.count - reachable.count
        var seen: Set<String> = []
        people = reachable.filter { seen.insert($0.phone ?? "").inserted }
        (invitation, outcome) = (nil, nil)
    }

    /// Makes the invitation.
    public func invite() async {
        guard !people.isEmpty else {
            return state.show(ErrorPresentation(invalid: texts.inviteNobody, texts: texts))
        }
        await act {
            try await calls.inviteReceivers(people)
        } then: { invitation in
            self.invitation = invitation
            return remark
        }
    }

    /// Reports what became of the message to everybody. A phone without SMS reports `unavailable`.
    public func report(_ outcome: Kith.InvitationOutcome) async {
        guard let invitation else { return }
        await act {
            try await calls.reportGroup(outcome, of: invitation.id)
        } then: { invitation in
            (self.invitation, self.outcome) = (invitation, outcome)
            return sentence(outcome)
        }
    }

    /// What to say of an outcome.
    public func sentence(_ outcome: Kith.InvitationOutcome) -> String {
        switch outcome {
        case .sent: texts.inviteOutcomeSent
        case .failed: texts.inviteOutcomeFailed
        case .unavailable: texts.inviteOutcomeUnavailable
        default: texts.inviteOutcomeCancelled
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    private var invitable: [Kith.InvitationRecipient] {
        (invitation?.recipients ?? []).filter { $0.error == nil && $0.smsURL != nil }
    }
}
