public import Crypto

/// The part of a message that the database must not be able to read, such as a one-time code. The server that makes it
/// seals it, and the worker that sends it opens it. The seal is bound to the delivery's row.
public enum DeliverySecret {
    /// The place of the secret in a message's text.
    public static let placeholder = "{code}"

    /// Seals `secret` for the row of `delivery`.
    ///
    /// - Throws: ``CryptoError/library(_:)``.
    public static func seal(
        _ secret: String, tenant: Int, delivery: String, with masterKey: MasterKey
    ) throws(CryptoError) -> [UInt8] {
        try masterKey.seal(Array(secret.utf8), for: context(tenant, delivery))
    }

    /// Opens the secret in `sealed`.
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
