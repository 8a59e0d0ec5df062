/// The method of a request (RFC 9110 §9; PATCH is RFC 5789). An open set. Methods are case-sensitive.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it appears in the request line.
    public let rawValue: String

    /// Creates a method from its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The method as it appears in the request line.
    public var description: String { rawValue }

    /// Reads a resource.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Reads only the header fields that a GET would answer with.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Performs an action that is not idempotent.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Replaces the resource at the path.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes part of the resource at the path.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Removes the resource at the path.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Asks which methods are allowed. Browsers send it before a cross-origin request.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
}
