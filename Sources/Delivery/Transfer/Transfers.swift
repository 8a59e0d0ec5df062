internal import CCurl
public import EventLoop

/// The client of HTTP and SMTP: libcurl's multi interface on an event loop. Connections are kept and used again.
///
/// `@unchecked Sendable`: touched on the loop's thread only, which each entry checks; a task's cancellation, which may come from
/// another thread, is handed to the loop.
public final class Transfers: @unchecked Sendable {
    /// What tells apart the transfers that may share connections: one to an allowed address must not lend its connection to one
    /// that is held to the rules, and one for a single request at a time none to one for many.
    private struct PoolKey: Hashable {
        let isTrusted: Bool
        let isMultiplexed: Bool
        let name: String?
    }

    let loop: EventLoop
    private let rules: OutboundRules
    /// A pool that nobody has used for so long is closed, when it has a name: names come and go with tenants.
    private let idleTimeout: Duration
    private var pools: [PoolKey: TransferPool] = [:]
    private var sweeper: LoopTimer?
    private var isClosed = false

    /// A client on `loop` that holds tenants' addresses to `rules`.
    public convenience init(loop: EventLoop, rules: OutboundRules) {
        self.init(loop: loop, rules: rules, idleTimeout: .seconds(300))
    }

    init(loop: EventLoop, rules: OutboundRules, idleTimeout: Duration) {
        _ = Self.library
        self.loop = loop
        self.rules = rules
        self.idleTimeout = idleTimeout
    }

    deinit {
        close()
    }

    /// Sends `transfer`, and waits for the whole answer, which may be a refusal. Nothing is sent twice, unless a connection that was
    /// kept turns out to be closed.
    ///
    /// - Throws: ``TransferError`` when there is no answer: in vain, too late, or because the task was cancelled.
    public func perform(_ transfer: Transfer) async throws(TransferError) -> TransferAnswer {
        loop.preconditionCurrent()
        guard !isClosed else { throw TransferError("the client is closed") }
        let pool = try pool(for: transfer)
        let running = try RunningTransfer(transfer, rules: rules, in: pool)
        return try await withTaskCancellationHandler {
            await withUnsafeContinuation { pool.start(running, $0) }
        } onCancel: {
            loop.execute { running.cancel() }
        }.get()
    }

    /// Ends all that is under way, and closes every connection. Nothing can be sent afterwards. To be called before the client is let
    /// go, on the loop's thread.
    public func close() {
        guard !isClosed else { return }
        loop.preconditionCurrent()
        isClosed = true
        sweeper?.cancel()
        for pool in pools.values { pool.close() }
        pools = [:]
    }

    /// How many transfers are under way.
    var count: Int { pools.values.reduce(0) { $0 + $1.count } }

    /// How many pools there are.
    var poolCount: Int { pools.count }

    private func pool(for transfer: Transfer) throws(TransferError) -> TransferPool {
        let isMultiplexed = transfer.httpVersion == .http2
        let key = PoolKey(isTrusted: transfer.isTrusted, isMultiplexed: isMultiplexed, name: transfer.pool)
        if let pool = pools[key] { return pool }
        let connections = if !isMultiplexed { 64 } else if key.name == nil { 4 } else { 1 }
        let pool = try TransferPool(loop: loop, connections: connections)
        pools[key] = pool
        if key.name != nil && sweeper == nil { sweepLater() }
        return pool
    }

    private func sweepLater() {
        sweeper = loop.schedule(after: idleTimeout) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        for (key, pool) in pools where key.name != nil && pool.isIdle(for: idleTimeout) {
            pool.close()
            pools[key] = nil
        }
        sweeper = nil
        if pools.keys.contains(where: { $0.name != nil }) { sweepLater() }
    }

    /// Prepares libcurl once for the process. It stays prepared: other threads may have transfers until the end.
    private static let library: Void = {
        precondition(curl_start() == CURLE_OK, "libcurl does not start")
    }()
}
