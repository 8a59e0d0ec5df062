import Foundation
import KithClient
import KithServer
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// One house for all of these tests.
private let signedIn = Result { () throws -> SignInHouse in try SignInHouse() }

@Suite(.mayBlock) struct `Signing in with a one-time code` {
    @Test func `by SMS creates a user, and later finds the same one`() async throws {
        let house = try signedIn.get()
        let number = SignInHouse.number()
        let first = try await house.signIn(number)
        #expect(first.user.phone == number)
        #expect(first.user.phoneVerified)
        #expect(first.user.displayName == nil)
        #expect(first.expiresIn == 900)
        #expect(first.refreshToken.hasPrefix("kith_rt_"))
        let me: Kith.User = try await house.client.get("GET", "/v1/me", as: first.accessToken)
        #expect(me.id == first.user.id)
        #expect(try await house.signIn(number).user.id == first.user.id)
        let message = try #require(try house.mailbox.items(for: number).first)
        #expect(message.channel == "sms")
        #expect(message.text == "PRUUF code: \(message.code). It is valid for 10 minutes. Do not share it.")
        // The same number in another tenant belongs to a different user.
        #expect(try await house.signIn(number, tenant: "globex").user.id != first.user.id)
    }

    @Test func `knows a number in every spelling, at every door`() async throws {
        let house = try signedIn.get()
        let digits = String(Int.random(in: 10_000_000...99_999_999))
        let number = "+49151\(digits)"
        let user = try await house.signIn(number).user
        let spellings = [
            "+490151\(digits)", "+49 (0)151 / \(digits)", "0049151\(digits)", "tel:+49-151-\(digits)",
            "＋49151\(digits)",
        ]
        let sent = try house.mailbox.items(for: number).count
        for (spelling, other) in zip(spellings, spellings.reversed()).prefix(3) {
            let count = try house.mailbox.items(for: number).count
            #expect(try await house.send("/v1/auth/otp", #"{"phone":"\#(spelling)"}"#).status == 202)
            let code = try await house.newCode(to: number, after: count)
            let signIn: Kith.SignIn = try await house.verify(other, code).decode()
            #expect(signIn.user.id == user.id && signIn.user.phone == number, "\(spelling)")
        }
        #expect(try house.mailbox.items(for: number).count == sent + 3)
        // The limit of five codes an hour counts the number, not its spellings.
        for spelling in spellings { _ = try await house.send("/v1/auth/otp", #"{"phone":"\#(spelling)"}"#) }
        let stored = try house.installation.session().query(
            "select count(*) from kith.otp_codes where address = $1 and tenant_id = $2::integer",
            [.text(number), .int(house.installation.acme.tenantID)])
        #expect(stored.int(0, 0) == 5)

        // The tenant's server finds and states it in any spelling.
        let key = house.installation.acme.secretKey
        for spelling in spellings {
            let query = spelling.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let found = try await house.client.send("GET", "/v1/users?phone=\(query)", as: key)
            #expect(found.text.contains(user.id.uuidString.lowercased()), "\(spelling): \(found.text)")
        }
        let made: Kith.User = try await house.client.get(
            "POST", "/v1/users", #"{"display_name":"Erin","phone":"\#(spellings[0])"}"#, as: key, status: 201)
        #expect(made.phone == number)
        let changed: Kith.User = try await house.client.get(
            "PATCH", "/v1/users/\(made.id)", #"{"phone":"\#(spellings[1])"}"#, as: key)
        #expect(changed.phone == number)
        let lines = #"{"display_name":"Frank","phone":"\#(spellings[2])","external_id":"\#(digits)"}"#
        let imported = try await house.client.send(
            "POST", "/v1/users:import", lines, as: key, headers: ["Content-Type": "application/x-ndjson"])
        #expect(imported.status == 200, "\(imported.text)")
        let frank = try await house.client.send("GET", "/v1/users?external_id=\(digits)", as: key)
        #expect(
            frank.text.contains(#""phone" : "\#(number)""#) || frank.text.contains(#""phone":"\#(number)""#),
            "\(frank.text)")
        let mine: Kith.User = try await house.client.get(
            "PATCH", "/v1/me", #"{"phone":"+44 (0)7700 900\#(digits.prefix(3))"}"#,
            as: house.signIn(SignInHouse.number()).accessToken)
        #expect(mine.pendingPhone == "+447700900\(digits.prefix(3))")
    }

    @Test(
        arguments: [
            "+999123456789", "00999123456789", "+10000000000", "+4412", "+4912345678901234567", "+52 1 1348 585 0186",
            "call me", "0151 12345678", "+1 800 356 9377", "tel:+447700900123;ext=12", "",
        ])
    func `refuses what is no number of any plan, at every door`(phone: String) async throws {
        let house = try signedIn.get()
        let key = house.installation.acme.secretKey
        let query = phone.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        var answers = [
            try await house.send("/v1/auth/otp", #"{"phone":"\#(phone)"}"#),
            try await house.send("/v1/auth/otp/verify", #"{"phone":"\#(phone)","code":"123456"}"#),
            try await house.client.send("POST", "/v1/users", #"{"display_name":"X","phone":"\#(phone)"}"#, as: key),
            try await house.client.send("GET", "/v1/users?phone=\(query)", as: key),
        ]
        let person = try await house.client.send("POST", "/v1/users", #"{"display_name":"X"}"#, as: key)
        let id = try person.decode(Kith.User.self).id
        answers.append(try await house.client.send("PATCH", "/v1/users/\(id)", #"{"phone":"\#(phone)"}"#, as: key))
        let token: Kith.AccessToken = try await house.client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(id)"}"#, as: key, status: 201)
        for (method, path, rest) in [("PATCH", "/v1/me", ""), ("POST", "/v1/me/contacts/verify", #","code":"123456""#)]
        {
            answers.append(
                try await house.client.send(method, path, #"{"phone":"\#(phone)"\#(rest)}"#, as: token.accessToken))
        }
        for answer in answers {
            #expect(answer.status == 422, "\(answer.text)")
            #expect(try answer.decode(Kith.Problem.self).errors?.map(\.field) == ["phone"], "\(answer.text)")
        }
        let line = try await house.client.send(
            "POST", "/v1/users:import", #"{"display_name":"X","phone":"\#(phone)"}"#, as: key,
            headers: ["Content-Type": "application/x-ndjson"])
        #expect(line.text.contains(#""status":422"#), "\(line.text)")
    }

    @Test func `by e-mail ignores the case of the address`() async throws {
        let house = try signedIn.get()
        let address = "Dora.\(UUID().uuidString.prefix(8))@Example.org"
        let code = try await house.code(to: address)
        let answer = try await house.verify(address, code)
        #expect(answer.status == 200, "\(answer.text)")
        let message = try #require(try house.mailbox.items(for: address).first)
        #expect(message.subject == "Your PRUUF code")
        // The next code goes to the spelling stored in the account.
        _ = try await house.send("/v1/auth/otp", #"{"email":"\#(address.uppercased())"}"#)
        let again = try await house.newCode(to: address, after: 1)
        let signIn: Kith.SignIn = try await house.verify(address.lowercased(), again).decode()
        #expect(try signIn.user.id == answer.decode(Kith.SignIn.self).user.id)
    }

    @Test func `distinguishes e-mail addresses that only look alike`() async throws {
        let house = try signedIn.get()
        let name = "victim.\(UUID().uuidString.prefix(8))"
        let victim = try await house.signIn("\(name)@gmail.com")
        let refused = try await house.send("/v1/auth/otp", #"{"email":"\#(name)@gma\#u{130}l.com"}"#)
        #expect(refused.status == 422)
        // A local part may contain any letter; U+0130 is a different letter from `i`.
        let other = try await house.signIn("v\u{130}ct\u{130}m\(name.dropFirst(6))@gmail.com")
        #expect(other.user.id != victim.user.id)
    }

    @Test func `has attempts of its own, which nobody else can use up`() async throws {
        let house = try signedIn.get()
        let number = SignInHouse.number()
        let device = try await house.signIn(number)
        // A stranger asks for codes and guesses, with and without a challenge.
        var challenges: [String] = []
        for _ in 0..<4 {
            challenges.append(try #require(try await house.send("/v1/auth/otp", #"{"phone":"\#(number)"}"#).challenge))
        }
        for challenge in challenges {
            for _ in 0..<6 {
                _ = try await house.verify(number, "000000", challenge: challenge)
                _ = try await house.verify(number, "000000")
            }
        }
        let before = try house.mailbox.items(for: number).count
        #expect(before <= 5)
        let asked = try await house.send(
            "/v1/auth/otp", #"{"phone":"\#(number)","refresh_token":"\#(device.refreshToken)"}"#)
        let code = try await house.lastCode(to: number, of: try #require(asked.challenge))
        for _ in 0..<6 { _ = try await house.verify(number, "000000") }
        let answer = try await house.verify(number, code, challenge: asked.challenge)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.decode(Kith.SignIn.self).user.id == device.user.id)
    }

    @Test func `finds the user whose number the tenant's server stored`() async throws {
        let house = try signedIn.get()
        let number = SignInHouse.number()
        let erin: Kith.User = try await house.client.get(
            "POST", "/v1/users", #"{"display_name":"Erin","phone":"\#(number)"}"#,
            as: house.installation.acme.secretKey, status: 201)
        #expect(!erin.phoneVerified)
        let signIn = try await house.signIn(number)
        #expect(signIn.user.id == erin.id)
        #expect(signIn.user.displayName == "Erin")
        #expect(signIn.user.phoneVerified)
    }

    @Test func `requires the right code, once, in the right tenant`() async throws {
        let house = try signedIn.get()
        let number = SignInHouse.number()
        let code = try await house.code(to: number)
        let wrong = code == "000000" ? "000001" : "000000"
        let refused = try await house.verify(number, wrong)
        #expect(refused.status == 401)
        #expect(refused.code == "otp_invalid")
        #expect(try await house.verify(number, code, tenant: "globex").code == "otp_invalid")
        #expect(try await house.verify(SignInHouse.number(), code).code == "otp_invalid")
        #expect(try await house.verify(number, code).status == 200)
        #expect(try await house.verify(number, code).code == "otp_invalid")
    }

    @Test func `fails for good after five wrong attempts`() async throws {
        let house = try signedIn.get()
        let number = SignInHouse.number()
        let code = try await house.code(to: number)
        let wrong = code == "000000" ? "000001" : "000000"
        for _ in 0..<5 { #expect(try await house.verify(number, wrong).code == "otp_invalid") }
        #expect(try await house.verify(number, code).code == "otp_invalid")
    }

    @Test func `sends five codes an hour and then none, with the same answer`() async throws {
        let house = try signedIn.get()
        let number = SignInHouse.number()
        for _ in 0..<5 { _ = try await house.code(to: number) }
        let answer = try await house.send("/v1/auth/otp", #"{"phone":"\#(number)"}"#)
        #expect(answer.status == 202)
        #expect(answer.challenge != nil)
        try await Task.sleep(for: .seconds(2))
        #expect(try house.mailbox.items(for: number).count == 5)
    }

    @Test func `answers unknown contacts alike if sign-up is closed, and sends them nothing`() async throws {
        let house = try signedIn.get()
        let made = try KithProcess.run(
            ["tenant", "create", "closed", "--name", "Closed", "--json"], environment: house.installation.environment)
        let closed = try JSONDecoder().decode(Installation.Tenant.self, from: Data(made.output.utf8))
        _ = try await house.client.send("PATCH", "/v1/tenant", #"{"sign_up_open":false}"#, as: closed.secretKey)
        let (known, unknown) = (SignInHouse.number(), SignInHouse.number())
        let _: Kith.User = try await house.client.get(
            "POST", "/v1/users", #"{"display_name":"Erin","phone":"\#(known)"}"#, as: closed.secretKey, status: 201)
        let answers = try await [unknown, known].asyncMap {
            try await house.send("/v1/auth/otp", #"{"phone":"\#($0)"}"#, tenant: "closed")
        }
        #expect(answers.map(\.status) == [202, 202])
        #expect(answers.allSatisfy { $0.challenge != nil && $0.text.count == answers[0].text.count })
        _ = try await house.newCode(to: known, after: 0)
        #expect(try house.mailbox.items(for: unknown).isEmpty)
    }

    @Test(
        arguments: [
            ("/v1/auth/otp", "{}", "phone"), ("/v1/auth/otp", #"{"phone":"+491511234567","email":"a@b.c"}"#, "email"),
            ("/v1/auth/otp", #"{"phone":"0151"}"#, "phone"), ("/v1/auth/otp", #"{"email":"nobody"}"#, "email"),
            ("/v1/auth/otp", #"{"phone":null}"#, "phone"), ("/v1/auth/otp", #"{"name":"x"}"#, "name"),
            ("/v1/auth/otp/verify", #"{"phone":"+491511234567"}"#, "code"),
            ("/v1/auth/otp/verify", #"{"phone":"+491511234567","code":"12345"}"#, "code"),
            ("/v1/auth/otp/verify", #"{"phone":"+491511234567","code":"١٢٣٤٥٦"}"#, "code"),
            ("/v1/auth/otp/verify", #"{"code":"123456"}"#, "phone"), ("/v1/auth/refresh", "{}", "refresh_token"),
            ("/v1/auth/refresh", #"{"refresh_token":7}"#, "refresh_token"),
        ])
    func `with an invalid body names the field`(path: String, body: String, field: String) async throws {
        let answer = try await signedIn.get().send(path, body)
        #expect(answer.status == 422)
        let problem: Kith.Problem = try answer.decode()
        #expect(problem.errors?.map(\.field).contains(field) == true, "\(answer.text)")
    }

    @Test func `requires an existing tenant`() async throws {
        let house = try signedIn.get()
        let body = #"{"phone":"+491511234567"}"#
        #expect(try await house.send("/v1/auth/otp", body, tenant: nil).code == "invalid_request")
        for slug in ["nobody", "", "ACME", "'", String(repeating: "a", count: 300)] {
            let answer = try await house.send("/v1/auth/otp", body, tenant: slug)
            #expect(["not_found", "invalid_request"].contains(answer.code), "\(slug): \(answer.text)")
        }
        let made = try KithProcess.run(
            ["tenant", "create", "gone", "--name", "Gone"], environment: house.installation.environment)
        #expect(made.status == 0)
        let deleted = try KithProcess.run(
            ["tenant", "delete", "gone", "--reason", "has left"], environment: house.installation.environment)
        #expect(deleted.status == 0)
        #expect(try await house.send("/v1/auth/otp", body, tenant: "gone").code == "tenant_suspended")
    }

    @Test func `is limited per network address`() async throws {
        let installation = try signedIn.get().installation
        let (server, client) = try installation.serve(["KITH_SIGN_IN_LIMIT": "1/3"])
        defer { server.signal(SIGTERM) }
        let answers = try await withThrowingTaskGroup(of: APIClient.Answer.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await client.send(
                        "POST", "/v1/auth/otp/verify", #"{"phone":"+4915000000000","code":"123456"}"#,
                        headers: ["X-Kith-Tenant": "acme"])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 401 } >= 3)
        let refused = try #require(answers.first { $0.status == 429 })
        #expect(refused.headers["retry-after"] != nil)
    }
}

@Suite(.mayBlock) struct `A sign-in` {
    @Test func `continues with refresh tokens, each of which works once`() async throws {
        let house = try signedIn.get()
        let first = try await house.signIn(SignInHouse.number())
        let second: Kith.SignIn = try await house.refresh(first.refreshToken).decode()
        #expect(second.user.id == first.user.id)
        #expect(second.refreshToken != first.refreshToken)
        #expect(try await house.status(of: second.accessToken) == 200)
        let third: Kith.SignIn = try await house.refresh(second.refreshToken).decode()
        // Reuse of the first token means theft, so it ends the whole family of tokens.
        let stolen = try await house.refresh(first.refreshToken)
        #expect(stolen.status == 401)
        #expect(stolen.code == "unauthenticated")
        #expect(try await house.refresh(third.refreshToken).status == 401)
        for text in ["", "kith_rt_", "nonsense", String(repeating: "a", count: 200)] where !text.isEmpty {
            #expect(try await house.refresh(text).status == 401)
        }
    }

    @Test func `survives a lost answer to a refresh`() async throws {
        let house = try signedIn.get()
        let first = try await house.signIn(SignInHouse.number())
        let lost: Kith.SignIn = try await house.refresh(first.refreshToken).decode()
        let again: Kith.SignIn = try await house.refresh(first.refreshToken).decode()
        #expect(again.refreshToken != lost.refreshToken)
        #expect(try await house.refresh(again.refreshToken).status == 200)
        // Nobody knows which answer was lost, if any: two tabs that refresh at once use both.
        #expect(try await house.refresh(lost.refreshToken).status == 200)
        #expect(try await house.refresh(first.refreshToken).status == 401)
        #expect(try await house.status(of: lost.accessToken) == 401)
    }

    @Test func `refreshed by two tabs at once continues in both, until an old token comes back`() async throws {
        let house = try signedIn.get()
        let first = try await house.signIn(SignInHouse.number())
        async let one = house.refresh(first.refreshToken)
        async let other = house.refresh(first.refreshToken)
        var tabs = try await [one, other].map { try $0.decode(Kith.SignIn.self).refreshToken }
        let old = tabs[0]
        for _ in 0..<3 {
            for tab in tabs.indices {
                tabs[tab] = try await house.refresh(tabs[tab]).decode(Kith.SignIn.self).refreshToken
            }
        }
        #expect(try await house.refresh(old).status == 401)
        for tab in tabs { #expect(try await house.refresh(tab).status == 401) }
    }

    @Test func `refreshed by many callers at once continues for each of them`() async throws {
        let house = try signedIn.get()
        let first = try await house.signIn(SignInHouse.number())
        let answers = try await withThrowingTaskGroup(of: APIClient.Answer.self) { group in
            for _ in 0..<8 { group.addTask { try await house.refresh(first.refreshToken) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // On a busy machine one call may have waited too long for the others.
        #expect(answers.allSatisfy { [200, 401, 503].contains($0.status) })
        let tokens = try answers.filter { $0.status == 200 }.map { try $0.decode(Kith.SignIn.self).refreshToken }
        let alive = try house.installation.session().query(
            """
            select count(*) from kith.refresh_tokens as token
            join kith.token_families as family on family.tenant_id = token.tenant_id and family.id = token.family_id
            where family.user_id = $1::uuid and family.ended_at is null and token.used_at is null
            """, [.text(first.user.id.uuidString)])
        #expect(Set(tokens).count == tokens.count)
        #expect((alive.int(0, 0) ?? 0) >= tokens.count)
        for token in tokens { #expect(try await house.refresh(token).status == 200) }
    }

    @Test func `ends at once on this server by signing out, and other sign-ins stay`() async throws {
        let house = try signedIn.get()
        let number = SignInHouse.number()
        let (phone, tablet) = (try await house.signIn(number), try await house.signIn(number))
        for token in [phone.accessToken, tablet.accessToken] { #expect(try await house.status(of: token) == 200) }
        let out = try await house.client.send("POST", "/v1/auth/sign-out", "{}", as: phone.accessToken)
        #expect(out.status == 204)
        #expect(try await house.status(of: phone.accessToken) == 401)
        #expect(try await house.refresh(phone.refreshToken).status == 401)
        #expect(try await house.status(of: tablet.accessToken) == 200)
        #expect(try await house.refresh(tablet.refreshToken).status == 200)
    }

    @Test func `ends on every loop of this server before the answer to signing out`() async throws {
        let house = try signedIn.get()
        let (server, client) = try house.installation.serve(["KITH_LOOPS": "3"])
        defer { server.signal(SIGTERM) }
        let phone = try await house.signIn(SignInHouse.number())
        /// The statuses of requests on connections that the kernel distributes among the loops.
        func statuses() throws -> Set<String> {
            var statuses: Set<String> = []
            for _ in 0..<100 {
                let connection = try RawConnection(client)
                try connection.request("GET", "/v1/me", as: phone.accessToken)
                #expect(connection.read(12))
                statuses.insert(String(connection.text.suffix(3)))
            }
            return statuses
        }
        #expect(try statuses() == ["200"])
        #expect(try await client.send("POST", "/v1/auth/sign-out", "{}", as: phone.accessToken).status == 204)
        #expect(try statuses() == ["401"])
    }

    @Test func `ends everywhere when the user signs out everywhere, including tokens minted by the tenant's server`()
        async throws
    {
        let house = try signedIn.get()
        let number = SignInHouse.number()
        let (phone, tablet) = (try await house.signIn(number), try await house.signIn(number))
        let minted: Kith.AccessToken = try await house.client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(phone.user.id)"}"#, as: house.installation.acme.secretKey,
            status: 201)
        let tokens = [phone.accessToken, tablet.accessToken, minted.accessToken]
        for token in tokens { #expect(try await house.status(of: token) == 200) }
        let out = try await house.client.send(
            "POST", "/v1/auth/sign-out", #"{"everywhere":true}"#, as: minted.accessToken)
        #expect(out.status == 204)
        for token in tokens { #expect(try await house.status(of: token) == 401) }
        #expect(try await house.refresh(tablet.refreshToken).status == 401)
        // The user can sign in again within the same second, and the tenant's server can get another token.
        let back = try await house.signIn(number)
        #expect(try await house.status(of: back.accessToken) == 200)
        let anew: Kith.AccessToken = try await house.client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(phone.user.id)"}"#, as: house.installation.acme.secretKey,
            status: 201)
        #expect(try await house.status(of: anew.accessToken) == 200)
    }

    @Test func `ends once even with an Idempotency-Key, and then only a new sign-in helps`() async throws {
        let house = try signedIn.get()
        let phone = try await house.signIn(SignInHouse.number())
        #expect(try await house.status(of: phone.accessToken) == 200)
        let out = try await house.client.send(
            "POST", "/v1/auth/sign-out", "{}", as: phone.accessToken, headers: ["Idempotency-Key": "out"])
        #expect(out.status == 204)
        #expect(try await house.status(of: phone.accessToken) == 401)
        let again = try await house.client.send(
            "POST", "/v1/auth/sign-out", "{}", as: phone.accessToken, headers: ["Idempotency-Key": "out"])
        #expect(again.status == 401)
    }

    @Test func `is refused for a deleted tenant and for an API key`() async throws {
        let house = try signedIn.get()
        let out = try await house.client.send(
            "POST", "/v1/auth/sign-out", "{}", as: house.installation.acme.secretKey)
        #expect(out.code == "forbidden")
        #expect(try await house.client.send("POST", "/v1/auth/sign-out", "{}").status == 401)
        let wrong = try await house.signIn(SignInHouse.number())
        let body = try await house.client.send(
            "POST", "/v1/auth/sign-out", #"{"everywhere":"yes"}"#, as: wrong.accessToken)
        #expect(body.code == "validation_failed")
    }
}

@Suite(.mayBlock) struct `A changed contact` {
    @Test func `counts once the code sent to it is confirmed`() async throws {
        let house = try signedIn.get()
        let (old, new) = (SignInHouse.number(), SignInHouse.number())
        let signIn = try await house.signIn(old)
        let changed: Kith.User = try await house.client.get(
            "PATCH", "/v1/me", #"{"phone":"\#(new)","display_name":"Dora"}"#, as: signIn.accessToken)
        #expect(changed.phone == old)
        #expect(changed.pendingPhone == new)
        #expect(changed.displayName == "Dora")
        let code = try await house.newCode(to: new, after: 0)
        #expect(try house.mailbox.items(for: new).first?.text.contains("confirms your new phone number") == true)
        func verify(_ number: String, _ code: String) async throws -> APIClient.Answer {
            try await house.client.send(
                "POST", "/v1/me/contacts/verify", #"{"phone":"\#(number)","code":"\#(code)"}"#,
                as: signIn.accessToken)
        }
        #expect(try await verify(new, code == "000000" ? "000001" : "000000").code == "otp_invalid")
        #expect(try await verify(old, code).code == "otp_invalid")
        // A code that confirms a contact does not sign in.
        #expect(try await house.verify(new, code).code == "otp_invalid")
        let verified: Kith.User = try await verify(new, code).decode()
        #expect(verified.phone == new)
        #expect(verified.phoneVerified)
        #expect(verified.pendingPhone == nil)
        #expect(try await house.signIn(new).user.id == signIn.user.id)
        #expect(try await house.signIn(old).user.id != signIn.user.id)
    }

    @Test func `that another user has verified is a conflict, and null clears it`() async throws {
        let house = try signedIn.get()
        let taken = "taken.\(UUID().uuidString.prefix(8))@example.org".lowercased()
        _ = try await house.signIn(taken)
        let signIn = try await house.signIn(SignInHouse.number())
        let before = try house.mailbox.items(for: taken).count
        let pending: Kith.User = try await house.client.get(
            "PATCH", "/v1/me", #"{"email":"\#(taken)"}"#, as: signIn.accessToken)
        #expect(pending.email == nil)
        #expect(pending.pendingEmail == taken)
        let code = try await house.newCode(to: taken, after: before)
        let answer = try await house.client.send(
            "POST", "/v1/me/contacts/verify", #"{"email":"\#(taken)","code":"\#(code)"}"#, as: signIn.accessToken)
        #expect(answer.status == 409)
        #expect(answer.code == "conflict")
        let cleared: Kith.User = try await house.client.get(
            "PATCH", "/v1/me", #"{"email":null,"phone":null}"#, as: signIn.accessToken)
        #expect(cleared.pendingEmail == nil)
        #expect(cleared.phone == nil)
        #expect(!cleared.phoneVerified)
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
