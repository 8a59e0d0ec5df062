internal import Postgres

/// The definition files that a database has: the state of each, and the functions and views that it created.
struct DefinitionLedger {
    let session: MigrationSession

    static let tables = """
        create table if not exists internal.definitions (
          path text constraint definitions_pkey primary key,
          checksum text not null,
          objects text[] not null,
          applied_at timestamptz not null
        );
        comment on table internal.definitions is
          'The ledger of definition files: the SHA-256 of the state of each that this database has, and the functions and views that it created.';
        create table if not exists internal.retired_objects (
          object text constraint retired_objects_pkey primary key,
          retired_at timestamptz not null
        );
        comment on table internal.retired_objects is
          'Functions and views that no file defines any more. Servers of the previous release may still call them, so they stay until kith migrate has functions to apply again.';
        """

    /// The functions and views in Kith's schemas, such as `function api.get_me()`: the transaction and the command that
    /// last wrote each (`create or replace` always writes a row), and its privileges.
    private static let existing = """
        select case prokind when 'p' then 'procedure ' else 'function ' end || oid::regprocedure as object,
          xmin::text::bigint as written_by, cmin::text::bigint as command, proacl as privileges
        from pg_catalog.pg_proc
        where pronamespace = any ('{kith,internal,api,worker,admin}'::regnamespace[])
        union all
        select 'view ' || class.oid::regclass, rule.xmin::text::bigint, rule.cmin::text::bigint, class.relacl
        from pg_catalog.pg_class as class
        join pg_catalog.pg_rewrite as rule on rule.ev_class = class.oid and rule.rulename = '_RETURN'
        where class.relkind = 'v' and class.relnamespace = any ('{kith,internal,api,worker,admin}'::regnamespace[])
        """

    /// Returns those of `files` whose state differs from the database's, or of which a function or view is missing
    /// there.
    func changed(_ files: [DefinitionFile]) throws(MigrationError) -> [DefinitionFile] {
        let rows = try session.query(
            """
            with existing as materialized (\(Self.existing))
            select path, checksum from internal.definitions
            where objects <@ array(select object from existing)
            """)
        let applied = (0..<rows.rowCount).reduce(into: [String: String]()) {
            $0[rows.string($1, 0) ?? ""] = rows.string($1, 1)
        }
        return files.filter { applied[$0.path] != $0.checksum }
    }

    /// Returns the paths of the applied files that are not among `files`.
    func removed(_ files: [DefinitionFile]) throws(MigrationError) -> [String] {
        let rows = try session.query("select path from internal.definitions order by path")
        let known = Set(files.map(\.path))
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }.filter { !known.contains($0) }
    }

    /// Applies files of functions and views, in a transaction of the caller's. Functions call each other, so others
    /// must see all of them as they were, or all as they will be. Replacing a function waits for nobody.
    func apply(_ files: [DefinitionFile], removing removed: [String]) throws(MigrationError) {
        let paths = PostgresValue.array(files.map(\.path) + removed)
        let grants = try takePrivileges(paths)
        // Everything that these files created so far counts as retired, until one of them creates it again below.
        _ = try session.query(
            """
            insert into internal.retired_objects
            select distinct unnest(objects), now() from internal.definitions where path = any ($1::text[])
            on conflict do nothing
            """, [paths])
        _ = try session.query("delete from internal.definitions where path = any ($1::text[])", [paths])
        // Bodies refer to functions in later files.
        try session.execute("set local check_function_bodies = off")
        for file in files {
            try session.apply(file: file.path, file.text)
            try record(file)
        }
        try session.execute(Self.attribute)
        _ = try session.query(
            "delete from internal.retired_objects where object in (select unnest(objects) from internal.definitions)")
        try giveBack(grants)
        try dropStale()
    }

    /// Applies a table's policies and grants, in a transaction of the caller's, which locks the table.
    func apply(policies file: DefinitionFile, of table: String) throws(MigrationError) {
        _ = try session.query("select internal.protect_table($1::regclass)", [.text("kith.\(table)")])
        try session.apply(file: file.path, file.text)
        try record(file)
    }

    /// A role's privilege on a function or view, as the end of a `grant` and a `revoke`.
    private struct Grant {
        let object: String
        let role: String

        /// `grant` knows views as tables.
        var target: String {
            object.hasPrefix("view ") ? "all on table \(object.dropFirst(5))" : "all on \(object)"
        }
    }

    /// Revokes the roles' privileges on everything that the files have defined, because `create or replace` keeps those
    /// that an earlier version granted. Returns them.
    private func takePrivileges(_ paths: PostgresValue) throws(MigrationError) -> [Grant] {
        let rows = try session.query(
            """
            select existing.object, granted.grantee::regrole
            from (\(Self.existing)) as existing
            cross join lateral aclexplode(existing.privileges) as granted
            where granted.grantee = any ('{kith_api,kith_worker,kith_admin}'::regrole[])
              and existing.object in (select unnest(objects) from internal.definitions where path = any ($1::text[]))
            """, [paths])
        let grants = (0..<rows.rowCount).map {
            Grant(object: rows.string($0, 0) ?? "", role: rows.string($0, 1) ?? "")
        }
        // In a subtransaction, so that `attribute` does not take these functions for ones that a file has written.
        try session.execute(
            "savepoint privileges;" + grants.map { "revoke \($0.target) from \($0.role);" }.joined()
                + "release savepoint privileges")
        return grants
    }

    /// Restores the privileges on what this transaction retired.
    private func giveBack(_ grants: [Grant]) throws(MigrationError) {
        let rows = try session.query("select object from internal.retired_objects where retired_at = now()")
        let retired = Set((0..<rows.rowCount).compactMap { rows.string($0, 0) })
        let kept = grants.filter { retired.contains($0.object) }
        guard !kept.isEmpty else { return }
        try session.execute(kept.map { "grant \($0.target) to \($0.role);" }.joined())
    }

    /// Records that the file was applied, without the functions and views that it created.
    private func record(_ file: DefinitionFile) throws(MigrationError) {
        _ = try session.query(
            """
            insert into internal.definitions (path, checksum, objects, applied_at) values ($1, $2, '{}', now())
            on conflict (path) do update set checksum = excluded.checksum, applied_at = excluded.applied_at
            """, [.text(file.path), .text(file.checksum)])
    }

    /// Records which functions and views each file of this transaction created. The command that recorded a file comes
    /// after those that created its objects, and before those of the next file.
    private static let attribute = """
        update internal.definitions as file
        set objects = created.objects
        from (
          select recorded.path, array_agg(existing.object order by existing.object) as objects
          from (\(existing)) as existing
          cross join lateral (
            select path from internal.definitions
            where applied_at = now() and cmin::text::bigint > existing.command
            order by cmin::text::bigint limit 1
          ) as recorded
          where existing.written_by = (pg_current_xact_id()::text::bigint & 4294967295)
          group by recorded.path
        ) as created
        where file.path = created.path
        """

    /// Drops what an earlier run retired, and what nobody knows where it came from.
    private func dropStale() throws(MigrationError) {
        let rows = try session.query(
            """
            select object from (\(Self.existing)) as existing
            where object not in (select unnest(objects) from internal.definitions)
              and object not in (select object from internal.retired_objects where retired_at = now())
            """)
        for object in (0..<rows.rowCount).compactMap({ rows.string($0, 0) }) { try session.execute("drop \(object)") }
        // The programs of before the run that retired these would call them in vain.
        try session.execute(
            """
            delete from internal.migrated_schemas
            where migrated_at < (select max(retired_at) from internal.retired_objects where retired_at < now());
            delete from internal.retired_objects where retired_at < now()
            """)
    }
}
