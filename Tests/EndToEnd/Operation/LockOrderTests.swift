import Foundation
import KithClient
import Postgres
import Synchronization
import TestThreads
import Testing

/// Checks the lock order of pairs of calls: each call is a transaction in a session of its own, and a call that blocks
/// is seen to wait before the next begins.
@Suite(.mayBlock) struct `Concurrent calls` {
    /// A session that calls the database as the server does.
    ///
    /// `@unchecked Sendable`: the thread that ``begin(_:)`` starts alone uses `session`, and the caller's task alone
    /// uses `watch`.
    final class Caller: @unchecked Sendable {
        private let session: PostgresSession
        private let processID: Int
        private let watch: PostgresSession
        private let result = Mutex<Result<Void, any Error>?>(nil)

        init(_ installation: Installation) throws {
            session = try installation.session()
            processID = session.backendPID
            watch = try installation.session()
        }

        /// Begins a script on a thread of its own; returns when it is done or waits for a lock.
        func begin(_ script: String) async throws {
            Thread { [self] in
                let outcome = Result { try session.execute(script) }
                result.withLock { $0 = outcome }
            }.start()
            while result.withLock({ $0 == nil }) {
                let waits = try watch.query(
                    "select from pg_stat_activity where pid = \(processID) and wait_event_type = 'Lock'")
                if waits.rowCount > 0 { return }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        /// Waits for the script to end.
        func end() async throws {
            while true {
                if let outcome = result.withLock({ $0 }) { return try outcome.get() }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    /// A request of `user`, or of the tenant's server, as an SQL script.
    static func request(_ call: String, by user: UUID? = nil, _ tenant: Installation.Tenant) -> String {
        // The same statements as the server sends (ProcedureCall).
        """
        begin;
        set local role kith_api;
        select set_config('kith.tenant_id', '\(tenant.tenantID)', true), set_config('kith.user_id', '\(user?.text ?? "")', true),
          set_config('kith.actor', '\(user == nil ? "key:test" : "")', true);
        select api.require_caller();
        select \(call);
        commit;
        """
    }

    /// Begins the scripts one after the other while `held` is locked, then releases the lock. All must succeed.
    func meet(
        _ installation: Installation, while held: String, _ scripts: String...
    ) async throws {
        let holder = try installation.session()
        try holder.execute("begin; select from \(held);")
        var callers: [Caller] = []
        for script in scripts {
            let caller = try Caller(installation)
            try await caller.begin(script)
            callers.append(caller)
        }
        try holder.execute("rollback")
        for caller in callers { try await caller.end() }
    }

    struct Pair {
        let alice: Person
        let bob: Person
        let connection: Kith.Connection
    }

    func pair(_ installation: Installation, _ client: APIClient) async throws -> Pair {
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        return Pair(alice: alice, bob: bob, connection: try await alice.connect(bob.becomeReceiver().code))
    }

    @Test func `the end of a profile and an import of both sides do not deadlock`() async throws {
        let (installation, _, client) = try shared.get()
        // A new zone moves the sender's pings, which locks their profile and connections after the accounts.
        for held in ["kith.connections where sender_id", "kith.sender_profiles where user_id"] {
            let pair = try await pair(installation, client)
            try installation.session().execute(
                "update kith.users set external_id = id::text where id in ('\(pair.alice.id)', '\(pair.bob.id)')")
            let lines = [pair.alice, pair.bob].enumerated().map {
                #"{"line": \#($0 + 1), "user": {"external_id": "\#($1.id.text)", "time_zone": "Asia/Tokyo"}}"#
            }
            try await meet(
                installation, while: "\(held) = '\(pair.alice.id)' for no key update",
                Self.request("api.delete_receiver_profile(\(Day.sql))", by: pair.bob.id, installation.acme),
                Self.request(
                    "api.import_users('[\(lines.joined(separator: ", "))]', \(Day.sql))", installation.acme))
        }
    }

    @Test func `two lists of invitations with a number in common do not deadlock`() async throws {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("texting")
        try installation.set(tenant, "sms_enabled=true")
        let numbers = (0..<3).map { _ in SignInHouse.number() }.sorted()
        func invitation(_ person: Person, _ invited: some Collection<String>) -> String {
            let list = invited.map { #"{"given_phone": "\#($0)", "phone": "\#($0)"}"# }.joined(separator: ", ")
            return Self.request(
                "api.create_connection_invitation('[\(list)]', true, 'https://kith.example', \(Day.sql))",
                by: person.id, tenant)
        }
        let alice = try await Person.join(tenant, as: "Alice", client)
        let bob = try await Person.join(tenant, as: "Bob", client)
        for person in [alice, bob] { try await person.becomeSender() }
        // The count of the tenant's invitations must be there to be locked.
        try installation.session().execute(invitation(alice, numbers.prefix(1)))
        try await meet(
            installation,
            while: "kith.otp_counts where tenant_id = \(tenant.tenantID) and scope = 'sms invitations' for update",
            invitation(alice, numbers.prefix(2)), invitation(bob, numbers.suffix(2)))
        let counted = try installation.session().query(
            "select count(*) from kith.text_invitations where tenant_id = $1::integer",
            [.int(tenant.tenantID)])
        #expect(counted.int(0, 0) == 5)
    }

    /// The hash of every code in these tests, in hexadecimal.
    private static let hash = String(repeating: "5a", count: 32)

    /// A user with a phone number and a live code for it.
    private func userWithCode(
        _ installation: Installation, _ client: APIClient
    ) async throws -> (user: Person, phone: String, code: UUID) {
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let phone = SignInHouse.number()
        let change = try await client.send(
            "PATCH", "/v1/users/\(alice.id)", #"{"phone":"\#(phone)"}"#, as: installation.acme.secretKey)
        #expect(change.status == 200)
        let code = UUID()
        try installation.session().execute(
            Self.request(
                "api.request_code('sms', '\(phone)', null, null, \(Self.code(code)), \(Day.sql))", installation.acme)
        )
        return (alice, phone, code)
    }

    private static func code(_ id: UUID) -> String {
        #"'{"id": "\#(id.text)", "hash": "\#(hash)", "sealed": "00"}'"#
    }

    /// A call that guesses the code correctly.
    private static func guess(_ id: UUID) -> String {
        #"'{"\#(id.text)": "\#(hash)"}'"#
    }

    private static func signIn(_ phone: String, _ code: UUID, _ tenant: Installation.Tenant) -> String {
        request(
            """
            api.sign_in('sms', '\(phone)', null, \(guess(code)), gen_random_uuid(), \
            sha256(uuid_send(gen_random_uuid())), \(Day.sql))
            """,
            tenant)
    }

    @Test func `sign-in and account deletion do not deadlock`() async throws {
        let (installation, _, client) = try shared.get()
        let (alice, phone, code) = try await userWithCode(installation, client)
        try await alice.becomeSender()
        try await meet(
            installation,
            while: "kith.sender_profiles where user_id = '\(alice.id)' for update",
            Self.request("api.delete_me(null, \(Day.sql))", by: alice.id, installation.acme),
            Self.signIn(phone, code, installation.acme))
        let sessions = try installation.session().query(
            "select from kith.token_families where user_id = '\(alice.id)'")
        #expect(sessions.rowCount == 0)
    }

    @Test func `sign-in and confirming or changing a contact do not deadlock`() async throws {
        let (installation, _, client) = try shared.get()
        let (alice, phone, code) = try await userWithCode(installation, client)
        let contact = UUID()
        try installation.session().execute(
            Self.request(
                #"api.update_me('{"phone": "\#(phone)"}', jsonb_build_object('phone', \#(Self.code(contact))::jsonb), \#(Day.sql))"#,
                by: alice.id, installation.acme))
        try await meet(
            installation, while: "kith.otp_codes where id = '\(code)' for update",
            Self.signIn(phone, code, installation.acme),
            Self.request(
                "api.verify_contact('sms', '\(phone)', \(Self.guess(contact)), \(Day.sql))", by: alice.id,
                installation.acme)
        )

        let (carol, number, another) = try await userWithCode(installation, client)
        try await meet(
            installation, while: "kith.otp_codes where id = '\(another)' for update",
            Self.signIn(number, another, installation.acme),
            Self.request(
                #"api.update_me('{"phone": "\#(number)"}', jsonb_build_object('phone', \#(Self.code(UUID()))::jsonb), \#(Day.sql))"#,
                by: carol.id, installation.acme))
    }

    @Test func `asking for a code and account deletion do not deadlock`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await pair(installation, client)
        try await meet(
            installation, while: "kith.users where id = '\(pair.bob.id)' for key share",
            Self.request("api.delete_me(null, \(Day.sql))", by: pair.bob.id, installation.acme),
            Self.request(
                #"api.create_code('{"role": "receiver", "rotate": true}', \#(Day.sql))"#, by: pair.bob.id,
                installation.acme))
    }

    @Test func `redeeming a code and deleting its owner's account do not deadlock`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await pair(installation, client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        try await carol.becomeSender()
        let profile: Kith.ReceiverProfile = try await pair.bob.get("GET", "/v1/me/receiver-profile")
        try await meet(
            installation, while: "kith.connections where id = '\(pair.connection.id)' for no key update",
            Self.request("api.delete_me(null, \(Day.sql))", by: pair.bob.id, installation.acme),
            Self.request("api.create_connection('\(profile.code)', \(Day.sql))", by: carol.id, installation.acme))
        let left: Kith.ConnectionPage = try await carol.get("GET", "/v1/connections")
        #expect(left.items.isEmpty)
    }

    @Test func `renewing a subscription and account deletion do not deadlock`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await pair(installation, client)
        let _: Kith.Device = try await pair.bob.get(
            "PUT", "/v1/me/devices", #"{"platform":"ios","token":"\#(pair.bob.id.digits)"}"#)
        try installation.session().execute(
            """
            update kith.receiver_profiles set pings_stop_at = \(Day.sql), pings_stopped_at = \(Day.sql) where user_id = '\(pair.bob.id)';
            update kith.connections set pings_stopped_at = \(Day.sql) where id = '\(pair.connection.id)';
            """)
        await #expect {
            try await meet(
                installation, while: "kith.devices where user_id = '\(pair.bob.id)' for update",
                Self.request("api.delete_me(null, \(Day.sql))", by: pair.bob.id, installation.acme),
                Self.request(
                    #"api.set_subscription('\#(pair.bob.id)', '{"status": "active"}', \#(Day.sql))"#, installation.acme)
            )
        } throws: {
            "\($0)".contains("KT404")
        }
    }

    @Test func `two users who block each other both succeed`() async throws {
        let (installation, _, client) = try shared.get()
        // Which of the two continues first is chance.
        for _ in 0..<8 {
            let pair = try await pair(installation, client)
            try await meet(
                installation, while: "kith.users where id = '\(pair.bob.id)' for update",
                Self.request("api.put_block('\(pair.alice.id)', \(Day.sql))", by: pair.bob.id, installation.acme),
                Self.request("api.put_block('\(pair.bob.id)', \(Day.sql))", by: pair.alice.id, installation.acme))
        }
    }

    @Test func `a block and an attempt of the blocker's code do not deadlock`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await pair(installation, client)
        // The blocker's account comes first in the order of ids, so the caller of the attempt must lock it first too.
        let (low, high) = pair.alice.id.text < pair.bob.id.text ? (pair.alice, pair.bob) : (pair.bob, pair.alice)
        let code = try installation.session().query(
            "select code from kith.unique_codes where user_id = $1::uuid and rotated_at is null limit 1",
            [.text(low.id.text)])
        try await meet(
            installation, while: "kith.users where id = '\(low.id)' for update",
            Self.request("api.put_block('\(high.id)', \(Day.sql))", by: low.id, installation.acme),
            Self.request(
                "api.preview_code('\(#require(code.string(0, 0)))', \(Day.sql))", by: high.id, installation.acme))
    }

    @Test func `two connected users who delete their accounts both succeed`() async throws {
        let (installation, _, client) = try shared.get()
        for _ in 0..<10 {
            let pair = try await pair(installation, client)
            let vault = try await pair.alice.makeVault()
            let nominee = try await pair.bob.becomeNominee(of: vault, by: pair.alice)
            let messages = "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/messages"
            let _: Kith.Message = try await pair.alice.get("POST", messages, #"{"body":"Farewell"}"#, status: 201)
            try await pair.alice.becomeNominee(of: pair.bob.makeVault(), by: pair.bob)
            let _: Kith.Block = try await pair.alice.get("PUT", "/v1/me/blocks/\(pair.bob.id)")
            async let one = client.patiently { try await pair.alice.send("DELETE", "/v1/me?vaults=delete") }
            async let other = client.patiently { try await pair.bob.send("DELETE", "/v1/me?vaults=delete") }
            #expect(try await one.status == 204)
            #expect(try await other.status == 204)
        }
    }

    @Test func `locking a vault notifies nobody whose account is being deleted`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let vault = try await alice.makeVault()
        try await bob.becomeNominee(of: vault, by: alice)
        try await alice.open(vault)
        try await meet(
            installation, while: "kith.tenant_usage where tenant_id = \(installation.acme.tenantID) for update",
            Self.request("api.delete_me(null, \(Day.sql))", by: bob.id, installation.acme),
            Self.request("api.lock_vault('\(vault.id)', \(Day.sql))", by: alice.id, installation.acme))
        let left = try installation.session().query("select from kith.notifications where user_id = '\(bob.id)'")
        #expect(left.rowCount == 0)
    }

    @Test func `any number of calls about one vault do not deadlock`() async throws {
        let (installation, _, client) = try shared.get()
        for round in 0..<6 {
            let alice = try await Person.join(installation.acme, as: "Alice", client)
            let bob = try await Person.join(installation.acme, as: "Bob", client)
            let carol = try await Person.join(installation.acme, as: "Carol", client)
            let dave = try await Person.join(installation.acme, as: "Dave", client)
            let vault = try await alice.makeVault()
            let nominee = try await bob.becomeNominee(of: vault, by: alice, as: .full)
            let other = try await carol.becomeNominee(of: vault, by: alice)
            let path = "/v1/vaults/\(vault.id)"
            try await alice.open(vault)
            let _: Kith.Share = try await alice.get("PUT", path + "/share", "{}")
            let offered: Kith.OfferedTransfer = try await alice.get(
                "POST", path + "/transfer", #"{"name":"Dave","keep_access":true}"#, status: 201)
            let token = offered.invitation.token
            let invited = try await alice.invite("Eve", to: vault)
            let participants = (0..<5).map {
                #"{"id":"p\#($0)","acceptance_status":"accepted","permission":"readOnly","role":"privateUser"}"#
            }
            let sharing = #"{"participants":[\#(participants.joined(separator: ","))]}"#
            let acts: [(Person, String, String, String?)] = [
                (dave, "POST", "/v1/invitations/\(token)/accept", nil),
                (alice, "PUT", path + "/share/participants", sharing),
                (alice, "POST", path + "/lock", "{}"), (alice, "POST", path + "/open", "{}"),
                (bob, "POST", path + "/nominees/\(nominee.id)/messages", #"{"body":"Now"}"#),
                (alice, "POST", path + "/nominees/\(nominee.id)/messages", #"{"body":"Now"}"#),
                (bob, "POST", path + "/nominees/\(nominee.id)/messages/read", nil),
                (alice, "DELETE", path + "/nominees/\(other.id)", nil),
                (bob, "DELETE", path + "/nominees/\(invited.id)", nil),
                (alice, "PUT", "/v1/me/blocks/\(bob.id)", nil),
                round.isMultiple(of: 2)
                    ? (carol, "DELETE", "/v1/me", nil) : (alice, "DELETE", "/v1/me?vaults=delete", nil),
                round.isMultiple(of: 3) ? (alice, "DELETE", path, nil) : (alice, "DELETE", path + "/share", nil),
            ]
            let refused = try await withThrowingTaskGroup(of: String?.self) { group in
                for (person, method, path, body) in acts {
                    group.addTask {
                        let answer = try await client.patiently { try await person.send(method, path, body) }
                        return answer.status >= 500 ? "\(method) \(path): \(answer.text)" : nil
                    }
                }
                return try await group.reduce(into: []) { if let refusal = $1 { $0.append(refusal) } }
            }
            #expect(refused.isEmpty)
        }
        // On a busy machine a call may have waited too long and been repeated, so the database's log shows whether any
        // two deadlocked.
        #expect(try !installation.hasSeenDeadlock())
    }

    @Test func `an operator's reactivation waits for a concurrent block or deletion and is then refused`()
        async throws
    {
        let (installation, _, client) = try shared.get()
        for act in ["api.put_block('%', \(Day.sql))", "api.delete_me(null, \(Day.sql))"] {
            let pair = try await pair(installation, client)
            #expect(try await pair.alice.send("DELETE", "/v1/connections/\(pair.connection.id)").status == 204)
            let call = act.replacing("%", with: pair.alice.id.text)
            let bob = try installation.session()
            try bob.execute(
                Self.request(call, by: pair.bob.id, installation.acme).replacing("commit;", with: ""))
            let support = try Caller(installation)
            try await support.begin("select admin.reactivate_connection('acme', '\(pair.connection.id)', 'a test')")
            try bob.execute("commit")
            await #expect {
                try await support.end()
            } throws: {
                "\($0)".contains("KT409")
            }
        }
    }

    /// A person with three push notifications that a worker has claimed, and the worker's report that it sent them.
    private func told(
        _ installation: Installation, _ client: APIClient, isClaimed: Bool = true
    ) async throws -> (person: Person, report: String) {
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        _ = try await bob.send("PUT", "/v1/me/devices", #"{"platform":"ios","token":"\#(bob.id.digits)"}"#)
        let session = try installation.session()
        try session.execute(
            """
            insert into kith.notifications (tenant_id, id, user_id, type, body, created_at)
            select \(installation.acme.tenantID), internal.uuid7(\(Day.sql) + n * interval '1 ms'), '\(bob.id)', 'message_received', 'B', \(Day.sql)
            from generate_series(1, 3) as n
            """)
        guard isClaimed else { return (bob, "") }
        try session.execute("select worker.plan_deliveries(\(Day.sql) + interval '1 second', 1000, true)")
        let results = try session.query(
            """
            select jsonb_agg(jsonb_build_object('tenant_id', tenant_id, 'id', id, 'outcome', 'sent'))
            from kith.deliveries where address = '\(bob.id.digits)'
            """)
        return (
            bob,
            "begin; set local role kith_worker; select worker.finish_deliveries(\(Day.sql), 'w', '\(results.string(0, 0) ?? "")'); commit;"
        )
    }

    @Test func `reporting sent deliveries does not deadlock with account deletion or with reading all notifications`()
        async throws
    {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        for call in ["api.delete_me(null, \(Day.sql))", "api.read_notifications(null, null, 1000, \(Day.sql))"] {
            let (bob, report) = try await told(installation, client)
            // Lock the last notification: a call that locks them in the opposite order would hold the others by then.
            try await meet(
                installation,
                while: "kith.notifications where user_id = '\(bob.id)' order by id desc limit 1 for update", report,
                Self.request(call, by: bob.id, installation.acme))
            let (carol, other) = try await told(installation, client)
            try await meet(
                installation,
                while: "kith.notifications where user_id = '\(carol.id)' order by id desc limit 1 for update",
                Self.request(call, by: carol.id, installation.acme), other)
        }
    }

    @Test func `account deletion waits for deliveries that are being planned, and deletes them`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let (bob, _) = try await told(installation, client, isClaimed: false)
        let worker = try installation.session()
        try worker.execute(
            """
            begin; set local role kith_worker; select worker.plan_deliveries(\(Day.sql) + interval '1 second', 1000, \
            true)
            """
        )
        let deletion = try Caller(installation)
        try await deletion.begin(Self.request("api.delete_me(null, \(Day.sql))", by: bob.id, installation.acme))
        try worker.execute("commit")
        try await deletion.end()
        let left = try installation.session().query("select from kith.deliveries where address = '\(bob.id.digits)'")
        #expect(left.rowCount == 0)
    }
}
