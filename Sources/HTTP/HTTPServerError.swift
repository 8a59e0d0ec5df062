internal import Glibc

/// Why a server did not start.
public enum HTTPServerError: Error, Hashable, CustomStringConvertible {
    /// The system refused the address with this `errno`.
    case cannotListen(ListenAddress, code: Int32)

    /// One line for the operator.
    public var description: String {
        switch self {
        case .cannotListen(let address, let code): "cannot listen on \(address): \(String(cString: strerror(code)))"
        }
    }
}
