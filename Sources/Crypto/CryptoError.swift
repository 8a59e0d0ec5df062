/// What can go wrong in this room. Says nothing about keys or plaintexts.
public enum CryptoError: Error, CustomStringConvertible {
    /// OpenSSL refused a call that cannot fail on valid input: out of memory, or a provider that is missing.
    case library(String)
    /// A key of the wrong length.
    case invalidKey(String)
    /// A sealed value that was changed, was sealed with another key, or belongs to another place.
    case notAuthentic

    /// The reason, without secrets.
    public var description: String {
        switch self {
        case .library(let call): "OpenSSL: \(call) failed"
        case .invalidKey(let reason): reason
        case .notAuthentic: "the value is damaged, was sealed with another key, or does not belong here"
        }
    }
}
