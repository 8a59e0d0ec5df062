// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Send Code”
    public var signInAddressButton: String { known("sign_in.address.button") }

    /// “Enter your phone number or your e-mail address.”
    public var signInAddressEmpty: String { known("sign_in.address.empty") }

    /// “Phone number or e-mail”
    public var signInAddressLabel: String { known("sign_in.address.label") }

    /// “Send a New Code”
    public var signInCodeAgain: String { known("sign_in.code.again") }

    /// “Sign In”
    public var signInCodeButton: String { known("sign_in.code.button") }

    /// “Enter all 6 digits of the code.”
    public var signInCodeIncomplete: String { known("sign_in.code.incomplete") }

    /// “We sent a code to {address}.”
    public func signInCodeSent(address: String) -> String {
        known("sign_in.code.sent", ["address": address])
    }

    /// “Signed in”
    public var signInDone: String { known("sign_in.done") }

    /// “Sign In”
    public var signInTitle: String { known("sign_in.title") }
}
