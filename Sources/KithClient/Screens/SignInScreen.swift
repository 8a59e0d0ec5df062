import Foundation
public import Observation

/// The screen on which a person signs in: first the phone number or e-mail address, then the code that was sent there.
///
/// Calls: `requestOneTimeCode`, `signIn`.
@Observable @MainActor public final class SignInScreen: ActingScreen {
    /// The two steps, and the end.
    public enum Step: Sendable, Hashable {
        /// The person enters an address.
        case address
        /// The person enters the code that was sent to the address.
        case code(sentTo: String)
        /// The person is signed in.
        case done
    }

    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The step that is shown.
    public private(set) var step = Step.address
    /// The phone number or e-mail address as it is entered.
    public var address = ""
    /// The code as it is entered.
    public var entry = CodeEntry()

    let calls: ScreenCalls

    /// Creates the screen at its first step.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// What waits on this device for the sign-in: "1 check-in has not been sent yet. …"; nil if nothing does.
    public var kept: String? {
        let count = calls.kith.waitingForSignIn
        return count > 0 ? texts.checkInSignOut(count: count) : nil
    }

    /// Sends a code to the address, or a new one.
    public func sendCode() async {
        let address = address.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !address.isEmpty else {
            return state.show(ErrorPresentation(invalid: texts.signInAddressEmpty, texts: texts))
        }
        await act {
            try await calls.sendCode(to: Self.contact(address))
        } then: { _ in
            entry = CodeEntry()
            step = .code(sentTo: address)
            return texts.signInCodeSent(address: address)
        }
    }

    /// Signs in with the code. An incomplete code is refused here, without a call.
    public func signIn() async {
        guard case .code(let address) = step, let code = entry.code else {
            return state.show(ErrorPresentation(invalid: texts.signInCodeIncomplete, texts: texts))
        }
        let done: Void? = await act {
            try await calls.signIn(code: code, sentTo: Self.contact(address))
        } then: { _ in
            step = .done
            return texts.signInDone
        }
        if done == nil { entry.clear() }
    }

    /// Goes back to the address.
    public func back() {
        step = .address
        state.problem = nil
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    private static func contact(_ address: String) -> KithContact {
        address.contains("@") ? .email(address) : .phone(address)
    }
}
