public import Crypto

/// A tenant's credentials for a provider, as they are stored in the database. The server that receives them seals them,
/// and the worker that sends opens them. The seal is bound to the row.
public enum ChannelCredentials {
    /// Seals `json`, all settings of the channel, for the row of `tenant` and `channel`.
    ///
    /// - Throws: ``CryptoError/library(_:)``.
    public static func seal(
        _ json: [UInt8], tenant: Int, channel: String, with masterKey: MasterKey
    ) throws(CryptoError) -> [UInt8] {
        try masterKey.seal(json, for: context(tenant: tenant, channel: channel))
    }

    /// Opens the settings in `sealed`.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when they were sealed with another master key, or for another row.
    public static func open(
        _ sealed: [UInt8], tenant: Int, channel: String, with masterKey: MasterKey
    ) throws(CryptoError) -> [UInt8] {
        try masterKey.open(sealed, for: context(tenant: tenant, channel: channel))
    }

    /// The context that the seal is bound to.
    public static func context(tenant: Int, channel: String) -> String {
        "channel_credentials/\(tenant)/\(channel)"
    }
}
