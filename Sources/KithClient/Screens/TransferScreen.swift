import Foundation
public import Observation

/// The screen on which an owner offers a vault to somebody. It asks twice.
///
/// Calls: `createTransfer`, `cancelTransfer`.
@Observable @MainActor public final class TransferScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The vault.
    public let vault: Kith.VaultName
    /// The recipient's name.
    public var name = ""
    /// The recipient's phone number.
    public var phone = ""
    /// The recipient's e-mail address.
    public var email = ""
    /// Whether the owner stays as a nominee with full access.
    public var keepsAccess = true
    /// The offer, once it is made.
    public private(set) var offer: Kith.OfferedTransfer?
    /// How many of the two questions are answered; nil while nothing is asked.
    private var confirmed: Int?
    let calls: ScreenCalls

    /// Creates an empty form.
    public init(_ kith: Kith, _ vault: Kith.VaultName, texts: KithTexts = .preferred()) {
        (calls, self.vault, self.texts) = (ScreenCalls(kith), vault, texts)
    }

    /// The question that is shown; nil if there is none.
    public var dialog: Dialog? {
        switch confirmed {
        case 0:
            Dialog(
                title: texts.transferFirstTitle(vault: vault.name),
                message: keepsAccess
                    ? texts.transferFirstMessageKeep(name: recipient, vault: vault.name)
                    : texts.transferFirstMessageLeave(name: recipient, vault: vault.name),
                confirm: texts.transferFirstConfirm, isDestructive: false, texts)
        case 1:
            Dialog(
                title: texts.transferSecondTitle,
                message: texts.transferSecondMessage(name: recipient, vault: vault.name),
                confirm: texts.transferSecondConfirm, texts)
        default: nil
        }
    }

    /// Asks the first question.
    public func begin() {
        guard !state.isBusy else { return }
        guard !recipient.isEmpty else {
            return state.show(ErrorPresentation(invalid: texts.inviteeNameEmpty, texts: texts))
        }
        confirmed = 0
    }

    /// Answers a question with yes. The second yes makes the offer.
    public func confirm() async {
        guard let step = confirmed else { return }
        if step == 0 { return confirmed = 1 }
        confirmed = nil
        let (phone, email) = (phone.trimmingCharacters(in: .whitespaces), email.trimmingCharacters(in: .whitespaces))
        await act {
            try await calls.transfer(
                vault.id, to: recipient, phone: phone.isEmpty ? nil : phone, email: email.isEmpty ? nil : email,
                keepsAccess: keepsAccess)
        } then: { offer in
            self.offer = offer
            return texts.transferReady(name: recipient)
        }
    }

    /// Answers a question with no.
    public func cancel() {
        confirmed = nil
    }

    /// Takes the offer back.
    public func withdraw() async {
        await act {
            try await calls.cancelTransfer(of: vault.id)
        } then: { _ in
            offer = nil
            return texts.transferCancelled
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    private var recipient: String { name.trimmingCharacters(in: .whitespacesAndNewlines) }
}
