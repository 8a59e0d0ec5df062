import EventLoop
import Foundation
import LocalPostgres
import Postgres

/// The server that the tests of this process share; the first of them starts it.
let sharedServer = Result {
    // Tests run in parallel, each with pools of its own.
    var settings = LocalPostgresSettings()
    settings.maxConnections = 500
    return try EphemeralPostgres(settings: settings)
}

/// A new database on the shared server.
func makeDatabase(_ name: String) throws -> String {
    try sharedServer.get().createDatabase(name)
}

/// Runs `body` on an event loop of its own, with a connected pool that is closed afterwards.
func withPool<Value: Sendable>(
    _ url: String, readURL: String? = nil, lanes: PostgresLanes = .patient, settings: [(String, String)] = [],
    awaitsConnections: Bool = true, _ body: @escaping @Sendable (PostgresPool, EventLoop) async throws -> Value
) async throws -> Value {
    let loop = await runningLoop()
    defer { loop.stop() }
    return try await Task(executorPreference: loop) {
        let pool = try PostgresPool(
            loop: loop, url: url, readURL: readURL, applicationName: "tests", lanes: lanes, sessionSettings: settings)
        pool.start()
        defer { pool.close() }
        while awaitsConnections, PostgresLane.allCases.contains(where: { pool.status(of: $0).isIncomplete }) {
            try await loop.sleep(for: .milliseconds(2))
        }
        return try await body(pool, loop)
    }.value
}

/// An event loop that runs on a thread of its own. The function returns it from within its run, because a loop that has
/// not begun still belongs to the thread that made it.
private func runningLoop() async -> EventLoop {
    await withCheckedContinuation { continuation in
        Thread {
            guard let loop = try? EventLoop() else { preconditionFailure("no descriptors left") }
            loop.execute { continuation.resume(returning: loop) }
            loop.run()
        }.start()
    }
}

extension PostgresPool {
    /// The error with which a statement ends; nil if it succeeds.
    func failure(
        _ statement: PostgresStatement, _ parameters: [PostgresValue] = [], lane: PostgresLane = .reads,
        deadline: Duration? = nil
    ) async -> PostgresError? {
        do throws(PostgresError) {
            _ = try await query(statement, parameters, lane: lane, deadline: deadline)
            return nil
        } catch {
            return error
        }
    }
}

extension PostgresLaneStatus {
    var isIncomplete: Bool { connected < connections }
}

extension PostgresError {
    var isUnavailable: Bool { if case .unavailable = self { true } else { false } }
    var isTimedOut: Bool { if case .timedOut = self { true } else { false } }
}
