/// The parsed target of a request line (RFC 9112 §3.2).
struct RequestTarget {
    /// The path with its escapes; `*` for a request about the server as a whole.
    private(set) var path = ""
    /// The query after the `?`.
    private(set) var query = ""
    /// The host and port of the absolute form (RFC 9112 §3.2.2).
    private(set) var authority: String?
    /// The length of the whole target in bytes.
    private(set) var count = 0
    /// Whether the target is valid: visible ASCII without a fragment, and a path that begins with `/` or is `*`.
    private(set) var isValid = false

    init() {}

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        count = bytes.count
        var isVisible = true
        for byte in bytes { isVisible = isVisible && byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#") }
        guard isVisible else { return }
        let (authority, origin) = Self.split(bytes)
        self.authority = authority.map { String(decoding: $0, as: UTF8.self) }
        let end = origin.firstIndex(of: UInt8(ascii: "?")) ?? origin.endIndex
        path = String(decoding: origin[..<end], as: UTF8.self)
        if end < origin.endIndex { query = String(decoding: origin[(end + 1)...], as: UTF8.self) }
        if path.isEmpty, authority != nil { path = "/" }
        isValid = path.utf8.first == UInt8(ascii: "/") || path == "*"
    }

    /// Splits off the authority of the absolute form, which a server must accept although only proxies receive it. The
    /// rest after `http://host` is the path.
    private static func split(_ bytes: UnsafeBufferPointer<UInt8>) -> (
        authority: Slice<UnsafeBufferPointer<UInt8>>?, origin: Slice<UnsafeBufferPointer<UInt8>>
    ) {
        for scheme in ["http://", "https://"] where bytes.count > scheme.utf8.count {
            guard UnsafeBufferPointer(rebasing: bytes.prefix(scheme.utf8.count)).equalsIgnoringCase(scheme.utf8) else {
                continue
            }
            let afterScheme = bytes.dropFirst(scheme.utf8.count)
            let authority = afterScheme.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            return (authority, afterScheme[authority.endIndex...])
        }
        return (nil, bytes[...])
    }
}
