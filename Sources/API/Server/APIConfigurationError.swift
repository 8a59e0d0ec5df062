/// An invalid setting of the API.
public enum APIConfigurationError: Error, CustomStringConvertible {
    /// A trusted proxy that is not an address block.
    case invalidNetwork(String)

    /// The setting, and what a valid value looks like.
    public var description: String {
        switch self {
        case .invalidNetwork(let text): "\(text) is not an address block such as 10.0.0.0/8 or 2001:db8::/32"
        }
    }
}
