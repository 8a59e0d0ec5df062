internal import API
internal import Crypto
internal import Foundation
internal import Glibc
internal import Identity
internal import Postgres

/// The demo tenant of `kith dev`. Alice is a sender, Bob is her receiver, and Carol has a vault with Alice as a
/// nominee.
struct Demo {
    private let secretKey: String
    private let aliceToken: String
    private let bobToken: String
    private let carolToken: String
    private let vault: String

    /// One day in seconds, longer than anybody tries things out.
    private static let tokenLife = 86400

    /// Creates the demo tenant the first time, through the same procedures as the API. Later it finds the existing one.
    init(session: PostgresSession, masterKey: MasterKey, configuration: Configuration) throws {
        let path = "\(configuration.home)/demo-key"
        let known = try session.query("select tenant_id from kith.tenants where slug = 'demo'")
        if known.rowCount == 1, let key = try? String(contentsOfFile: path, encoding: .utf8) {
            secretKey = key.trimmingCharacters(in: .whitespacesAndNewlines)
        } else {
            secretKey = try Self.make(session, isNew: known.rowCount == 0)
            try configuration.writePrivately(secretKey + "\n", to: path)
        }
        func token(_ name: String) throws -> String {
            let user = try session.query(
                """
                select u.id from kith.users u join kith.tenants t using (tenant_id)
                where t.slug = 'demo' and u.external_id = $1
                """, [.text(name)])
            return try AccessToken.mint(
                tenant: "demo", user: user.string(0, 0) ?? "", seconds: Self.tokenLife, masterKey: masterKey,
                session: session)
        }
        try Self.allowSignIn(session)
        try Self.replaceDeleted(session)
        // A demo tenant from a version without vaults gets the vault now.
        vault = try Self.carolsVault(session)
        aliceToken = try token("alice")
        bobToken = try token("bob")
        carolToken = try token("carol")
    }

    /// The text that `kith dev` prints when it is ready.
    func greeting(url: String) -> String {
        """

        Kith is ready. Open this in a browser, and be one of the demo's people by one click:

          \(url)/

        For programs:

          tenant      demo
          secret key  \(secretKey)
          Alice       \(aliceToken)
          Bob         \(bobToken)
          Carol       \(carolToken)

        Try the API, in another terminal:

          # Alice says that she is safe
          curl -s -X POST \(url)/v1/pings/check-in -H 'Content-Type: application/json' -d '{}' -H 'Authorization: Bearer \(aliceToken)'

          # Bob sees it on his dashboard
          curl -s '\(url)/v1/dashboard?role=receiver' -H 'Authorization: Bearer \(bobToken)'

          # and was told
          curl -s \(url)/v1/notifications -H 'Authorization: Bearer \(bobToken)'

          # Carol opens her vault and puts something in; Alice, whom she trusts with it, can read it until it is locked
          curl -s -X POST \(url)/v1/vaults/\(vault)/open -H 'Authorization: Bearer \(carolToken)'
          curl -s '\(url)/v1/vaults/\(vault)/documents?name=Keys' -H 'Content-Type: text/plain' -d 'The spare key is with Bob.' -H 'Authorization: Bearer \(carolToken)'
          curl -s \(url)/v1/vaults/\(vault)/documents -H 'Authorization: Bearer \(aliceToken)'

          # sign in as somebody new: the code is printed here, and goes to /v1/auth/otp/verify with {"phone","code"}
          curl -s -X POST \(url)/v1/auth/otp -H 'X-Kith-Tenant: demo' -H 'Content-Type: application/json' -d '{"phone":"+4915112345678"}'

          # the same in an app made with Kith's Swift library, in its checkout (--help says what else it does)
          swift run kith-example --server \(url) sign-in --token \(aliceToken)
          swift run kith-example --server \(url) check-in 'Back from my walk'

        Ctrl-C stops everything; the data stays.
        """
    }

    /// Creates the tenant, its people and their connection in one transaction, and marks the database as one for
    /// development.
    private static func make(_ session: PostgresSession, isNew: Bool) throws -> String {
        guard isNew else {
            // The key's file is gone and the database has only the hash of the key, so make a new key.
            return try session.query("select secret_key from admin.rotate_api_key('demo')").string(0, 0) ?? ""
        }
        try session.execute("begin")
        try session.execute(
            """
            create table if not exists internal.development (made_at timestamptz not null);
            comment on table internal.development is 'This database was made by kith dev: server and worker may be given another clock here.';
            """)
        let made = try session.query("select tenant_id, secret_key from admin.create_tenant('demo', 'Demo')")
        // The demo is the app that the product's texts are written for.
        try session.execute(
            """
            select admin.set_tenant(
              'demo', '{"brand_name": "PRUUF", "join_link": "https://pruuf.app/join", "link_scheme": "khandoba"}')
            """)
        guard let tenant = made.string(0, 0), let key = made.string(0, 1) else {
            throw CommandError("the demo tenant could not be made")
        }
        func call(as user: String, _ sql: String) throws -> String {
            try Self.call(session, tenant, as: user, sql)
        }
        let alice = try call(
            as: "", "select api.put_user('{\"external_id\":\"alice\",\"display_name\":\"Alice\"}', now())->>'id'")
        let bob = try call(
            as: "", "select api.put_user('{\"external_id\":\"bob\",\"display_name\":\"Bob\"}', now())->>'id'")
        try session.execute("set local role kith_api")
        // The ping is due from the first minute, so that there is something to check in to.
        _ = try call(
            as: alice,
            """
            select api.put_sender_profile(
              jsonb_build_object('ping_time', to_char(now() at time zone 'UTC', 'HH24:MI'), 'time_zone', 'UTC'), now())
            """)
        let code = try call(as: bob, "select api.put_receiver_profile('{}', now())->>'code'")
        _ = try call(as: alice, "select api.create_connection('\(code)', now())")
        try session.execute("commit")
        return key
    }

    /// Makes a new account for each of the people who has none, because it was deleted.
    private static func replaceDeleted(_ session: PostgresSession) throws {
        try session.execute("begin")
        let tenant = try session.query("select tenant_id from kith.tenants where slug = 'demo'").string(0, 0) ?? ""
        for name in people.people {
            let known = try session.query(
                "select from kith.users where tenant_id = $1 and external_id = $2",
                [.text(tenant), .text(name.lowercased())])
            guard known.rowCount == 0 else { continue }
            let account = #"{"external_id":"\#(name.lowercased())","display_name":"\#(name)"}"#
            _ = try call(session, tenant, as: "", "select api.put_user('\(account)', now())->>'id'")
        }
        try session.execute("commit")
    }

    /// The people whom one click on the web client's first page signs in.
    static let people = APIConfiguration.Demo(tenant: "demo", people: ["Alice", "Bob", "Carol"])

    /// Lets the server sign in a person of the demo without a code. No other database has this procedure.
    private static func allowSignIn(_ session: PostgresSession) throws {
        try session.execute(
            """
            create or replace function api.begin_demo_session(p_name text, p_secret_hash bytea, p_now timestamptz) returns json
              language plpgsql
              security definer
              set search_path = pg_catalog, pg_temp
            as $$
            begin
              perform internal.begin_session(account.id, internal.uuid7(p_now), p_secret_hash, p_now)
              from kith.users as account
              join kith.tenants as tenant using (tenant_id)
              where tenant_id = kith.tenant_id() and tenant.slug = 'demo' and account.external_id = lower(p_name) and account.deleted_at is null;
              return '{}';
            end
            $$;
            comment on function api.begin_demo_session(text, bytea, timestamptz) is
              'Signs in a person of the demo tenant without a code. Made by kith dev; security definer, because nobody is signed in yet.';
            revoke execute on function api.begin_demo_session(text, bytea, timestamptz) from public;
            grant execute on function api.begin_demo_session(text, bytea, timestamptz) to kith_api;
            """)
    }

    /// Returns the id of Carol's vault, in which Alice is a nominee who may edit. Creates it the first time.
    private static func carolsVault(_ session: PostgresSession) throws -> String {
        let known = try session.query(
            """
            select v.id from kith.vaults v join kith.tenants t using (tenant_id) join kith.users u on u.tenant_id = v.tenant_id and u.id = v.owner_id
            where t.slug = 'demo' and u.external_id = 'carol' and v.deleted_at is null order by v.id limit 1
            """)
        if known.rowCount == 1, let id = known.string(0, 0) { return id }
        try session.execute("begin")
        let people = try session.query(
            """
            select t.tenant_id, alice.id, carol.id
            from kith.tenants t
            join kith.users alice on alice.tenant_id = t.tenant_id and alice.external_id = 'alice'
            join kith.users carol on carol.tenant_id = t.tenant_id and carol.external_id = 'carol'
            where t.slug = 'demo'
            """)
        guard people.rowCount == 1, let tenant = people.string(0, 0), let alice = people.string(0, 1),
            let carol = people.string(0, 2)
        else {
            throw CommandError("the demo tenant has no Alice or Carol")
        }
        try session.execute("set local role kith_api")
        let vault = try call(
            session, tenant, as: carol, "select api.create_vault('{\"name\":\"Family papers\"}', now())->>'id'")
        let token = try call(
            session, tenant, as: carol,
            """
            select api.invite_nominees('\(vault)', '[{"name":"Alice","access_level":"edit"}]', 'http://localhost', now())
              -> 0 -> 'nominee' -> 'invitation' ->> 'token'
            """)
        _ = try call(session, tenant, as: alice, "select api.accept_invitation('\(token)', now())")
        try session.execute("commit")
        return vault
    }

    /// Calls a procedure as a user, or as the tenant's server if `user` is empty, and returns its result.
    private static func call(
        _ session: PostgresSession, _ tenant: String, as user: String, _ sql: String
    ) throws -> String {
        _ = try session.query(
            "select set_config('kith.tenant_id', $1, true), set_config('kith.user_id', $2, true)",
            [.text(tenant), .text(user)])
        return try session.query(sql).string(0, 0) ?? ""
    }
}
