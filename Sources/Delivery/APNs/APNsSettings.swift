internal import Crypto

/// A tenant's access to APNs: the signing key that Apple issued, and the app.
public struct APNsSettings: Sendable {
    let teamID: String
    let keyID: String
    /// The bundle id of the app.
    let topic: String
    let key: PrivateKey

    /// Reads the settings.
    ///
    /// - Throws: ``ChannelSettingsError``.
    init(_ reader: inout SettingsReader) throws(ChannelSettingsError) {
        teamID = reader.appleID("team_id")
        keyID = reader.appleID("key_id")
        topic = reader.requiredText("topic", atMost: 155)
        if !topic.isEmpty && !topic.utf8.allSatisfy(Self.isOfBundleID) {
            reader.refuse("topic", "must be the app's bundle id: letters, digits, hyphens and full stops")
        }
        reader.require("private_key")
        let key = reader.privateKey("private_key")
        try reader.finish()
        guard let key else { throw ChannelSettingsError([.init(field: "private_key", message: "is required")]) }
        self.key = key
    }

    func write(to writer: inout SettingsWriter, withSecrets: Bool) {
        writer.field("team_id", teamID)
        writer.field("key_id", keyID)
        writer.field("topic", topic)
        if withSecrets { writer.field("private_key", key.pem) }
    }

    private static func isOfBundleID(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension SettingsReader {
    /// Reads the identifier of a team or a key at Apple.
    fileprivate mutating func appleID(_ name: String) -> String {
        let text = requiredText(name)
        let isID =
            text.utf8.count == 10
            && text.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
        if !text.isEmpty && !isID { refuse(name, "must be ten capital letters and digits") }
        return text
    }

    /// Reads a P-256 private key in PEM.
    mutating func privateKey(_ name: String) -> PrivateKey? {
        guard let text = text(name, atMost: 2000, lines: true) else { return nil }
        do throws(CryptoError) {
            return try PrivateKey(pem: text)
        } catch {
            refuse(name, error.description)
            return nil
        }
    }
}
