/// A tenant's provider of text messages. It takes a POST for each message, as most providers do. The names of the
/// fields differ between providers.
public struct SMSSettings: Sendable {
    /// The format of the request.
    enum Format: String, CaseIterable {
        /// An HTML form (`application/x-www-form-urlencoded`).
        case form
        case json
    }

    /// How the provider authenticates the tenant.
    enum Credentials {
        case basic(username: String, password: String)
        case bearer(token: String)
    }

    let url: String
    let format: Format
    /// The number or name that the message comes from.
    let from: String
    let toField: String
    let fromField: String
    let textField: String
    /// The path in the answer to the provider's id of the message: member names and array indices, separated by dots.
    let idField: String?
    let credentials: Credentials?
    /// How the provider forwards what people answer; nil if it does not.
    let inbound: InboundSettings?

    /// Reads the settings.
    ///
    /// - Throws: ``ChannelSettingsError``.
    init(_ reader: inout SettingsReader) throws(ChannelSettingsError) {
        let inbound = InboundSettings.read(&reader, channel: "sms")
        try self.init(&reader, inbound: inbound, otherFields: [])
    }

    /// Reads the settings of a call to a provider that has `otherFields` too, and ends the reading.
    ///
    /// - Throws: ``ChannelSettingsError``.
    init(
        _ reader: inout SettingsReader, inbound: InboundSettings?, otherFields: [String]
    ) throws(ChannelSettingsError) {
        self.inbound = inbound
        reader.require("url")
        url = reader.url("url") ?? ""
        // The URL is shown, and is recorded in the audit log.
        if url.contains("?") {
            reader.refuse(
                "url", "must have no query, which would be shown: a secret goes into token, or username and password")
        }
        format = reader.choice("format", .form)
        from = reader.requiredText("from", atMost: 50)
        toField = reader.text("to_field", atMost: 50) ?? "to"
        fromField = reader.text("from_field", atMost: 50) ?? "from"
        textField = reader.text("text_field", atMost: 50) ?? "text"
        let fields = [toField, fromField, textField] + otherFields
        if Set(fields).count < fields.count {
            reader.refuse("to_field", "must differ from from_field and text_field, and those from each other")
        }
        idField = reader.text("id_field", atMost: 100)
        let username = reader.text("username")
        let password = reader.text("password", atMost: 1000)
        let token = reader.text("token", atMost: 4000)
        if (username == nil) != (password == nil) {
            reader.refuse(username == nil ? "username" : "password", "is required: username and password come together")
        }
        if username != nil && token != nil { reader.refuse("token", "must not come with a username") }
        credentials =
            if let username, let password { .basic(username: username, password: password) } else {
                token.map { .bearer(token: $0) }
            }
        try reader.finish()
    }

    func write(to writer: inout SettingsWriter, withSecrets: Bool) {
        writer.field("url", url)
        writer.field("format", format.rawValue)
        writer.field("from", from)
        writer.field("to_field", toField)
        writer.field("from_field", fromField)
        writer.field("text_field", textField)
        writer.field("id_field", idField)
        switch credentials {
        case .basic(let username, let password):
            writer.field("username", username)
            if withSecrets { writer.field("password", password) }
        case .bearer(let token):
            if withSecrets { writer.field("token", token) }
        case nil: break
        }
        inbound?.write(to: &writer, withSecrets: withSecrets)
    }
}
