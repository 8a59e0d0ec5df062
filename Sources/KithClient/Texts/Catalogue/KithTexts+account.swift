// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Delete Account”
    public var accountDeleteConfirm: String { known("account.delete.confirm") }

    /// “This ends your connections and your access to vaults. After that nobody is told if you do not check in. It cannot be undone.”
    public var accountDeleteMessage: String { known("account.delete.message") }

    /// “Delete Account?”
    public var accountDeleteTitle: String { known("account.delete.title") }
}
