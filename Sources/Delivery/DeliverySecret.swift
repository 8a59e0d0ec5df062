public import Crypto

/// The part of a message that no database may know, such as a one-time code: sealed by the server that made it, opened by the worker
/// that sends it, bound to the delivery's row.
public enum DeliverySecret {
    /// Where the secret goes in a message's text.
    public static let placeholder = "{code}"

    /// How `secret` rests in the row of `delivery`.
    ///
    /// - Throws: ``CryptoError/library(_:)``.
    public static func seal(
        _ secret: String, tenant: Int, delivery: String, with masterKey: MasterKey
    ) throws(CryptoError) -> [UInt8] {
        try masterKey.seal(Array(secret.utf8), for: context(tenant, delivery))
    }

    /// The secret that rests as `sealed`.
    ///
    /// - Throws: ``CryptoError/notAuthentic`` when it was sealed with another master key, or for another row.
    public static func open(
        _ sealed: [UInt8], tenant: Int, delivery: String, with masterKey: MasterKey
    ) throws(CryptoError) -> String {
        String(decoding: try masterKey.open(sealed, for: context(tenant, delivery)), as: UTF8.self)
    }

    private static func context(_ tenant: Int, _ delivery: String) -> String {
        "deliveries/\(tenant)/\(delivery)"
    }
}
