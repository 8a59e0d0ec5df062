package import HTTP

/// The fields of a form, as a browser sent them.
package struct FormFields: Sendable {
    /// The fields of the page itself, which are no input: the token, the key of the act, and the act.
    package static let token = "form"
    package static let key = "key"
    package static let act = "act"

    private let fields: [(name: String, value: String)]

    package init(_ fields: [HTTPRequest.Field] = []) {
        // Browsers send line breaks as two characters.
        self.fields = fields.filter(\.isUTF8).map { ($0.name, $0.value.replacing("\r\n", with: "\n")) }
    }

    package init(pairs: [(name: String, value: String)]) {
        fields = pairs.map { ($0.name, $0.value.replacing("\r\n", with: "\n")) }
    }

    /// The value of a field; empty if it was not sent.
    package subscript(name: String) -> String {
        fields.first { $0.name == name }?.value ?? ""
    }

    /// The value of a field without the white space around it; nil if nothing is left.
    package func text(_ name: String) -> String? {
        let text = self[name].drop(while: \.isWhitespace)
        guard let end = text.lastIndex(where: { !$0.isWhitespace }) else { return nil }
        return String(text[...end])
    }

    /// A note that a check-in carries, without what the API would refuse: a check-in does not fail for its note.
    package func note(_ name: String) -> String? {
        let scalars = self[name].unicodeScalars.filter { $0.properties.generalCategory != .control || $0 == "\n" }
        return FormFields(pairs: [(name, String(String.UnicodeScalarView(scalars.prefix(500))))]).text(name)
    }

    /// The value of a field that names a page of this site; nil if it names anything else.
    package func localPath(_ name: String) -> String? {
        text(name).flatMap { SignInPage.Errand.isLocal($0) ? $0 : nil }
    }

    /// All values of a field, such as of several check boxes with one name.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// Whether a check box is set.
    package func isOn(_ name: String) -> Bool {
        fields.contains { $0.name == name }
    }

    /// The person's input, without the page's own fields.
    package var input: [(name: String, value: String)] {
        fields.filter { ![Self.token, Self.key, Self.act].contains($0.name) }
    }

    package var isEmpty: Bool { fields.isEmpty }
}
