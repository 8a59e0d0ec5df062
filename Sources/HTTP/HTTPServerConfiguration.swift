/// The address and the limits of a server.
public struct HTTPServerConfiguration: Sendable {
    /// The address to listen on.
    public var address: ListenAddress
    /// The longest request body in bytes. A longer one is refused, immediately if its length is declared.
    public var maximumBody = 1 << 20
    /// The most bytes that all bodies in memory may take together. Beyond that, bodies longer than ``smallBody`` are
    /// refused, because clients without a credential can send bodies too. Streamed bodies do not count.
    public var maximumBodies = 256 << 20
    /// The longest body, in bytes, that is accepted even then: nobody's short request may fail because of what others
    /// send.
    public var smallBody = 16 << 10
    /// The rule for the bodies of a method and a path, where it differs from the default.
    public var bodyRule: @Sendable (HTTPMethod, _ path: String) -> HTTPBodyRule? = { _, _ in nil }
    /// The most bytes that the header fields of a request may take together.
    public var maximumHeader = 16 << 10
    /// The most header fields that a request may have.
    public var maximumFields = 100
    /// The fields, besides those of HTTP's framing, that make no sense twice with different values. A proxy in front
    /// might use the other value, so such a request is refused.
    public var singleFields: [String] = []
    /// The longest request target (path and query), in bytes.
    public var maximumURI = 8 << 10
    /// How long a connection may be idle between requests. It is also the time that a client has to read a response
    /// (plus one second for each 4 KiB of it), or to take more of a streamed one.
    public var idleTimeout: Duration = .seconds(60)
    /// How long a draining server keeps idle connections open. A proxy may be sending a request on one, and closing the
    /// connection would lose it. The answers that are sent in this time tell the proxy to close.
    public var idleGrace: Duration = .zero
    /// How long a request may take to arrive, from its first byte or, for the first request, from the opening of the
    /// connection. For a streamed body, this covers only the head.
    public var requestTimeout: Duration = .seconds(15)
    /// The interval in which at least ``bodyProgress`` of a streamed body must arrive. The whole body may take any
    /// time.
    public var bodyTimeout: Duration = .seconds(30)
    /// The number of bytes of a streamed body that must arrive in every ``bodyTimeout``.
    public var bodyProgress = 32 << 10
    /// How long the handler may take, counted from one piece to the next when it reads a streamed body. The same holds
    /// for the producer of a streamed response.
    public var handlerTimeout: Duration = .seconds(30)
    /// The most connections that may be open at once. Further ones wait in the kernel's queue.
    public var maximumConnections = 20_000
    /// The limit on the connections of one IP address; `nil` for none, as behind a reverse proxy.
    public var connectionLimit: ConnectionLimit?

    /// Creates the default configuration for an address.
    public init(address: ListenAddress) {
        self.address = address
    }

    /// The rule for the body of a request. GET and HEAD have no rules of their own, because they hardly ever have
    /// bodies and most requests are of these methods.
    func rule(for method: HTTPMethod, _ path: String) -> HTTPBodyRule {
        let rule = method == .get || method == .head ? nil : bodyRule(method, path)
        return rule ?? HTTPBodyRule(maximum: maximumBody)
    }
}
