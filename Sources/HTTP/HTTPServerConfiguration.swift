/// Where a server listens and what it puts up with.
public struct HTTPServerConfiguration: Sendable {
    /// Where it listens.
    public var address: ListenAddress
    /// The longest body of a request, in bytes. A longer one is refused: at once when its length is declared.
    public var maximumBody = 1 << 20
    /// How many bytes the bodies that are kept for handlers may take together before longer ones than ``smallBody`` are refused: those
    /// without a credential can send one, too. A streamed body is not kept.
    public var maximumBodies = 256 << 20
    /// The longest body that is always taken, in bytes: what others send must not keep anybody from a short request.
    public var smallBody = 16 << 10
    /// What holds instead for the requests of a method for a path, where something else does.
    public var bodyRule: @Sendable (HTTPMethod, _ path: String) -> HTTPBodyRule? = { _, _ in nil }
    /// How many bytes the fields of a request may take together.
    public var maximumHeader = 16 << 10
    /// How many fields a request may have.
    public var maximumFields = 100
    /// The fields, besides those of HTTP's own framing, that mean nothing when they come twice with different values: a proxy in front may go
    /// by the other one. The request is then refused.
    public var singleFields: [String] = []
    /// The longest request target (path and query), in bytes.
    public var maximumURI = 8 << 10
    /// How long a connection may lie idle between requests, and a client may take to read an answer (to which comes a
    /// second for each 4 KiB of it), or something more of a streamed one.
    public var idleTimeout: Duration = .seconds(60)
    /// How long a request may take to arrive, counted from its first line, or from the opening of the connection: whole, or up to the end of
    /// its head where the body is streamed.
    public var requestTimeout: Duration = .seconds(15)
    /// In what time at least ``bodyProgress`` of a streamed body must come, however long the whole may take.
    public var bodyTimeout: Duration = .seconds(30)
    /// How many bytes of a streamed body must come in every ``bodyTimeout``.
    public var bodyProgress = 32 << 10
    /// How long the handler may take, from one piece to the next where it reads a body, and the producer of a streamed answer likewise.
    public var handlerTimeout: Duration = .seconds(30)
    /// How many connections may be open at once; further ones wait in the kernel's queue.
    public var maximumConnections = 20_000
    /// How many connections one IP address may have open at once; `nil` for no limit, as behind a reverse proxy.
    public var maximumConnectionsPerAddress: Int?

    /// The defaults at an address.
    public init(address: ListenAddress) {
        self.address = address
    }

    /// What the body of a request may be.
    func rule(for method: HTTPMethod, _ path: String) -> HTTPBodyRule {
        bodyRule(method, path) ?? HTTPBodyRule(maximum: maximumBody)
    }
}
