internal import Crypto

/// The files of `sql/functions/` and `sql/policies/`. They describe a state rather than a history, and are applied as a
/// whole whenever one of them changes.
enum Routines {
    /// The files in dependency order: `kith` and `internal` before the functions that call them, policies last.
    static let files: [(path: String, text: String)] = {
        let order = [
            "functions/kith/", "functions/internal/", "functions/api/", "functions/worker/", "functions/admin/",
            "policies/",
        ]
        return order.flatMap { folder in embeddedFiles.filter { $0.path.hasPrefix(folder) } }
    }()

    /// The SHA-256 of all paths and texts, in hexadecimal.
    static let checksum = Hex.encode(sha256(files.map { "\($0.path)\n\($0.text)\n" }.joined().utf8))

    /// Drops every policy. The files create all of them again, and a policy without a file would otherwise remain.
    static let dropPolicies = """
        do $$
        declare
          v_policy record;
        begin
          for v_policy in select policyname, schemaname, tablename from pg_catalog.pg_policies where schemaname = 'kith' loop
            execute format('drop policy %I on %I.%I', v_policy.policyname, v_policy.schemaname, v_policy.tablename);
          end loop;
        end
        $$
        """

    /// Revokes the roles' grants on functions and views. The files grant all of them again, because `create or replace`
    /// keeps the grants of earlier versions. The savepoint makes it a subtransaction, so that `dropStale` does not take
    /// the functions that it touches for ones that a file defines.
    static let revokeGrants = """
        savepoint grants;
        revoke all on all functions in schema kith, internal, api, worker, admin from kith_api, kith_worker, kith_admin;
        revoke all on all tables in schema internal, admin from kith_api, kith_worker, kith_admin;
        release savepoint grants
        """

    /// Drops the functions that the current transaction has not written, which no file defines any more. A row of
    /// `pg_proc` carries the id of the transaction that last wrote it, and `create or replace` always writes it.
    static let dropStale = """
        do $$
        declare
          v_stale record;
        begin
          for v_stale in
            select case p.prokind when 'p' then 'procedure' else 'function' end as kind, p.oid::regprocedure as signature
            from pg_catalog.pg_proc p
            join pg_catalog.pg_namespace n on n.oid = p.pronamespace
            where n.nspname in ('kith', 'internal', 'api', 'worker', 'admin')
              and p.xmin::text::bigint <> (pg_current_xact_id()::text::bigint & 4294967295)
          loop
            execute format('drop %s %s', v_stale.kind, v_stale.signature);
          end loop;
        end
        $$
        """
}
