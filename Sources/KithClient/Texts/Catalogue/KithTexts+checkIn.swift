// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “I'm safe”
    public var checkInButton: String { known("check_in.button") }

    /// “Not sent yet. Your check-in is kept on this device and will be sent when the network returns. Your receivers do not know about it yet.”
    public var checkInKept: String { known("check_in.kept") }

    /// “Not sent yet. Your check-in is kept on this device and will be sent when you have signed in again. Your receivers do not know about it yet.”
    public var checkInKeptSignIn: String { known("check_in.kept.sign_in") }

    /// “Nothing to check in to today.”
    public var checkInNothing: String { known("check_in.nothing") }

    /// “Your check-in has arrived.”
    public var checkInReceived: String { known("check_in.received") }

    /// “Your check-in was not accepted. Your receivers do not know about it.”
    public var checkInRefused: String { known("check_in.refused") }

    /// “Sending your check-in…”
    public var checkInSending: String { known("check_in.sending") }

    /// “{count} check-ins have not been sent yet. They stay on this device until you sign in again.”
    public func checkInSignOut(count: Int) -> String {
        known("check_in.sign_out", count: count)
    }

    /// “Not loaded yet. You can check in all the same.”
    public var checkInUnknown: String { known("check_in.unknown") }
}
