internal import Contacts
internal import Crypto

/// A tenant's identity towards push services (VAPID, RFC 8292). Each browser subscription is bound to the public key
/// that it was made with, so the key stays for as long as the tenant has the channel.
public struct WebPushSettings: Sendable {
    /// The contact for a push service that notices a problem.
    let subject: String
    let key: PrivateKey
    /// Whether the key was generated because the settings came without one.
    private let isNew: Bool

    /// The key for `PushManager.subscribe`: an uncompressed point, base64url.
    public var publicKey: String { Base64URL.encode(key.point) }

    /// Reads the settings. Without `private_key`, a new key is generated.
    ///
    /// - Throws: ``ChannelSettingsError``.
    init(_ reader: inout SettingsReader) throws(ChannelSettingsError) {
        subject = reader.requiredText("subject", atMost: 300)
        if !subject.isEmpty && !Self.isContact(subject) {
            reader.refuse("subject", "must be a mailto: or an https: URL by which a push service reaches you")
        }
        let given = reader.privateKey("private_key")
        try reader.finish()
        isNew = given == nil
        do throws(CryptoError) {
            key = if let given { given } else { try .generate() }
        } catch {
            throw ChannelSettingsError([.init(field: "private_key", message: error.description)])
        }
    }

    private init(subject: String, key: PrivateKey) {
        self.subject = subject
        self.key = key
        isNew = false
    }

    /// These settings, with the key of `previous` unless they were given one.
    func keeping(_ previous: WebPushSettings) -> WebPushSettings {
        isNew ? WebPushSettings(subject: subject, key: previous.key) : self
    }

    func write(to writer: inout SettingsWriter, withSecrets: Bool) {
        writer.field("subject", subject)
        if withSecrets { writer.field("private_key", key.pem) } else { writer.field("public_key", publicKey) }
    }

    private static func isContact(_ text: String) -> Bool {
        if text.hasPrefix("mailto:") { return MailAddress(String(text.dropFirst(7))) != nil }
        return (try? OutboundURL(text)) != nil
    }
}
