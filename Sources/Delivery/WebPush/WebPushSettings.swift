internal import Crypto

/// By what a tenant shows itself to push services (VAPID, RFC 8292). Every subscription of a browser is bound to the public key with which
/// it was made: so the key stays for as long as the tenant has the channel.
public struct WebPushSettings: Sendable {
    /// Whom a push service can ask when something is wrong.
    let subject: String
    let key: PrivateKey
    /// Whether the key was made here, for settings that came without one.
    private let isNew: Bool

    /// The key for `PushManager.subscribe`: an uncompressed point, base64url.
    public var publicKey: String { Base64URL.encode(key.point) }

    /// Reads the settings; without `private_key` a new one is made.
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

    /// These settings, with the key of the ones before them unless another was given.
    func keeping(_ previous: WebPushSettings) -> WebPushSettings {
        isNew ? WebPushSettings(subject: subject, key: previous.key) : self
    }

    func write(to writer: inout SettingsWriter, withSecrets: Bool) {
        writer.field("subject", subject)
        if withSecrets { writer.field("private_key", key.pem) } else { writer.field("public_key", publicKey) }
    }

    private static func isContact(_ text: String) -> Bool {
        if text.hasPrefix("mailto:") { return MailAddress(String(text.dropFirst(7))) != nil }
        guard let parts = URLParts(text) else { return false }
        return parts.scheme == "https" && !parts.hasUser
    }
}
