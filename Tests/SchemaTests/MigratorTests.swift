import Foundation
import LocalPostgres
import Postgres
import Synchronization
import Testing

@testable import Schema

/// One server for the suite; each test makes a database of its own.
private let server = Result { try EphemeralPostgres() }
private let databases = Atomic(0)

private func freshDatabase() throws -> String {
    let number = databases.add(1, ordering: .relaxed).newValue
    return try server.get().createDatabase("migrator_\(number)")
}

@Suite struct `The migrator` {
    @Test func `applies everything once, and then nothing`() throws {
        let session = try PostgresSession(url: freshDatabase())
        let first = try Migrator(session).migrate()
        #expect(first.applied == Migration.all.map(\.name))
        #expect(first.routines)
        #expect(try Migrator(session).migrate() == Migrator.Outcome())
        #expect(try Migrator(session).check() == Migrator.Outcome())
    }

    @Test func `lists the pending migrations before the first run`() throws {
        let session = try PostgresSession(url: freshDatabase())
        let missing = try Migrator(session).check()
        #expect(missing.applied.count == Migration.all.count)
        #expect(try session.query("select to_regnamespace('kith') is null").bool(0, 0) == true)
    }

    @Test func `applies everything once when several run at the same time`() async throws {
        let url = try freshDatabase()
        let outcomes = try await withThrowingTaskGroup(of: Migrator.Outcome.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await onThread { try Migrator(PostgresSession(url: url)).migrate() }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.flatMap(\.applied).sorted() == Migration.all.map(\.name))
        #expect(outcomes.count { $0.routines } == 1)
    }

    @Test func `refuses an applied migration that was edited`() throws {
        let session = try PostgresSession(url: freshDatabase())
        _ = try Migrator(session).migrate()
        try session.execute("update internal.migrations set checksum = 'edited' where number = 2")
        #expect {
            try Migrator(session).migrate()
        } throws: {
            "\($0)".contains("0002_") && "\($0)".contains("was edited")
        }
        #expect(throws: MigrationError.self) { try Migrator(session).check() }
    }

    @Test func `refuses a database of a newer Kith`() throws {
        let session = try PostgresSession(url: freshDatabase())
        _ = try Migrator(session).migrate()
        try session.execute("insert into internal.migrations values (9999, 'from the future', 'x', now())")
        #expect {
            try Migrator(session).migrate()
        } throws: {
            "\($0)".contains("run the newer kith")
        }
    }

    @Test func `restores functions that differ, and drops those that no file defines`() throws {
        let session = try PostgresSession(url: freshDatabase())
        _ = try Migrator(session).migrate()
        try session.execute(
            """
            create function api.left_behind() returns integer language sql as 'select 1';
            create policy "left behind" on kith.users to kith_api using (true);
            create or replace function kith.tenant_id() returns integer language sql stable as 'select 1';
            update internal.routines set checksum = 'older';
            """)
        #expect(try Migrator(session).migrate() == Migrator.Outcome(applied: [], routines: true))
        #expect(try session.query("select to_regproc('api.left_behind') is null").bool(0, 0) == true)
        #expect(try session.query("select from pg_policies where policyname = 'left behind'").rowCount == 0)
        #expect(try session.query("select kith.tenant_id() is null").bool(0, 0) == true)
    }

    @Test func `revokes privileges that an earlier Kith granted`() throws {
        let session = try PostgresSession(url: freshDatabase())
        _ = try Migrator(session).migrate()
        try session.execute(
            """
            grant execute on function internal.begin_connection(uuid, uuid, uuid, timestamptz) to kith_api;
            grant insert, update (status) on kith.connections to kith_api;
            grant select on admin.vaults to kith_worker;
            create function api.left_behind() returns integer language sql as 'select 1';
            grant execute on function api.left_behind() to kith_api;
            update internal.routines set checksum = 'older';
            """)
        _ = try Migrator(session).migrate()
        let left = try session.query(
            """
            select has_function_privilege('kith_api', 'internal.begin_connection(uuid, uuid, uuid, timestamptz)', 'execute')
              or has_any_column_privilege('kith_api', 'kith.connections', 'insert, update')
              or has_table_privilege('kith_worker', 'admin.vaults', 'select')
              or to_regproc('api.left_behind') is not null
            """)
        #expect(left.bool(0, 0) == false)
        #expect(
            try session.query("select has_function_privilege('kith_api', 'api.get_me()', 'execute')").bool(0, 0) == true
        )
    }

    @Test func `recreates a missing default partition`() throws {
        let session = try PostgresSession(url: freshDatabase())
        _ = try Migrator(session).migrate()
        try session.execute("drop table kith.history_default; update internal.routines set checksum = 'older'")
        _ = try Migrator(session).migrate()
        #expect(try session.query("select to_regclass('kith.history_default') is not null").bool(0, 0) == true)
    }

    @Test func `normalises the web origins that an earlier Kith accepted`() throws {
        let session = try PostgresSession(url: freshDatabase())
        _ = try Migrator(session).migrate()
        try session.execute(
            """
            alter table kith.tenants drop constraint tenants_origins_are_origins;
            drop index kith.tenants_by_origin;
            delete from internal.migrations where name like '0013%';
            select admin.create_tenant('acme', 'Acme');
            update kith.tenants
            set allowed_origins = array['https://B.example/', 'https://a.example:8443', null, 'https://c.example/path', 'x']
            where slug = 'acme';
            """)
        #expect(try Migrator(session).migrate().applied == ["0013_check_allowed_origins.sql"])
        let origins = try session.query("select array_to_string(allowed_origins, ' ') from kith.tenants")
        #expect(origins.string(0, 0) == "https://b.example https://a.example:8443")
    }

    @Test func `can migrate two databases of one server at the same time`() async throws {
        let urls = try [freshDatabase(), freshDatabase()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for url in urls {
                group.addTask { _ = try await onThread { try Migrator(PostgresSession(url: url)).migrate() } }
            }
            try await group.waitForAll()
        }
    }
}
