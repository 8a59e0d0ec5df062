internal import EventLoop
internal import Logging
internal import Postgres

/// A source that claims within ``DeliveryLimits``.
protocol LimitedSource: DeliverySource, AnyObject {
    var loop: EventLoop { get }
    /// Accessed only on the loop's thread.
    var limits: DeliveryLimits { get set }

    /// Leases the jobs that are due, within the bounds of `claim`.
    func lease(_ claim: DeliveryLimits.Claim) async throws(PostgresError) -> [Job]
    /// Ends pauses of destinations that somebody has seen work.
    func noticeTests() async
    /// The destination of `job`, as the limits see it.
    func candidate(_ job: Job) -> DeliveryLimits.Candidate
    /// The result of a job that was not tried, because its destination has no capacity.
    func putOff(_ job: Job, for wait: Duration) -> Result
}

extension LimitedSource {
    func noticeTests() async {}

    var hasRoomAgain: Bool { limits.hasRoomAgain }

    func claim() async throws(PostgresError) -> [Job]? {
        await noticeTests()
        while let claim = limits.claim(at: loop.now) {
            let leased = try await lease(claim)
            let waits = limits.begin(leased.map(candidate), at: loop.now)
            let begun = zip(leased, waits).compactMap { $1 == nil ? $0 : nil }
            let putOff = zip(leased, waits).compactMap { job, wait in wait.map { self.putOff(job, for: $0) } }
            if !putOff.isEmpty {
                do throws(PostgresError) { try await finish(putOff) } catch {
                    // The jobs that have begun continue. The others become claimable again when their lease ends.
                    Log.error("deferred deliveries cannot be recorded: \(error)", ["loop": name])
                    return begun
                }
            }
            if begun.isEmpty && (claim.isForQuickTenants || !putOff.isEmpty) { continue }
            return begun
        }
        return nil
    }
}
