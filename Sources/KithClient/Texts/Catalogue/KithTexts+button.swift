// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Cancel”
    public var buttonCancel: String { known("button.cancel") }

    /// “OK”
    public var buttonOk: String { known("button.ok") }

    /// “Try Again”
    public var buttonTryAgain: String { known("button.try_again") }
}
