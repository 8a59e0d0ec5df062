// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Edit”
    public var accessEdit: String { known("access.edit") }

    /// “Reads, adds and replaces documents while the vault is open.”
    public var accessEditMeaning: String { known("access.edit.meaning") }

    /// “Full”
    public var accessFull: String { known("access.full") }

    /// “Also deletes documents, invites nominees and locks the vault.”
    public var accessFullMeaning: String { known("access.full.meaning") }

    /// “Your access level does not allow this.”
    public var accessRefused: String { known("access.refused") }

    /// “View”
    public var accessView: String { known("access.view") }

    /// “Reads the documents while the vault is open.”
    public var accessViewMeaning: String { known("access.view.meaning") }
}
