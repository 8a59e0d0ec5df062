import Crypto
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
        try fill(people)
        // As it was before any call.
        _ = try installation.postgres.createDatabase(Self.untouched, template: Installation.database)
    }

    private static let untouched = "untouched"

    private func fill(_ people: Int) throws {
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
        // So that their phones get pushes.
        try installation.setChannel(
            installation.acme, "apns",
            [
                "team_id": "ACMETEAM01", "key_id": "ACMEKEY001", "topic": "example.app",
                "private_key": PrivateKey.generate().pem,
            ])
    }

    /// Replaces functions by those of a file of `Tests/Growth`, until the crowd is as before again.
    func replaceFunctions(by file: String) throws {
        try installation.session()
            .execute(String(contentsOf: Tool.tests.appending(path: "Growth/\(file).sql"), encoding: .utf8))
    }

    /// Makes the crowd as it was before any call, so that no measure depends on what ran before it, and lets the
    /// planner know these statistics.
    func begin(_ statistics: Statistics) throws {
        try PostgresSession(url: installation.postgres.server.url())
            .execute("drop database \"\(Installation.database)\" with (force)")
        _ = try installation.postgres.createDatabase(Installation.database, template: Self.untouched)
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
        try begin(statistics)
        // One session a lane: every call meets the plans and caches that the first one of its kind made.
        var house = try SignInHouse(
            installation,
            serving: ["KITH_READ_CONNECTIONS": "1", "KITH_WRITE_CONNECTIONS": "1", "KITH_CHECK_IN_CONNECTIONS": "1"])
        house.client.checksAnswers = false
        house.worker.signal(SIGSTOP)
        return house
    }
}
