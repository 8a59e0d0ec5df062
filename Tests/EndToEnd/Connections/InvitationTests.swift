import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A connection invitation` {
    private func sender(named name: String = "Alice") async throws -> (Person, code: String) {
        let (installation, _, client) = try shared.get()
        let person = try await Person.join(installation.acme, as: name, client)
        return (person, try await person.becomeSender().code)
    }

    private func invite(
        _ person: Person, _ phones: [String], send: Bool? = nil
    ) async throws -> APIClient.Answer {
        struct Body: Encodable {
            struct Recipient: Encodable { let phone: String }
            let recipients: [Recipient]
            let send: Bool?
        }
        let body = try JSONEncoder().encode(Body(recipients: phones.map { .init(phone: $0) }, send: send))
        return try await person.send("POST", "/v1/connection-invitations", String(decoding: body, as: UTF8.self))
    }

    @Test func `from a new tenant carries its name and links to this server`() async throws {
        let (installation, _, client) = try shared.get()
        let made = try KithProcess.run(
            ["tenant", "create", "vandelay", "--name", "Vandelay", "--json"], environment: installation.environment)
        let vandelay = try JSONDecoder().decode(Installation.Tenant.self, from: Data(made.output.utf8))
        let alice = try await Person.join(vandelay, as: "Alice", client)
        let code = try await alice.becomeSender().code
        let invitation: Kith.ConnectionInvitation = try await invite(alice, ["+4915112345678"]).decode()
        let link = try #require(
            invitation.url.firstMatch(of: /^(http:\/\/127\.0\.0\.1:[0-9]+\/join\?t=vandelay)&code=([0-9]{6})$/))
        #expect(link.2 == code[...])
        #expect(
            invitation.message.hasSuffix(
                """
                pings on Vandelay to let you know they're safe. Download the app and use code \(code) to connect: \
                \(link.1)
                """
            ))
        let path = try #require(invitation.url.firstRange(of: "/join").map { String(invitation.url[$0.lowerBound...]) })
        let page = try await client.send("GET", path)
        #expect(page.status == 200 && page.text.contains("You’re invited to Vandelay") && !page.text.contains("pruuf"))

        let vault: Kith.Vault = try await alice.get("POST", "/v1/vaults", #"{"name":"Papers"}"#, status: 201)
        let nominee: Kith.InvitedNominee = try await alice.get(
            "POST", "/v1/vaults/\(vault.id)/nominees", #"{"name":"Bob"}"#, status: 201)
        #expect(nominee.invitation.deepLink == nil && nominee.invitation.message.contains(" on Vandelay. "))
        let token = nominee.invitation.token
        let shown = try await client.send("GET", "/i/\(token.uuidString.lowercased())")
        #expect(shown.status == 200 && shown.text.contains("Vandelay") && !shown.text.contains("khandoba"))
    }

    @Test func `gives everybody the same text, and reports unusable numbers`() async throws {
        let (alice, code) = try await sender()
        let answer = try await alice.send(
            "POST", "/v1/connection-invitations",
            #"""
            {"recipients":[{"name":"Berta","phone":"+49 151 12345678"},{"phone":"(415) 555-2671"},
            {"name":null,"phone":"+4915112345678"},{"phone":"+1 415 555 2671"},{"phone":"Bob"}]}
            """#)
        #expect(answer.status == 201)
        let made: Kith.ConnectionInvitation = try answer.decode()
        #expect(made.code == code)
        #expect(
            made.message
                == "Alice wants to send you daily pings on PRUUF to let you know they're safe. "
                + "Download the app and use code \(code) to connect: https://pruuf.app/join")
        #expect(made.url == "https://pruuf.app/join?code=\(code)")
        #expect(made.recipients.map(\.n) == [1, 2, 3, 4, 5])
        #expect(made.recipients.map(\.status) == [.pending, .invalid, .duplicate, .pending, .invalid])
        #expect(made.recipients.map(\.name) == ["Berta", nil, nil, nil, nil])
        #expect(
            made.recipients.map(\.phone) == [
                "+4915112345678", "(415) 555-2671", "+4915112345678", "+14155552671", "Bob",
            ])
        #expect(made.recipients[1].error == "Begin with + and the country code, like +49.")
        #expect(made.recipients[4].error == "This is not a phone number.")
        let link = try #require(made.recipients[0].smsURL)
        let prefix = "sms:+4915112345678?&body="
        #expect(link.hasPrefix(prefix))
        #expect(link.dropFirst(prefix.count).removingPercentEncoding == made.message)
        #expect(made.recipients[1].smsURL == nil && made.recipients[2].smsURL == nil)

        let again: Kith.ConnectionInvitation = try await alice.get("GET", "/v1/connection-invitations/\(made.id)")
        #expect(again == made)
        let list: Kith.ConnectionInvitationSummaryPage = try await alice.get("GET", "/v1/connection-invitations")
        #expect(list.items.map(\.id) == [made.id])
        #expect(list.items.first?.recipientCount == 5)
        #expect(list.items.first?.statuses == Kith.RecipientCounts(pending: 2, invalid: 2, duplicate: 1))

        // Anyone who got the text connects with the code.
        let (installation, _, client) = try shared.get()
        let berta = try await Person.join(installation.acme, as: "Berta", client)
        try await berta.becomeReceiver()
        #expect(try await berta.connect(code).counterpart.displayName == "Alice")
    }

    @Test func `reports people without a number, and names that cannot be used, and invites the others`() async throws {
        let (alice, _) = try await sender()
        let name = String(repeating: "x", count: 101)
        let made: Kith.ConnectionInvitation = try await alice.get(
            "POST", "/v1/connection-invitations",
            #"""
            {"recipients":[{"name":"Berta"},{"name":"Carla","phone":null},{"phone":""},
            {"name":"","phone":"+4915112345678"},{"name":"\#(name)","phone":"+4915112345679"},
            {"name":"Dora","phone":"+4915112345680"},{}]}
            """#, status: 201)
        #expect(
            made.recipients.map(\.status) == [.invalid, .invalid, .invalid, .invalid, .invalid, .pending, .invalid])
        #expect(made.recipients.map(\.name) == ["Berta", "Carla", nil, nil, nil, "Dora", nil])
        for recipient in made.recipients where recipient.status == .invalid {
            let needsNumber = [1, 2, 3, 7].contains(recipient.n)
            #expect(
                recipient.error?.hasPrefix(needsNumber ? "Add a phone number." : "This name cannot be used.") == true)
            #expect(recipient.smsURL == nil)
        }
    }

    @Test func `to several people at once has one link to all, and takes one outcome for all`() async throws {
        let (alice, code) = try await sender()
        let numbers = (0..<3).map { _ in SignInHouse.number() }
        let made: Kith.ConnectionInvitation = try await invite(alice, numbers + ["nonsense"]).decode()
        let all = numbers.joined(separator: ",")
        let encoded = try #require(made.smsURL?.dropFirst("sms:\(all)?&body=".count))
        #expect(made.smsURL == "sms:\(all)?&body=\(encoded)")
        #expect(made.smsURLIOS == "sms:/open?addresses=\(all)&body=\(encoded)")
        #expect(encoded.removingPercentEncoding == made.message)

        let path = "/v1/connection-invitations/\(made.id)"
        func report(_ body: String) async throws -> [Kith.RecipientStatus] {
            let invitation: Kith.ConnectionInvitation = try await alice.get("PATCH", "\(path)/recipients", body)
            return invitation.recipients.map(\.status)
        }
        #expect(try await report(#"{"outcome":"cancelled"}"#) == [.cancelled, .cancelled, .cancelled, .invalid])
        #expect(
            try await report(#"{"outcome":"sent","recipients":[1,3,4]}"#) == [.sent, .cancelled, .sent, .invalid])
        // What was sent stays so.
        #expect(try await report(#"{"outcome":"failed"}"#) == [.sent, .failed, .sent, .invalid])
        let left: Kith.ConnectionInvitation = try await alice.get("GET", path)
        #expect(left.smsURL?.hasPrefix("sms:\(numbers[1])?&body=") == true)
        let unknown = try await alice.send("PATCH", "\(path)/recipients", #"{"outcome":"sent","recipients":[1,5]}"#)
        #expect((try unknown.decode(Kith.Problem.self)).errors?.map(\.field) == ["recipients[1]"])
        let (mallory, _) = try await sender(named: "Mallory")
        #expect(try await mallory.send("PATCH", "\(path)/recipients", #"{"outcome":"sent"}"#).code == "not_found")

        // Somebody who has verified the number connects.
        let (installation, _, client) = try shared.get()
        let berta = try await Person.join(installation.acme, as: "Berta", client)
        try await berta.becomeReceiver()
        try berta.verify(numbers[0], in: installation)
        let connection = try await berta.connect(code)
        let after: Kith.ConnectionInvitation = try await alice.get("GET", path)
        #expect(after.recipients.map(\.connectionID) == [connection.id, nil, nil, nil])
        let list: Kith.ConnectionInvitationSummaryPage = try await alice.get("GET", "/v1/connection-invitations")
        #expect(list.items.first?.connected == 1)
    }

    @Test func `to more than 30 people has no link to all of them`() async throws {
        let (alice, _) = try await sender()
        let phones = (0..<31).map { "+49151\(10_000_000 + $0)" }
        let made: Kith.ConnectionInvitation = try await invite(alice, phones).decode()
        #expect(made.smsURL == nil && made.smsURLIOS == nil)
        #expect(made.recipients.allSatisfy { $0.smsURL != nil })
    }

    @Test func `reads numbers in the format of the sender's country`() async throws {
        let (installation, _, client) = try shared.get()
        let umbrella = try installation.tenant("umbrella")
        let alice = try await Person.join(umbrella, as: "Alice", client)
        try await alice.becomeSender()
        func first() async throws -> Kith.InvitationRecipient {
            let made: Kith.ConnectionInvitation = try await invite(alice, ["06 12345678"]).decode()
            return try #require(made.recipients.first)
        }
        #expect(try await first().status == .invalid)
        for (body, phone) in [
            (#"{"default_region":"NL"}"#, "+31612345678"), (#"{"locale":"fr-FR"}"#, "+33612345678"),
            (#"{"phone":"+393312345678"}"#, "+390612345678"),
        ] {
            let path = body.contains("region") ? "/v1/tenant" : "/v1/users/\(alice.id)"
            #expect(try await client.send("PATCH", path, body, as: umbrella.secretKey).status == 200)
            #expect(try await first().phone == phone, "\(body)")
        }
    }

    @Test func `carries the tenant's brand and link, and "Someone" if the sender has no name`() async throws {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("branded")
        let changed = try await client.send(
            "PATCH", "/v1/tenant",
            #"{"brand_name":"Safe & Söund","join_link":"https://safe.example/join?ref=sms"}"#,
            as: tenant.secretKey)
        #expect(changed.status == 200)
        let alice = try await Person.join(tenant, as: "Alice", client)
        let code = try await alice.becomeSender().code
        _ = try await alice.send("PATCH", "/v1/me", #"{"display_name":null}"#)
        let made: Kith.ConnectionInvitation = try await invite(alice, ["+4915112345678"]).decode()
        #expect(
            made.message
                == "Someone wants to send you daily pings on Safe & Söund to let you know they're safe. "
                + "Download the app and use code \(code) to connect: https://safe.example/join?ref=sms")
        #expect(made.url == "https://safe.example/join?ref=sms&code=\(code)")
    }

    @Test func `records the outcome of each text`() async throws {
        let (alice, _) = try await sender()
        let made: Kith.ConnectionInvitation = try await invite(alice, ["+4915112345678", "nonsense"]).decode()
        let path = "/v1/connection-invitations/\(made.id)/recipients"
        for outcome in ["cancelled", "unavailable", "failed", "sent", "sent"] {
            let recipient: Kith.InvitationRecipient = try await alice.get(
                "PATCH", "\(path)/1", #"{"outcome":"\#(outcome)"}"#)
            #expect(recipient.status.rawValue == outcome)
            #expect(recipient.smsURL == made.recipients[0].smsURL)
        }
        #expect(try await alice.send("PATCH", "\(path)/1", #"{"outcome":"failed"}"#).code == "invalid_transition")
        #expect(try await alice.send("PATCH", "\(path)/2", #"{"outcome":"sent"}"#).code == "invalid_transition")
        #expect(try await alice.send("PATCH", "\(path)/3", #"{"outcome":"sent"}"#).code == "not_found")
        for (address, body) in [
            ("\(path)/1", #"{"outcome":"pending"}"#), ("\(path)/1", "{}"), ("\(path)/one", #"{"outcome":"sent"}"#),
        ] {
            #expect(try await alice.send("PATCH", address, body).code == "validation_failed", "\(address) \(body)")
        }
    }

    @Test func `belongs to its sender alone`() async throws {
        let (installation, _, client) = try shared.get()
        let (alice, _) = try await sender()
        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        let carol = try await Person.join(installation.acme, as: "Carol", client)
        let made: Kith.ConnectionInvitation = try await invite(alice, ["+4915112345678"]).decode()
        let path = "/v1/connection-invitations/\(made.id)"
        for stranger in [mallory, carol] {
            #expect(try await stranger.send("GET", path).code == "not_found")
            let report = try await stranger.send("PATCH", "\(path)/recipients/1", #"{"outcome":"sent"}"#)
            #expect(report.code == "not_found")
            let list: Kith.ConnectionInvitationSummaryPage = try await stranger.get("GET", "/v1/connection-invitations")
            #expect(list.items.isEmpty)
        }
        let key = try await client.send("GET", path, as: installation.acme.secretKey)
        #expect(key.code == "forbidden")
    }

    @Test func `requires a sender profile`() async throws {
        let (installation, _, client) = try shared.get()
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await bob.becomeReceiver()
        let answer = try await invite(bob, ["+4915112345678"])
        #expect(answer.status == 409)
        #expect(answer.code == "profile_required")
    }

    @Test(
        arguments: [
            ("{}", "recipients"), (#"{"recipients":[]}"#, "recipients"), (#"{"recipients":"x"}"#, "recipients"),
            (#"{"recipients":[{"phone":1}]}"#, "recipients[0].phone"),
            (#"{"recipients":[{"phone":"+49","name":7}]}"#, "recipients[0].name"),
            (#"{"recipients":[{"phone":"+49","colour":"blue"}]}"#, "recipients[0].colour"),
            (#"{"recipients":[{"phone":"+49"}],"send":"yes"}"#, "send"),
            (#"{"recipients":[{"phone":"+49"}],"send":true}"#, "send"),
        ])
    func `that is invalid is refused, naming each field`(body: String, field: String) async throws {
        let (alice, _) = try await sender()
        let answer = try await alice.send("POST", "/v1/connection-invitations", body)
        #expect(answer.status == 422)
        let problem: Kith.Problem = try answer.decode()
        #expect(problem.errors?.map(\.field) == [field], "\(answer.text)")
    }

    @Test func `accepts 1,000 recipients at once, and 2,000 a day`() async throws {
        let (alice, _) = try await sender()
        let phones = (0..<1000).map { "+49151\(10_000_000 + $0)" }
        #expect(try await invite(alice, phones + ["x"]).code == "validation_failed")
        let made: Kith.ConnectionInvitation = try await invite(alice, phones).decode()
        #expect(made.recipients.count == 1000)
        #expect(made.recipients.allSatisfy { $0.status == .pending })
        #expect(try await invite(alice, Array(phones.dropLast())).status == 201)
        let refused = try await invite(alice, Array(phones.prefix(2)))
        #expect(refused.status == 429)
        #expect(refused.code == "too_many_requests")
        let wait = try #require(refused.headers["retry-after"].flatMap { Int($0) })
        #expect((86_000...86_400).contains(wait))
        #expect(try await invite(alice, ["+4915112345678"]).status == 201)
        let list: Kith.ConnectionInvitationSummaryPage = try await alice.get(
            "GET", "/v1/connection-invitations?limit=2")
        #expect(list.items.map(\.recipientCount) == [1, 999])
        let rest: Kith.ConnectionInvitationSummaryPage = try await alice.get(
            "GET", "/v1/connection-invitations?limit=2&cursor=\(try #require(list.nextCursor))")
        #expect(rest.items.map(\.id) == [made.id])
    }

    @Test func `is sent by Kith if the operator allows that for the tenant`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let set = try KithProcess.run(
            ["tenant", "set", "acme", "sms_enabled=true"], environment: installation.environment)
        #expect(set.status == 0, "\(set.errors)")
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        try await alice.becomeSender()
        let made: Kith.ConnectionInvitation = try await invite(alice, ["+4915112345678", "nonsense"], send: true)
            .decode()
        #expect(made.recipients.map(\.status) == [.queued, .invalid])
        let path = "/v1/connection-invitations/\(made.id)"
        let early = try await alice.send("PATCH", "\(path)/recipients/1", #"{"outcome":"cancelled"}"#)
        #expect(early.code == "invalid_transition")

        let mailbox = Mailbox()
        let worked = try KithProcess.run(
            ["worker", "--once"], environment: installation.environment.merging(mailbox.environment) { $1 })
        #expect(worked.status == 0, "\(worked.errors)")
        #expect(try mailbox.items(for: "+4915112345678").map(\.text) == [made.message])
        let after: Kith.ConnectionInvitation = try await alice.get("GET", path)
        #expect(after.recipients.map(\.status) == [.sent, .invalid])

        // The account ends, and with it the texts that were to be sent in its name.
        _ = try await invite(alice, ["+4915112345679"], send: true)
        #expect(try await alice.send("DELETE", "/v1/me").status == 204)
        let left = try installation.session().query(
            "select count(*) from kith.deliveries where body like 'Alice%'")
        #expect(left.int(0, 0) == 0)
    }

    @Test func `is created once for one Idempotency-Key`() async throws {
        let (alice, _) = try await sender()
        func post() async throws -> Kith.ConnectionInvitation {
            try await alice.client.send(
                "POST", "/v1/connection-invitations", #"{"recipients":[{"phone":"+4915112345678"}]}"#, as: alice.token,
                headers: ["Idempotency-Key": "once"]
            ).decode()
        }
        let first = try await post()
        #expect(try await post() == first)
    }
}
