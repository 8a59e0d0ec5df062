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
    /// Whether the process takes its time from this database. With several cells, it takes it from the directory.
    let setsClock: Bool

    /// Sends heartbeats until the task is cancelled. It sends none with a test clock, which differs from the
    /// database's.
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

    /// Sends a heartbeat. Returns the failure, or nil.
    private func beat(startedAt: Int64) async -> PostgresError? {
        do throws(PostgresError) {
            for pool in pools {
                try await withTaskExecutorPreference(pool.loop) { () throws(PostgresError) in
                    _ = try await pool.query(Self.probe, [], lane: .checkIns)
                }
            }
            let pool = pools[0]
            let sent = WallClock.uncorrected
            let answer = try await pool.query(
                Self.beat, [.text(instance), .instant(startedAt), .text(version), .instant(sent)], lane: .heartbeat)
            if setsClock, let time = answer.int(0, 0) {
                setClock(to: Int64(time), between: sent, and: WallClock.uncorrected)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Sets the clock of the process by the database's, which showed `time` between the two instants of the machine's.
    ///
    /// Clients set theirs by the field `Date`, and say by it when somebody tapped. If it were wrong, the database would
    /// find the tap in the future, or take it for an answer to an earlier question.
    private func setClock(to time: Int64, between sent: Int64, and received: Int64) {
        // Nobody knows when within a long time it was.
        guard (0...Self.mostDelay).contains(received - sent) else { return }
        let correction = time - (sent + received) / 2
        // A machine that is synchronized keeps its own clock, which runs evenly.
        let applied = abs(correction) > Self.mostDelay ? correction : 0
        guard abs(applied - WallClock.correction) > Self.mostDelay else { return }
        let seconds = Int((Double(applied) / 1_000_000).rounded())
        Log.warning("the clock is set by the database's", ["seconds": "\(seconds)"])
        WallClock.correct(by: applied)
    }

    /// How far the clock may be off, in microseconds: as long as a heartbeat may take.
    private static let mostDelay: Int64 = 1_000_000

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
