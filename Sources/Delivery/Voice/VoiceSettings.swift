/// A tenant's provider of phone calls. It takes a POST for each call: the number, the text to read out, its language,
/// and the address to which it reports the keys that were pressed.
public struct VoiceSettings: Sendable {
    /// The call to the provider, which is like that for a text message.
    let message: SMSSettings
    let languageField: String
    /// The field for the address to which the provider reports; nil if it takes none.
    let callbackField: String?
    let inbound: InboundSettings?

    /// Reads the settings.
    ///
    /// - Throws: ``ChannelSettingsError``.
    init(_ reader: inout SettingsReader) throws(ChannelSettingsError) {
        languageField = reader.text("language_field", atMost: 50) ?? "language"
        callbackField = reader.text("callback_field", atMost: 50)
        inbound = InboundSettings.read(&reader, channel: "voice")
        if callbackField != nil, inbound == nil {
            reader.refuse("inbound", "is required with callback_field: the address takes signed calls only")
        }
        message = try SMSSettings(
            &reader, inbound: nil, otherFields: [languageField] + (callbackField.map { [$0] } ?? []))
    }

    func write(to writer: inout SettingsWriter, withSecrets: Bool) {
        message.write(to: &writer, withSecrets: withSecrets)
        writer.field("language_field", languageField)
        writer.field("callback_field", callbackField)
        inbound?.write(to: &writer, withSecrets: withSecrets)
    }
}
