internal import Synchronization

/// How new a server's map of cells is, for all of its loops (decision 51).
///
/// The rows of a tenant that has moved stay in the old cell for 5 seconds (`TenantMove`). As long as a server has asked
/// for the map within ``life``, a cell where the map places a tenant has its rows.
final class MapCurrency: Sendable {
    private struct State {
        var askedAt: ContinuousClock.Instant?
        var routesAskedAt: ContinuousClock.Instant?
        var needsRoutes = false
        var areRoutesComplete = false
        var failures = 0
        var renew: (@Sendable () -> Void)?
    }

    /// How old the map may be when a request is answered by it.
    static let life = Duration.seconds(3)

    private let state = Mutex(State())

    /// Whether the map that all loops have was asked for within ``life``.
    var isCurrent: Bool {
        guard let askedAt = state.withLock({ $0.askedAt }) else { return false }
        return ContinuousClock.now - askedAt <= Self.life
    }

    /// Whether the map that all loops have was asked for after this instant.
    func isNewer(than instant: ContinuousClock.Instant) -> Bool {
        state.withLock { $0.askedAt.map { $0 > instant } ?? false }
    }

    /// Notes that all loops have the map, which the directory was asked for at this time.
    func note(askedAt: ContinuousClock.Instant) {
        state.withLock { $0.askedAt = askedAt }
    }

    /// Whether the routes that all loops have were asked for after this instant.
    func hasRoutes(newerThan instant: ContinuousClock.Instant) -> Bool {
        state.withLock { $0.routesAskedAt.map { $0 > instant } ?? false }
    }

    /// Whether every cell gave its routes when the cells were asked last.
    var areRoutesComplete: Bool { state.withLock { $0.areRoutesComplete } }

    /// Notes that all loops have the routes, which the cells were asked for at this time, and whether every cell gave
    /// its own.
    func note(routesAskedAt: ContinuousClock.Instant, areComplete: Bool) {
        state.withLock { ($0.routesAskedAt, $0.areRoutesComplete) = (routesAskedAt, areComplete) }
    }

    /// Whether a request waits for newer routes.
    var needsRoutes: Bool { state.withLock { $0.needsRoutes } }

    /// Notes that a request waits for newer routes, or with false that they are being asked for.
    func needRoutes(_ needs: Bool) {
        state.withLock { $0.needsRoutes = needs }
    }

    /// How often the map could not be read.
    var failures: Int { state.withLock { $0.failures } }

    /// Notes that the map could not be read.
    func noteFailure() {
        state.withLock { $0.failures += 1 }
    }

    /// Sets what ``renew()`` calls.
    func onRenewal(_ body: (@Sendable () -> Void)?) {
        state.withLock { $0.renew = body }
    }

    /// Lets the map be read at once. Returns before it was.
    func renew() {
        state.withLock { $0.renew }?()
    }
}
