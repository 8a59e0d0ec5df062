/// A setting of the API that cannot be used.
public enum APIConfigurationError: Error, CustomStringConvertible {
    /// A trusted proxy that is no block of addresses.
    case invalidNetwork(String)

    /// The setting, and what it should be.
    public var description: String {
        switch self {
        case .invalidNetwork(let text): "\(text) is no block of addresses like 10.0.0.0/8 or 2001:db8::/32"
        }
    }
}
