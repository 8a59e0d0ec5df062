import Foundation
import KithClient
import Postgres
import Testing

/// A check-in locks the sender's profile, and no account. These tests run it against the calls that end or block
/// either.
extension `Concurrent calls` {
    @Test func `a check-in counts while the account is being deleted, until the profile is locked`() async throws {
        let (installation, _, client) = try shared.get()
        func requests(_ pair: Pair) -> (deletion: String, checkIn: String) {
            (
                Self.request("api.delete_me(null, \(Day.sql))", by: pair.alice.id, installation.acme),
                Self.request("api.check_in(null, null, null, 'app', \(Day.sql))", by: pair.alice.id, installation.acme)
            )
        }
        // The deletion has locked the account, but not yet the profile.
        let early = try await pair(installation, client)
        try await meet(
            installation, while: "kith.connections where id = '\(early.connection.id)' for no key update",
            requests(early).deletion, requests(early).checkIn)
        // The deletion has locked the profile as well.
        let late = try await pair(installation, client)
        await #expect {
            try await meet(
                installation, while: "kith.pings where connection_id = '\(late.connection.id)' for update",
                requests(late).deletion, requests(late).checkIn)
        } throws: {
            // The account has been deleted.
            "\($0)".contains("KT401")
        }
        // The check-in has locked the profile.
        let before = try await pair(installation, client)
        try await meet(
            installation, while: "kith.pings where connection_id = '\(before.connection.id)' for update",
            requests(before).checkIn, requests(before).deletion)
        // What a check-in that counts has told stays, without the name of the deleted account.
        let kept = try installation.session().query(
            """
            select
              (select count(*)::integer from kith.check_ins where user_id = person),
              (
                select string_agg(words.body, ', ')
                from kith.notifications as told
                cross join lateral internal.told(
                  told.tenant_id, told.user_id, told.type, told.data, told.created_at, told.body, told.person_name, 'en', 'UTC'
                ) as words
                where told.type = 'ping_completed' and told.data ->> 'connection_id' = connection
              )
            from (values ($1::uuid, $2), ($3::uuid, $4)) as of (person, connection)
            """,
            [early, before].flatMap { [.text($0.alice.id.text), .text($0.connection.id.text)] })
        for row in 0..<2 {
            #expect(kept.int(row, 0) == 1)
            #expect(kept.string(row, 1) == "Someone checked in.")
        }
    }

    @Test(arguments: [true, false])
    func `a check-in and a block of its sender do not deadlock`(checksInFirst: Bool) async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await pair(installation, client)
        let checkIn = Self.request(
            "api.check_in(null, null, null, 'app', \(Day.sql))", by: pair.alice.id, installation.acme)
        let block = Self.request(
            "api.put_block('\(pair.alice.id)', \(Day.sql))", by: pair.bob.id, installation.acme)
        try await meet(
            installation, while: "kith.pings where connection_id = '\(pair.connection.id)' for update",
            checksInFirst ? checkIn : block, checksInFirst ? block : checkIn)
    }

    @Test func `a check-in and the end of the profile do not deadlock, and take effect in turn`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await pair(installation, client)
        let held = "kith.pings where connection_id = '\(pair.connection.id)' for update"
        let checkIn = Self.request(
            "api.check_in(null, null, null, 'app', \(Day.sql))", by: pair.alice.id, installation.acme)
        let end = Self.request("api.delete_sender_profile(\(Day.sql))", by: pair.alice.id, installation.acme)
        try await meet(installation, while: held, checkIn, end)
        try await pair.alice.becomeSender()
        // There is no profile any more, which a check-in does not need (X36).
        try await meet(installation, while: held, end, checkIn)
    }

    @Test(arguments: [true, false])
    func `a check-in and a receiver's word by a link or a text do not deadlock`(byLink: Bool) async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await pair(installation, client)
        let tenant = installation.acme.tenantID
        // The question stays open while its sender calls for help.
        let asked = try await pair.bob.send("POST", "/v1/connections/\(pair.connection.id)/ask")
        #expect(asked.status == 201, "\(asked.text)")
        #expect(try await pair.alice.send("POST", "/v1/alarms", "{}").status == 201)
        let made = try installation.session().query(
            """
            insert into kith.alarm_links (tenant_id, token_hash, alarm_id, receiver_id, channel, created_at)
            select tenant_id, sha256(alarm_id::text::bytea), alarm_id, receiver_id, 'sms', now() from kith.alarm_receivers
            where receiver_id = '\(pair.bob.id)'
            returning alarm_id
            """)
        let alarm = try #require(made.string(0, 0))
        let word =
            if byLink {
                """
                begin;
                set local role kith_api;
                select api.use_alarm_link(\(tenant), sha256('\(alarm)'::bytea), 'safe', null, \(Day.sql));
                commit;
                """
            } else {
                """
                begin;
                set local role kith_owner;
                select set_config('kith.tenant_id', '\(tenant)', true), set_config('kith.user_id', '\(pair.bob.id)', true);
                select internal.answer_in_alarm('\(alarm)', 'safe', null, 'en', \(Day.sql));
                commit;
                """
            }
        let checkIn = Self.request(
            "api.check_in(null, null, null, 'app', \(Day.sql))", by: pair.alice.id, installation.acme)
        // Each of them has come as far as the question.
        try await meet(installation, while: "kith.asks where sender_id = '\(pair.alice.id)' for update", checkIn, word)
    }
}
