import Foundation
import LocalPostgres
import Postgres
import Synchronization
import TestThreads
import Testing

@testable import Schema

/// One server for the suite; each test makes a database of its own.
private let server = Result { try EphemeralPostgres() }
private let databases = Atomic(0)

private func freshDatabase() throws -> String {
    let number = databases.add(1, ordering: .relaxed).newValue
    return try server.get().createDatabase("migrator_\(number)")
}

@Suite(.mayBlock) struct `The migrator` {
    /// The program's definition files, with other texts.
    private static func files(_ text: (_ path: String, _ text: String) -> String) -> [DefinitionFile] {
        DefinitionFile.ordered(
            embeddedFiles.filter { !$0.path.hasPrefix(Migration.folder) }.map { ($0.path, text($0.path, $0.text)) })
    }

    @Test func `applies everything once, and then nothing`() throws {
        let session = try PostgresSession(url: freshDatabase())
        let first = try Migrator(session).migrate()
        #expect(first.migrations == Migration.all.map(\.name))
        #expect(first.definitions == DefinitionFile.all.map(\.path))
        #expect(try Migrator(session).migrate() == Migrator.Outcome())
        #expect(try Migrator(session).check() == Migrator.Outcome())
    }

    @Test func `knows which schemas a database has had`() throws {
        let session = try PostgresSession(url: freshDatabase())
        #expect(try !Migrator.hasMigrated(session))
        let other = Self.files { $0 == "check_ins/worker.miss_pings.sql" ? $1 + "-- Edited.\n" : $1 }
        _ = try Migrator(session, files: other).migrate()
        #expect(try !Migrator.hasMigrated(session))
        _ = try Migrator(session).migrate()
        #expect(try Migrator.hasMigrated(session))
        // A newer release also serves this one.
        _ = try Migrator(session, files: other).migrate()
        try session.execute("set role kith_worker")
        #expect(try Migrator.hasMigrated(session))
    }

    @Test func `lists the pending migrations before the first run`() throws {
        let session = try PostgresSession(url: freshDatabase())
        let missing = try Migrator(session).check()
        #expect(missing.migrations.count == Migration.all.count)
        #expect(missing.definitions.count == DefinitionFile.all.count)
        #expect(try session.query("select to_regnamespace('kith') is null").bool(0, 0) == true)
    }

    @Test func `applies everything once when several run at the same time`() async throws {
        let url = try freshDatabase()
        let outcomes = try await withThrowingTaskGroup(of: Migrator.Outcome.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try Migrator(PostgresSession(url: url)).migrate()
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.flatMap(\.migrations).sorted() == Migration.all.map(\.name))
        #expect(outcomes.count { !$0.isCurrent } == 1)
    }

    @Test func `refuses an applied migration that was edited`() throws {
        let session = try PostgresSession(url: freshDatabase())
        _ = try Migrator(session).migrate()
        try session.execute("update internal.migrations set checksum = 'edited' where number = 2")
        #expect {
            try Migrator(session).migrate()
        } throws: {
            "\($0)".contains("0002_") && "\($0)".contains("made by a Kith of before 1.0")
        }
        #expect(throws: MigrationError.self) { try Migrator(session).check() }
        #expect("\(MigrationError.edited(name: "0020_add.sql"))".contains("0020_add.sql was edited"))
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

    @Test func `applies only the files that have changed`() throws {
        let url = try freshDatabase()
        let session = try PostgresSession(url: url)
        _ = try Migrator(session).migrate()
        let paths = ["check_ins/worker.miss_pings.sql", "pings/policies.pings.sql"]
        let edited = Self.files { paths.contains($0) ? $1 + "-- Edited.\n" : $1 }
        #expect(try Migrator(session, files: edited).check().definitions == paths)
        #expect(try Migrator(session, files: edited).migrate() == Migrator.Outcome(definitions: paths))
        #expect(try Migrator(session, files: edited).migrate().isCurrent)
    }

    @Test func `applies every table's policies when the standard policies change`() throws {
        let session = try PostgresSession(url: freshDatabase())
        _ = try Migrator(session).migrate()
        let edited = Self.files { path, text in
            path == "foundation/internal.protect_table.sql"
                ? text.replacing("\"the owner may do everything\"", with: "\"the owner does everything\"") : text
        }
        let outcome = try Migrator(session, files: edited).migrate()
        let policies = DefinitionFile.all.filter { $0.path.contains("/policies.") }.map(\.path)
        #expect(outcome.definitions == ["foundation/internal.protect_table.sql"] + policies)
        let names = try session.query(
            """
            select count(*) filter (where policyname = 'the owner does everything'), count(*) filter (where \
            policyname = 'the owner may do everything') from pg_policies
            """
        )
        #expect(names.int(0, 0) == policies.count)
        #expect(names.int(0, 1) == 0)
    }

    @Test func `makes all functions anew when the rows of a view that they use have another type`() throws {
        let session = try PostgresSession(url: freshDatabase())
        _ = try Migrator(session).migrate()
        let view = "connections/internal.aliases.sql"
        let edited = Self.files { path, text in path == view ? text + "-- Edited.\n" : text }
        let outcome = try Migrator(session, files: edited).migrate()
        let functions = DefinitionFile.all.filter { $0.content == .functions }.map(\.path)
        #expect(outcome.definitions.contains(view))
        #expect(Set(outcome.definitions).isSuperset(of: functions))
        #expect(!outcome.definitions.contains { $0.contains("/admin.") && !functions.contains($0) })
    }

    @Test func `restores what was dropped by hand, and drops what no file defines`() throws {
        let session = try PostgresSession(url: freshDatabase())
        _ = try Migrator(session).migrate()
        try session.execute(
            """
            create function api.left_behind() returns integer language sql as 'select 1';
            drop function api.get_me;
            drop view admin.channels;
            """)
        let outcome = try Migrator(session).migrate()
        #expect(outcome.definitions == ["people/api.me.sql", "deliveries/admin.deliveries.sql"])
        #expect(try session.query("select to_regproc('api.left_behind') is null").bool(0, 0) == true)
        #expect(
            try session.query("select has_function_privilege('kith_api', 'api.get_me()', 'execute')").bool(0, 0) == true
        )
        #expect(
            try session.query("select has_table_privilege('kith_admin', 'admin.channels', 'select')").bool(0, 0) == true
        )
    }

    @Test func `keeps a function that the previous release calls until the release after next`() throws {
        let session = try PostgresSession(url: freshDatabase())
        func release(_ parameters: String) -> [DefinitionFile] {
            let text = """
                create or replace function api.greet(\(parameters)) returns integer language sql as 'select 1';
                grant execute on function api.greet(\(parameters)) to kith_api;
                """
            let others = embeddedFiles.filter { !$0.path.hasPrefix(Migration.folder) }
            return DefinitionFile.ordered(others + [("users/api.greet.sql", text)])
        }
        func calls(_ parameters: String) throws -> Bool? {
            try session.query(
                "select has_function_privilege('kith_api', to_regprocedure('api.greet(\(parameters))'), 'execute')"
            )
            .bool(0, 0)
        }
        _ = try Migrator(session, files: release("integer")).migrate()
        #expect(try calls("integer") == true)
        // The parameter is a text from now on. The servers that still run pass an integer.
        #expect(try Migrator(session, files: release("text")).migrate().definitions == ["users/api.greet.sql"])
        #expect(try calls("text") == true)
        #expect(try calls("integer") == true)
        // Going back is possible, too.
        _ = try Migrator(session, files: release("integer")).migrate()
        _ = try Migrator(session, files: release("text")).migrate()
        #expect(try calls("integer") == true)
        func schemas() throws -> Int? {
            try session.query("select count(*) from internal.migrated_schemas").int(0, 0)
        }
        #expect(try schemas() == 2)
        // The next release has neither.
        let outcome = try Migrator(session).migrate()
        #expect(outcome == Migrator.Outcome(removed: ["users/api.greet.sql"]))
        #expect(try calls("integer") == nil)
        #expect(try calls("text") == true)
        // And the one after it finds something to apply.
        _ = try Migrator(session, files: Self.files { $0 == "people/api.me.sql" ? $1 + "-- Edited.\n" : $1 }).migrate()
        #expect(try calls("text") == nil)
        // It serves the programs of before and after it, and no longer those that would call what is gone.
        #expect(try schemas() == 2)
        #expect(try Migrator.hasMigrated(session))
    }

    @Test func `revokes privileges that an earlier Kith granted`() throws {
        let session = try PostgresSession(url: freshDatabase())
        let paths = [
            "connections/internal.connections.sql", "connections/policies.connections.sql",
            "vaults/admin.vault_views.sql",
        ]
        let earlier = Self.files { path, text in
            switch path {
            case paths[0]:
                text + "grant execute on function internal.begin_connection(uuid, uuid, uuid, timestamptz) to kith_api;"
            case paths[1]: text + "grant insert, update (status) on kith.connections to kith_api;"
            case paths[2]: text + "grant select on admin.vaults to kith_worker;"
            default: text
            }
        }
        func privileges() throws -> [Bool?] {
            let row = try session.query(
                """
                select has_function_privilege('kith_api', 'internal.begin_connection(uuid, uuid, uuid, timestamptz)', 'execute'),
                  has_any_column_privilege('kith_api', 'kith.connections', 'insert, update'),
                  has_table_privilege('kith_worker', 'admin.vaults', 'select'),
                  has_function_privilege('kith_api', 'api.get_me()', 'execute')
                """)
            return (0..<4).map { row.bool(0, $0) }
        }
        _ = try Migrator(session, files: earlier).migrate()
        #expect(try privileges() == [true, true, true, true])
        #expect(Set(try Migrator(session).migrate().definitions).isSuperset(of: paths))
        #expect(try privileges() == [false, false, false, true])
    }

    @Test func `waits for a lock without making others wait, and says which file it could not apply`() async throws {
        let url = try freshDatabase()
        let session = try PostgresSession(url: url)
        _ = try Migrator(session).migrate()
        let edited = Self.files { $0 == "pings/policies.pings.sql" ? $1 + "-- Edited.\n" : $1 }
        let reader = try PostgresSession(url: url)
        try reader.execute("begin; select count(*) from kith.pings")
        #expect {
            try Migrator(session, files: edited, attempts: 2).migrate()
        } throws: {
            "\($0)".contains("sql/pings/policies.pings.sql waits for a lock")
        }
        #expect(try Migrator(session, files: edited).check().definitions == ["pings/policies.pings.sql"])
        // While the migrator tries again and again, other readers are served. It tries until the reader commits,
        // because this machine may need longer than the usual minute for the five turns.
        let isOver = Atomic(false)
        let migration = Task(executorPreference: OwnThreads.shared) {
            defer { isOver.store(true, ordering: .releasing) }
            return try Migrator(PostgresSession(url: url), files: edited, attempts: .max).migrate()
        }
        let other = try PostgresSession(url: url)
        try other.execute("set lock_timeout = '20s'")
        let waiting = "select count(*) from pg_locks where relation = 'kith.pings'::regclass and not granted"
        var turns = 0
        while turns < 5, !isOver.load(ordering: .acquiring) {
            if try other.query(waiting).int(0, 0) ?? 0 > 0 {
                _ = try other.query("select count(*) from kith.pings")
                turns += 1
            }
            usleep(5000)
        }
        try reader.execute("commit")
        #expect(try await migration.value.definitions == ["pings/policies.pings.sql"])
    }

    @Test func `recreates a missing default partition`() throws {
        let session = try PostgresSession(url: freshDatabase())
        _ = try Migrator(session).migrate()
        try session.execute("drop table kith.history_default")
        _ = try Migrator(session, files: Self.files { $0 == "people/api.me.sql" ? $1 + "-- Edited.\n" : $1 }).migrate()
        #expect(try session.query("select to_regclass('kith.history_default') is not null").bool(0, 0) == true)
    }

    @Test func `can migrate two databases of one server at the same time`() async throws {
        let urls = try [freshDatabase(), freshDatabase()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for url in urls {
                group.addTask { _ = try Migrator(PostgresSession(url: url)).migrate() }
            }
            try await group.waitForAll()
        }
    }
}
