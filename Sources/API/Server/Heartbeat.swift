internal import EventLoop
internal import Logging
internal import Postgres

/// Reports to the database every few seconds that this server can take check-ins. A minute without a heartbeat of any
/// server is an outage of Kith, during which nobody may be reported missing. A heartbeat must therefore mean exactly
/// that, and clients must not be able to stop it.
///
/// Each heartbeat is preceded by a probe on every loop, which uses the same connections and locks the same tables as a
/// check-in. The heartbeat itself has its own connection.
struct Heartbeat {
    private static let interval = Duration.seconds(5)

    /// The pools of the server's loops. The first one sends the heartbeats.
    let pools: [PostgresPool]
    let instance: String
    let version: String

    /// Sends heartbeats until the task is cancelled. It sends none with a test clock, which differs from the
    /// database's.
    func run(on loop: EventLoop) async {
        guard !loop.clock.isSet else { return }
        let started = loop.clock.now
        var takesCheckIns = true
        while !Task.isCancelled {
            let failure = await beat(startedAt: started)
            if let failure, takesCheckIns {
                Log.error("check-ins cannot be taken", ["reason": failure])
            } else if failure == nil, !takesCheckIns {
                Log.info("check-ins are taken again")
            }
            takesCheckIns = failure == nil
            try? await loop.sleep(for: Self.interval)
        }
    }

    /// Sends a heartbeat. Returns why it does not count, or nil.
    private func beat(startedAt: Int64) async -> String? {
        do throws(PostgresError) {
            for pool in pools {
                try await withTaskExecutorPreference(pool.loop) { () throws(PostgresError) in
                    _ = try await pool.query(Self.probe, [], lane: .checkIns)
                }
            }
            let pool = pools[0]
            let answer = try await pool.query(
                Self.beat, [.text(instance), .instant(startedAt), .text(version), .instant(pool.loop.clock.now)],
                lane: .heartbeat)
            return answer.string(0, 0)
        } catch {
            return "\(error)"
        }
    }

    /// Records that this server stops by itself, so that operators do not look for it.
    func end() async {
        let pool = pools[0]
        guard !pool.loop.clock.isSet else { return }
        _ = try? await pool.query(Self.end, [.text(instance), .instant(pool.loop.clock.now)], lane: .heartbeat)
    }

    private static let probe = PostgresStatement(name: "probe_check_ins", sql: "select api.probe_check_ins()")
    private static let beat = PostgresStatement(
        name: "beat", sql: "select api.beat($1::text, $2::timestamptz, $3::text, $4::timestamptz)")
    private static let end = PostgresStatement(name: "end_beat", sql: "select api.end_beat($1::text, $2::timestamptz)")
}
