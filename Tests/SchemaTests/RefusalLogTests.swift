import Foundation
import LocalPostgres
import Postgres
import TestThreads
import Testing

@testable import Schema

@Suite(.mayBlock) struct `PostgreSQL's log` {
    private let session: PostgresSession
    private let api: PostgresSession
    private let postgres: EphemeralPostgres

    init() throws {
        postgres = try EphemeralPostgres()
        let url = try postgres.createDatabase("kith")
        session = try PostgresSession(url: url)
        _ = try Migrator(session).migrate()
        try session.execute(
            """
            select * from admin.create_tenant('acme', 'Acme');
            insert into kith.users (tenant_id, id, display_name, tokens_valid_from, created_at, updated_at)
            select tenant_id, people.id::uuid, people.name, now(), now(), now() from kith.tenants
            cross join (values ('\(Self.alice)', 'Alice'), ('\(Self.bob)', 'Bob')) as people (id, name);
            """)
        api = try PostgresSession(url: postgres.server.url(database: "kith", user: "kith_api"))
    }

    private static let alice = "0a11ce00-0000-7000-8000-000000000001"
    private static let bob = "000b0b00-0000-7000-8000-000000000002"

    /// The contents of the log, which the server places beside its data directory.
    private func log() throws -> String {
        let data = try #require(try session.query("select current_setting('data_directory')").string(0, 0))
        let file = URL(fileURLWithPath: data).deletingLastPathComponent().appendingPathComponent("postgres.log")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    private func asAlice(_ sql: String) throws {
        try api.execute(
            """
            begin;
            select set_config('kith.tenant_id', '1', true), set_config('kith.user_id', '\(Self.alice)', true);
            \(sql);
            commit
            """)
    }

    /// The SQLSTATE with which the statement was refused, and whether the error contains the mark; nil if it succeeded.
    private func refusal(_ sql: String) -> (state: String, hasMark: Bool)? {
        do {
            try asAlice(sql)
            return nil
        } catch PostgresError.server(let error) {
            try? api.execute("rollback")
            return (error.sqlState.rawValue, "\(error.message) \(error.detail ?? "")".contains("Zanzibar"))
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test func `contains nothing of what Kith refuses, and the client gets all of it`() throws {
        try asAlice("select api.create_vault('{\"name\": \"Zanzibar\"}', now())")
        try session.execute(
            """
            insert into kith.nominees (tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, invited_by_user_id, accepted_at, updated_at)
            select tenant_id, gen_random_uuid(), id, owner_id, '\(Self.bob)', 'Bob', 'accepted', 'view', now(), owner_id, now(), now() from kith.vaults
            """)
        let before = try log().utf8.count

        let shared = try #require(refusal("select api.delete_me(null, now())"))
        #expect(shared == (state: "KT409", hasMark: true))
        #expect(refusal("select api.update_me('{\"time_zone\": \"Zanzibar/Nowhere\"}', '{}', now())")?.state == "KT422")
        // PostgreSQL's own errors, which quote their input.
        #expect(try #require(refusal("select 'Zanzibar'::uuid")) == (state: "22P02", hasMark: true))
        #expect(
            refusal("select api.create_vault(jsonb_build_object('name', repeat('Zanzibar', 100)), now())")?.state
                == "23514")
        for _ in 0..<100 { #expect(refusal("select api.get_vault(gen_random_uuid(), now())")?.state == "KT404") }

        // Operators get ids instead of names.
        let operators = #expect(throws: PostgresError.self) {
            try session.execute("select admin.delete_user('acme', '\(Self.alice)', 'asked by mail')")
        }
        guard case .server(let error) = operators else { return }
        #expect(
            error.sqlState.rawValue == "KT409" && error.detail?.contains("Other people have access to vault ") == true)

        let written = String(decoding: try log().utf8.dropFirst(before), as: UTF8.self)
        #expect(!written.contains("Zanzibar"))
        #expect(written.contains("conflict"), "the operator's own session is logged as before")
        #expect(written.split(separator: "\n").count { $0.contains("ERROR") } == 1)

        let pid = try #require(try api.query("select pg_backend_pid()").int(0, 0))
        _ = try session.query("select pg_terminate_backend($1::integer)", [.int(pid)])
        #expect(throws: PostgresError.self) { try api.execute("select 1") }
        #expect(try log().contains("FATAL"), "an error that ends a session is logged")
    }
}
