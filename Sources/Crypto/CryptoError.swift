/// The errors of this module. They reveal nothing about keys or plaintexts.
public enum CryptoError: Error, CustomStringConvertible {
    /// OpenSSL failed a call that cannot fail on valid input: it is out of memory, or lacks a provider.
    case library(String)
    /// A key is invalid, for example of the wrong length.
    case invalidKey(String)
    /// A sealed value was changed, was sealed with another key, or belongs elsewhere.
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
