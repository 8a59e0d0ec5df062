import Foundation
import LocalPostgres
import Postgres
import TestThreads
import Testing

@testable import Schema

/// The folders of `sql/` are floors (sql/README.md): what lies below knows nothing of what lies above.
@Suite(.mayBlock) struct `The floors of sql` {
    /// The calls upward that there are, each with its reason. A new one needs a better one; one that is gone is deleted.
    private static let exceptions = [
        "internal.connection_json → internal.resolution_of_miss":
            "A connection says how its miss was resolved (X38). The rule needs the alarm, and who may know of it."
    ]

    @Test func `let each function call into its own folder or downward`() throws {
        let server = try EphemeralPostgres()
        defer { server.remove() }
        let session = try PostgresSession(url: try server.createDatabase("kith"))
        _ = try Migrator(session).migrate()
        let rows = try session.query(
            """
            with defined as materialized (
              select split_part(definition.path, '/', 1) as folder, object,
                split_part(substr(object, strpos(object, ' ') + 1), '(', 1) as name
              from internal.definitions as definition
              cross join unnest(definition.objects) as object
            ), bodies as materialized (
              select defined.folder, defined.name, case
                  when defined.object like 'view %' then pg_get_viewdef(to_regclass(defined.name))
                  else (select prosrc from pg_proc where oid = to_regprocedure(substr(defined.object, 10)))
                end as body
              from defined
            )
            select bodies.folder, bodies.name, called.name, string_agg(distinct callee.folder, ' ')
            from bodies
            cross join lateral (
              select distinct part[1] as name
              from regexp_matches(
                regexp_replace(regexp_replace(bodies.body, '--[^\\n]*', '', 'g'), '''(?:[^'']|'''')*''', '', 'g'),
                '\\m((?:internal|api|worker|admin)\\.[a-z_0-9]+)', 'g'
              ) as part
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
            upward == Set(Self.exceptions.keys),
            """
            A function calls upward, or an exception is gone. What lies below gets what it needs as an argument, or \
            leaves a row or an event; what spans several floors lies on the highest of them.
            """)
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
