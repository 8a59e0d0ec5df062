// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Connecting…”
    public var connectBusy: String { known("connect.busy") }

    /// “Connect”
    public var connectButton: String { known("connect.button") }

    /// “{count} of 6 digits entered”
    public func connectCodeEntered(count: Int) -> String {
        known("connect.code.entered", count: count)
    }

    /// “Enter all 6 digits of the code.”
    public var connectCodeIncomplete: String { known("connect.code.incomplete") }

    /// “6-digit code”
    public var connectCodeLabel: String { known("connect.code.label") }

    /// “Connected to {name}”
    public func connectDone(name: String) -> String {
        known("connect.done", ["name": name])
    }

    /// “Paste {code}”
    public func connectPaste(code: String) -> String {
        known("connect.paste", ["code": code])
    }

    /// “Add a Sender”
    public var connectTitleReceiver: String { known("connect.title.receiver") }

    /// “Add a Receiver”
    public var connectTitleSender: String { known("connect.title.sender") }
}
