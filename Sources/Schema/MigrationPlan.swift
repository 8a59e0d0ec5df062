internal import Postgres

/// What the missing migrations will do to tables: which lock each statement takes, whether it rewrites or scans the
/// table, and how large the table is. It reads the statements by their first words, so it tells nothing of what a `do`
/// block builds.
public struct MigrationPlan: Sendable {
    /// A statement about a table.
    public struct Step: Sendable, Equatable {
        /// The name of the migration's file.
        public let migration: String
        /// The statement's beginning, on one line.
        public let statement: String
        /// The table, as `kith.pings`; nil if the statement concerns none.
        public let table: String?
        /// What it does while others read and write.
        public let effect: String
        /// The size of the table with its indexes; nil if it does not exist yet.
        public internal(set) var bytes: Int?
    }

    /// The statements, in the order in which they run.
    public private(set) var steps: [Step]

    /// The plan for `migrations`, given by their names and texts. `session` tells the sizes.
    init(_ migrations: [Migration], _ session: MigrationSession) throws(MigrationError) {
        steps = migrations.flatMap { Self.steps(of: $0.text, in: $0.name) }
        for index in steps.indices {
            guard let table = steps[index].table else { continue }
            steps[index].bytes = try session.query(
                """
                select sum(pg_total_relation_size(part.oid))::bigint
                from pg_catalog.pg_class as part
                where part.oid = to_regclass($1)
                  or part.oid in (select inhrelid from pg_catalog.pg_inherits where inhparent = to_regclass($1))
                """, [.text(table)]
            ).int(0, 0)
        }
    }

    /// The steps of one migration's text.
    static func steps(of text: String, in migration: String) -> [Step] {
        statements(of: text).compactMap { statement in
            let words = statement.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
            guard let (table, effect) = effect(of: words) else { return nil }
            let line = statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return Step(
                migration: migration, statement: line.count > 100 ? line.prefix(99) + "…" : line, table: table,
                effect: effect)
        }
    }

    private static func effect(of words: [String]) -> (table: String?, effect: String)? {
        func word(after name: String) -> String? {
            guard let index = words.firstIndex(of: name) else { return nil }
            var rest = words[(index + 1)...].drop { ["only", "if", "not", "exists"].contains($0) }
            return rest.popFirst().map { String($0.prefix { !"(;".contains($0) }) }
        }
        let joined = words.joined(separator: " ")
        func has(_ text: String) -> Bool { joined.contains(text) }
        switch words.prefix(2).joined(separator: " ") {
        case "alter table":
            let table = word(after: "table")
            if has(" type ") || has("set logged") || has("set unlogged") {
                return (table, "rewrites it, and nobody reads or writes it meanwhile")
            }
            if has(" add column "), has("default"), has("()") || has("generated always as (") {
                return (table, "may rewrite it, and nobody reads or writes it meanwhile")
            }
            if has("add constraint"), has("using index") == false, has("not valid") == false {
                return (table, "scans it, and nobody writes it meanwhile; `not valid`, then `validate`, would not")
            }
            if has("set not null") { return (table, "scans it, and nobody reads or writes it meanwhile") }
            if has("validate constraint") { return (table, "scans it while others read and write") }
            return (table, "takes its strongest lock for a moment")
        case "create index", "create unique":
            let table = word(after: "on")
            return has("concurrently")
                ? (table, "scans it while others read and write") : (table, "scans it, and nobody writes it meanwhile")
        case "drop table", "truncate table": return (word(after: "table"), "takes its strongest lock for a moment")
        case "drop index": return (nil, "takes its table's strongest lock for a moment")
        case "create table": return (word(after: "table"), "new")
        default: break
        }
        switch words.first {
        case "update": return (word(after: "update"), "writes rows, whose writers wait meanwhile")
        case "delete": return (word(after: "from"), "deletes rows, whose writers wait meanwhile")
        case "insert": return (word(after: "into"), "adds rows")
        case "do": return (nil, "a block: read it")
        default: return nil
        }
    }

    /// The statements of an SQL text, without comments. A semicolon within quotes, or between dollar quotes, ends none.
    static func statements(of text: String) -> [String] {
        var statements: [String] = []
        var current = ""
        var rest = text[...]
        while let character = rest.first {
            if rest.hasPrefix("--") {
                rest = rest.drop { !$0.isNewline }
            } else if character == "'" || character == "\"" {
                let end = rest.dropFirst().firstIndex(of: character) ?? rest.index(before: rest.endIndex)
                current += rest[...end]
                rest = rest[rest.index(after: end)...]
            } else if character == "$", let tag = rest.prefixMatch(of: /\$[A-Za-z_]*\$/)?.output {
                let body = rest.dropFirst(tag.count)
                let end = body.firstRange(of: tag)?.upperBound ?? body.endIndex
                current += rest[..<end]
                rest = rest[end...]
            } else {
                rest = rest.dropFirst()
                if character == ";" {
                    statements.append(current)
                    current = ""
                } else {
                    current.append(character)
                }
            }
        }
        statements.append(current)
        return statements.map { String($0.drop { $0.isWhitespace }) }.filter { !$0.allSatisfy(\.isWhitespace) }
    }
}
