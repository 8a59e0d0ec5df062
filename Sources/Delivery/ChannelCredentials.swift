public import Crypto

/// What a tenant's provider knows it by, as it rests in the database: sealed by the server that was told it, opened by the worker that
/// sends, bound to the row.
public enum ChannelCredentials {
    /// How `json`, all settings of the channel, rests in the row of `tenant` and `channel`.
    ///
    /// - Throws: ``CryptoError/library(_:)``.
    public static func seal(
        _ json: [UInt8], tenant: Int, channel: String, with masterKey: MasterKey
    ) throws(CryptoError) -> [UInt8] {
        try masterKey.seal(json, for: context(tenant: tenant, channel: channel))
    }

    /// The settings that rest as `sealed`.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when they were sealed with another master key, or for another row.
    public static func open(
        _ sealed: [UInt8], tenant: Int, channel: String, with masterKey: MasterKey
    ) throws(CryptoError) -> [UInt8] {
        try masterKey.open(sealed, for: context(tenant: tenant, channel: channel))
    }

    /// What the seal is bound to.
    public static func context(tenant: Int, channel: String) -> String {
        "channel_credentials/\(tenant)/\(channel)"
    }
}
