import Foundation
import LocalPostgres
import Postgres

/// An installation in whose tenant acme other people live (`Tests/Growth/crowd.sql`), and whose work can be read.
struct CrowdHouse: Sendable {
    /// What PostgreSQL's planner knows of the tables when the sessions make their plans.
    enum Statistics: CaseIterable {
        /// The crowd, as it is.
        case current
        /// Nothing.
        case none
        /// That the tables are empty.
        case empty
    }

    let installation: Installation

    init(people: Int) throws {
        var settings = LocalPostgresSettings()
        settings.parameters = WorkMeter.parameters
        installation = try Installation(cells: 1, settings: settings)
        let session = try installation.session()
        // The statistics stay as they are while the calls run.
        try session.execute(
            """
            create or replace function internal.analyze_grown_tables(p_now timestamptz) returns integer language sql
            as 'select 0'
            """)
        for (name, value) in ["tenant": "\(installation.acme.tenantID)", "people": "\(people)", "now": Day.instant(0)] {
            _ = try session.query("select set_config($1, $2, false)", [.text("crowd.\(name)"), .text(value)])
        }
        try session.execute(String(contentsOf: Tool.tests.appending(path: "Growth/crowd.sql"), encoding: .utf8))
    }

    /// Replaces functions by those of a file of `Tests/Growth`. Returns what puts them back.
    func replaceFunctions(by file: String) throws -> () throws -> Void {
        let session = try installation.session()
        let functions = try session.query(
            """
            select string_agg(pg_get_functiondef(oid), ';')
            from pg_proc
            where oid::regproc::text in ('internal.missed_pings', 'internal.missed_ping', 'internal.end_rights_of_blocked')
            """
        ).string(0, 0)
        try session.execute(String(contentsOf: Tool.tests.appending(path: "Growth/\(file).sql"), encoding: .utf8))
        return { try session.execute(functions ?? "") }
    }

    /// Lets the planner know these statistics from now on.
    func set(_ statistics: Statistics) throws {
        let session = try installation.session()
        switch statistics {
        case .current: try session.execute("analyze")
        case .none, .empty:
            try session.execute(
                """
                delete from pg_statistic;
                update pg_class set relpages = 0, reltuples = \(statistics == .none ? -1 : 0), relallvisible = 0
                where relkind in ('r', 'p');
                """)
        }
    }

    /// Starts a server and a worker, whose plans are made with these statistics. The worker is stopped.
    func serve(_ statistics: Statistics) throws -> SignInHouse {
        try set(statistics)
        // One session a lane: every call meets the plans and caches that the first one of its kind made.
        var house = try SignInHouse(
            installation,
            serving: ["KITH_READ_CONNECTIONS": "1", "KITH_WRITE_CONNECTIONS": "1", "KITH_CHECK_IN_CONNECTIONS": "1"])
        house.client.checksAnswers = false
        house.worker.signal(SIGSTOP)
        return house
    }
}
