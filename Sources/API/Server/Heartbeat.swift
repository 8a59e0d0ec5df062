internal import EventLoop
internal import Logging
internal import Postgres

/// Tells the database, every few seconds, that this server takes check-ins. A minute without a beat of any server is an outage of
/// Kith, in which nobody may be reported missing: so a beat must mean exactly that, and nobody outside may be able to stop it.
///
/// Before each beat a probe goes the way of a check-in: through the same connections, to the same tables. The beat itself has a
/// connection of its own.
struct Heartbeat {
    private static let interval = Duration.seconds(5)

    let pool: PostgresPool
    let instance: String

    /// Beats until the task is cancelled; never by a clock that was set, which is not the database's.
    func run(on loop: EventLoop) async {
        guard !loop.clock.isSet else { return }
        let started = loop.clock.now
        var takesCheckIns = true
        while !Task.isCancelled {
            let failure = await beat(startedAt: started)
            if let failure, takesCheckIns {
                Log.error("check-ins cannot be taken", ["reason": "\(failure)"])
            } else if failure == nil, !takesCheckIns {
                Log.info("check-ins are taken again")
            }
            takesCheckIns = failure == nil
            try? await loop.sleep(for: Self.interval)
        }
    }

    /// Why there was no beat; nil for one.
    private func beat(startedAt: Int64) async -> PostgresError? {
        do throws(PostgresError) {
            _ = try await pool.query(Self.probe, [], lane: .writes)
            _ = try await pool.query(
                Self.beat, [.text(instance), .instant(startedAt), .instant(pool.loop.clock.now)], lane: .heartbeat)
            return nil
        } catch {
            return error
        }
    }

    private static let probe = PostgresStatement(name: "probe_check_ins", sql: "select api.probe_check_ins()")
    private static let beat = PostgresStatement(
        name: "beat", sql: "select api.beat($1::text, $2::timestamptz, $3::timestamptz)")
}
