internal import Crypto

/// The files of `sql/functions/` and `sql/policies/`: not a history but a state, applied as a whole whenever one changed.
enum Routines {
    /// In the order in which they build on each other: `kith` and `internal` before those that call them, policies last.
    static let files: [(path: String, text: String)] = {
        let order = [
            "functions/kith/", "functions/internal/", "functions/api/", "functions/worker/", "functions/admin/",
            "policies/",
        ]
        return order.flatMap { folder in embeddedFiles.filter { $0.path.hasPrefix(folder) } }
    }()

    /// SHA-256 over paths and texts, in hexadecimal.
    static let checksum = Hex.encode(sha256(files.map { "\($0.path)\n\($0.text)\n" }.joined().utf8))

    /// Drops every policy, since the files make all of them anew: one whose file is gone would otherwise stay.
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

    /// Takes back what the roles were granted on functions and views, since the files grant all of it anew: `create or replace` keeps what
    /// an earlier version granted. In a subtransaction, so that `dropStale` does not take what it touches for written by a file.
    static let revokeGrants = """
        savepoint grants;
        revoke all on all functions in schema kith, internal, api, worker, admin from kith_api, kith_worker, kith_admin;
        revoke all on all tables in schema internal, admin from kith_api, kith_worker, kith_admin;
        release savepoint grants
        """

    /// Drops the functions that the present transaction has not written: those that no file defines any more. A row of
    /// `pg_proc` carries the transaction that wrote it last, and `create or replace` always writes it.
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
