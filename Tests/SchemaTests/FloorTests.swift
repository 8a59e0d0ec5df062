import Foundation
import LocalPostgres
import Postgres
import TestThreads
import Testing

@testable import Schema

/// The folders of `sql/` are floors (sql/README.md): what lies below knows nothing of what lies above.
@Suite(.mayBlock) struct `The floors of sql` {
    /// The folder, the name, and the body without comments of each function and view that the files define.
    private static let bodies = """
        with defined as materialized (
          select split_part(definition.path, '/', 1) as folder, object,
            split_part(substr(object, strpos(object, ' ') + 1), '(', 1) as name
          from internal.definitions as definition
          cross join unnest(definition.objects) as object
        ), bodies as materialized (
          select defined.folder, defined.name, regexp_replace(case
              when defined.object like 'view %' then pg_get_viewdef(to_regclass(defined.name))
              else (select prosrc from pg_proc where oid = to_regprocedure(substr(defined.object, 10)))
            end, '--[^\\n]*', '', 'g') as body
          from defined
        )
        """
    private static let name = #"\m((?:internal|api|worker|admin)\.[a-z_0-9]+)"#

    private static func migrated(_ server: EphemeralPostgres) throws -> PostgresSession {
        let session = try PostgresSession(url: try server.createDatabase("kith"))
        _ = try Migrator(session).migrate()
        return session
    }

    @Test func `let each function call into its own folder or downward`() throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let rows = try Self.migrated(server).query(
            """
            \(Self.bodies)
            select bodies.folder, bodies.name, called.name, string_agg(distinct callee.folder, ' ')
            from bodies
            cross join lateral (
              select distinct part[1] as name
              from regexp_matches(regexp_replace(bodies.body, '''(?:[^'']|'''')*''', '', 'g'), '\(Self.name)', 'g') as part
            ) as called
            join defined as callee on callee.name = called.name
            group by bodies.folder, bodies.name, called.name
            """)
        #expect(rows.rowCount > 3000, "the calls are found")
        let floors = Dictionary(uniqueKeysWithValues: zip(DefinitionFile.floors, 0...))
        var upward: Set<String> = []
        for row in 0..<rows.rowCount {
            let caller = try #require(floors[rows.string(row, 0) ?? ""])
            // Of functions that share a name, the lowest may be the one that is called.
            let called = (rows.string(row, 3) ?? "").split(separator: " ").compactMap { floors[String($0)] }.min()
            if try #require(called) > caller {
                upward.insert("\(rows.string(row, 1) ?? "") → \(rows.string(row, 2) ?? "")")
            }
        }
        #expect(
            upward == [],
            """
            A function calls upward. What lies below gets what it needs as an argument, or \
            leaves a row or an event; what spans several floors lies on the highest of them.
            """)
    }

    @Test func `have no function that nothing calls`() throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        // Also those that a loop passes to internal.work_off, and those of policies, constraints, indexes and defaults
        // of columns and parameters.
        let rows = try Self.migrated(server).query(
            """
            \(Self.bodies), texts as (
              select body as text, name from bodies
              union all select pg_get_function_arguments(oid), null from pg_proc where pronamespace = 'internal'::regnamespace
              union all select pg_get_expr(polqual, polrelid), null from pg_policy
              union all select pg_get_expr(polwithcheck, polrelid), null from pg_policy
              union all select pg_get_constraintdef(oid), null from pg_constraint
              union all select pg_get_indexdef(indexrelid), null from pg_index
              union all select pg_get_expr(adbin, adrelid), null from pg_attrdef
              union all select tgfoid::regproc::text, null from pg_trigger
            )
            , called as (
              select distinct texts.name as caller, part[1] as name
              from texts
              cross join lateral regexp_matches(texts.text, '\(Self.name)', 'g') as part
            )
            select distinct defined.name
            from defined
            where defined.name like 'internal.%' and not exists (
              select from called where called.name = defined.name and called.caller is distinct from defined.name
            )
            """)
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let sources = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Sources").path)
            .filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: root.appending(path: "Sources/\($0)"), encoding: .utf8) }
        let unused = (0..<rows.rowCount).compactMap { rows.string($0, 0) }.filter { name in
            !sources.contains { $0.contains(name) }
        }
        #expect(unused == [])
    }

    @Test func `stand in the README in their order`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "sql/README.md"), encoding: .utf8)
        let table = try #require(readme.components(separatedBy: "| folder | contents |").dropFirst().first)
        let folders = table.split(separator: "\n").prefix { $0.hasPrefix("|") }.dropFirst().flatMap { line in
            (line.split(separator: "|").first ?? "").matches(of: /`([a-z_]+)`/).map { String($0.1) }
        }
        #expect(folders == DefinitionFile.floors)
    }
}
