/// The method of a request (RFC 9110, section 9; PATCH is RFC 5789). An open set, and case-sensitive.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it stands in the request line.
    public let rawValue: String

    /// A method by its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The method as it stands in the request line.
    public var description: String { rawValue }

    /// Reads.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Reads, and wants the fields of the answer without its body.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Does something that is not idempotent.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces what is at the path.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes what is at the path in part.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Removes what is at the path.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Asks what may be done; browsers ask it before a cross-origin request.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
}
