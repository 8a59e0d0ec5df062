import Foundation
import Glibc
import Postgres
import Testing

/// Kills moves at a chosen step, and checks what they leave in the cells.
extension CellHouse {
    /// Where a move is killed.
    enum MoveStep: CaseIterable {
        case guarding
        case copy
        case hold
        case spread
        case clean

        var isServedAtSource: Bool { self != .clean && self != .spread }
    }

    /// Starts a move and kills it at a step.
    func kill(
        at step: MoveStep, _ tenant: Installation.Tenant, to cell: String, _ source: PostgresSession,
        _ target: PostgresSession
    ) throws {
        let directory = try installation.session()
        let gate = cell == "east" ? try installation.session() : try session("east")
        switch step {
        case .guarding: try gate.execute("begin; lock table kith.users in row exclusive mode")
        case .hold:
            // A transaction that has written for the tenant, and does not end.
            try gate.execute("begin")
            _ = try gate.query("select pg_advisory_xact_lock_shared(internal.move_lock(), \(tenant.tenantID))")
        case .copy, .spread, .clean: break
        }
        let move = try KithProcess(
            ["tenant", "move", tenant.slug, "--to", cell], environment: installation.environment)
        let name = "kith_move_\(tenant.tenantID)"
        if step == .clean {
            try wait(for: move, to: target) {
                try directory.query("select from kith.tenant_moves where step = 'switch'").rowCount > 0
            }
            // The rows of the source cannot be deleted.
            try gate.execute("begin; lock table kith.history in share mode")
        }
        try wait(for: move, to: target) {
            switch step {
            case .guarding: try source.query("select internal.guarded_tables(\(tenant.tenantID))").rowCount > 50
            case .copy: try target.query("select from pg_subscription where subname = '\(name)'").rowCount > 0
            case .hold:
                try source.query(
                    """
                    select from pg_locks where locktype = 'advisory' and not granted and classid = \
                    internal.move_lock()
                    """
                ).rowCount > 0
            case .spread: try directory.query("select from kith.tenant_moves where step = 'switch'").rowCount > 0
            case .clean: try directory.query("select from kith.tenant_moves where step = 'clean'").rowCount > 0
            }
        }
        move.signal(SIGKILL)
        move.wait()
        if step == .guarding || step == .hold || step == .clean { try gate.execute("rollback") }
        let claimed =
            "select from pg_locks where locktype = 'advisory' and classid::bigint - internal.move_lock() in (0, 1, 2)"
        for session in [source, target] { while try session.query(claimed).rowCount > 0 { usleep(10_000) } }
    }

    /// Waits until a question is answered with yes, or the move ends.
    func wait(for move: KithProcess, to target: PostgresSession? = nil, until question: () throws -> Bool) throws {
        while try !question() {
            guard move.isRunning else {
                let log = try target.map(Self.newestLog) ?? ""
                throw KithProcess.Failure(description: "\(move.standardError)\n\(log)")
            }
            usleep(2_000)
        }
    }

    func left(in session: PostgresSession, of tenant: Installation.Tenant) throws -> [String] {
        let rows = try session.query(
            """
            select name from internal.rows_of_tenant(\(tenant.tenantID)) where rows > 0 and name not in \
            ('tenant_cells', 'moving_tenants')
            """
        )
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }
    }

    func expectNothingLeft(
        _ directory: PostgresSession, _ cell: PostgresSession, _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try directory.query("select from kith.tenant_moves").rowCount == 0, sourceLocation: location)
        for session in [directory, cell] {
            for question in [
                "select from pg_publication", "select from pg_subscription", "select from pg_replication_slots",
                "select from pg_trigger where tgname like 'moving%'", "select from kith.tenant_imports",
                "select from kith.move_marks", "select from kith.moving_tenants where state not in ('here', 'gone')",
                """
                select from kith.moving_tenants where (state = 'gone') = exists (select from kith.tenants where slug \
                = 'acme')
                """,
            ] {
                #expect(try session.query(question).rowCount == 0, "\(question)", sourceLocation: location)
            }
        }
    }
}
