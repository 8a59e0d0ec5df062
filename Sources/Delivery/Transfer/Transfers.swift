internal import CCurl
public import EventLoop

/// The client for HTTP and SMTP: libcurl's multi interface on an event loop. Connections are kept and reused.
///
/// `@unchecked Sendable`: it is accessed only on the loop's thread, which each entry checks. A task's cancellation,
/// which may come from another thread, is passed to the loop.
public final class Transfers: @unchecked Sendable {
    /// The properties that transfers must have in common to share connections. A transfer to an allowed address must
    /// not lend its connection to one that is subject to the rules. Connections for a single request at a time and for
    /// many are kept apart too.
    private struct PoolKey: Hashable {
        let isTrusted: Bool
        let isMultiplexed: Bool
        let name: String?
    }

    let loop: EventLoop
    private let rules: OutboundRules
    /// How long a named pool may be idle before it is closed. Names come and go with tenants.
    private let idleTimeout: Duration
    private var pools: [PoolKey: TransferPool] = [:]
    private var sweeper: LoopTimer?
    private var isClosed = false

    /// Creates a client on `loop` that applies `rules` to tenants' addresses.
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

    /// Performs `transfer` and returns the whole answer, which may be a refusal. Nothing is sent twice, except when a
    /// reused connection turns out to be closed.
    ///
    /// - Throws: ``TransferError`` when there is no answer, because the transfer failed, timed out or was cancelled.
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

    /// Cancels all running transfers and closes every connection. Nothing can be sent afterwards. Must be called on the
    /// loop's thread before the client is released.
    public func close() {
        guard !isClosed else { return }
        loop.preconditionCurrent()
        isClosed = true
        sweeper?.cancel()
        for pool in pools.values { pool.close() }
        pools = [:]
    }

    /// The number of running transfers.
    var count: Int { pools.values.reduce(0) { $0 + $1.count } }

    /// The number of pools.
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

    /// Initializes libcurl once for the process. It is never cleaned up, because other threads may have transfers until
    /// the end.
    static let library: Void = {
        precondition(curl_start() == CURLE_OK, "libcurl does not start")
    }()
}
