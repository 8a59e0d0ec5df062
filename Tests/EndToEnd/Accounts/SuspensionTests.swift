import Foundation
import Glibc
import KithClient
import KithServer
import Postgres
import TestThreads
import Testing

/// A02: what an operator's suspension refuses, and what a person needs to be safe.
@Suite(.mayBlock) struct `A suspended tenant` {
    @Test func `refuses its server and its app, but lets its people sign in, see the first screen and check in`()
        async throws
    {
        let house = try SignInHouse()
        let (installation, client) = (house.installation, house.client)
        let number = SignInHouse.number()
        let before = try await house.signIn(number, tenant: "globex")
        let tablet = try await house.signIn(number, tenant: "globex")
        let profile = #"{"ping_time":"09:00","time_zone":"Europe/Berlin"}"#
        let made = try await client.send("PUT", "/v1/me/sender-profile", profile, as: before.accessToken)
        #expect(made.status == 200, "\(made.text)")
        let keyAnswer = try await client.send(
            "POST", "/v1/tenant/api-keys", #"{"name":"Desk","scopes":["alarms"]}"#, as: installation.globex.secretKey)
        let deskKey = try keyAnswer.decode([String: JSON].self)["secret_key"]?.string
        try installation.session().execute("select admin.suspend_tenant('globex', 'unpaid')")
        // A server that has checked the token before trusts it for up to a minute, but the database refuses what would
        // write.
        let write = try await client.send("PATCH", "/v1/me", #"{"display_name":"X"}"#, as: before.accessToken)
        #expect(write.code == "tenant_suspended")

        // A server that has checked nothing yet.
        let (server, elsewhere) = try installation.serve()
        defer { server.signal(SIGTERM) }
        func send(
            _ method: String, _ path: String, _ body: String? = nil, as token: String? = nil,
            headers: [String: String] = [:]
        ) async throws -> APIClient.Answer {
            try await elsewhere.send(method, path, body, as: token, headers: headers)
        }
        let named = ["X-Kith-Tenant": "globex"]
        let messages = try house.mailbox.items(for: number).count
        let asked = try await send("POST", "/v1/auth/otp", #"{"phone":"\#(number)"}"#, headers: named)
        #expect(asked.status == 202, "\(asked.text)")
        let code = try await house.newCode(to: number, after: messages)
        let verified = try await send(
            "POST", "/v1/auth/otp/verify", #"{"phone":"\#(number)","code":"\#(code)"}"#, headers: named)
        #expect(verified.status == 200, "\(verified.text)")
        let fresh: Kith.SignIn = try verified.decode()
        #expect(fresh.user.id == before.user.id)
        let refreshed = try await send("POST", "/v1/auth/refresh", #"{"refresh_token":"\#(before.refreshToken)"}"#)
        #expect(refreshed.status == 200, "\(refreshed.text)")
        let token = try refreshed.decode(Kith.SignIn.self).accessToken
        for token in [token, fresh.accessToken, tablet.accessToken] {
            #expect(try await send("GET", "/v1/home", as: token).status == 200)
            for headers in [[:], ["Idempotency-Key": UUID().uuidString]] {
                let checkedIn = try await send("POST", "/v1/pings/check-in", "{}", as: token, headers: headers)
                #expect(checkedIn.status == 200, "\(checkedIn.text)")
            }
        }

        // Everything else waits.
        for (method, path, body) in [
            ("GET", "/v1/me", nil), ("PATCH", "/v1/me", #"{"display_name":"X"}"#), ("GET", "/v1/vaults", nil),
            ("POST", "/v1/vaults", #"{"name":"X"}"#), ("POST", "/v1/connections", #"{"code":"123456"}"#),
            ("GET", "/v1/notifications", nil),
            ("GET", "/v1/events", nil), ("DELETE", "/v1/me", nil),
        ] {
            let refused = try await send(method, path, body, as: token)
            #expect(refused.status == 403 && refused.code == "tenant_suspended", "\(method) \(path): \(refused.text)")
        }
        let key = installation.globex.secretKey
        for (method, path, body) in [
            ("GET", "/v1/tenant", nil), ("POST", "/v1/users", #"{"display_name":"X"}"#),
            ("POST", "/v1/tokens", #"{"user_id":"\#(before.user.id)"}"#),
        ] {
            let refused = try await send(method, path, body, as: key)
            #expect(refused.status == 403 && refused.code == "tenant_suspended", "\(method) \(path): \(refused.text)")
        }
        // The desk goes on (K09), with a key for it alone too.
        let help = try await send("POST", "/v1/alarms", #"{"note":"I fell"}"#, as: token)
        #expect(help.status == 201, "\(help.text)")
        let desk = try await send("GET", "/v1/tenant/alarms?status=open", as: deskKey)
        #expect(desk.status == 200 && desk.text.contains("I fell"), "\(desk.text)")
        let id = try help.decode([String: JSON].self)["id"]?.string ?? ""
        for (act, body) in [
            ("take", #"{"by":"Dana"}"#), ("notes", #"{"by":"Dana","body":"On my way"}"#),
            ("resolve", #"{"by":"Dana","outcome":"safe"}"#), ("reopen", #"{"by":"Dana"}"#),
        ] {
            let answer = try await send("POST", "/v1/tenant/alarms/\(id)/\(act)", body, as: deskKey)
            #expect(answer.status == 200, "\(act): \(answer.text)")
        }
        #expect(try await send("GET", "/v1/tenant", as: deskKey).status == 403)
        // The key of a suspended tenant is no user's token either.
        #expect(try await send("GET", "/v1/home", as: key).status == 403)
        #expect(try await send("POST", "/v1/auth/sign-out", "{}", as: tablet.accessToken).status == 204)
        #expect(try await send("GET", "/v1/home", as: tablet.accessToken).status == 401)

        // A deletion by the operator refuses all of it.
        try installation.session().execute("select admin.delete_tenant('globex', 'left')")
        let (last, after) = try installation.serve()
        defer { last.signal(SIGTERM) }
        for (method, path, body) in [("GET", "/v1/home", nil), ("POST", "/v1/pings/check-in", "{}")] {
            #expect(try await after.send(method, path, body, as: token).code == "tenant_suspended", "\(path)")
        }
        let asking = try await after.send("POST", "/v1/auth/otp", #"{"phone":"\#(number)"}"#, headers: named)
        #expect(asking.code == "tenant_suspended")
    }

    @Test func `says in the OpenAPI document which calls go on`() async throws {
        let (_, _, client) = try shared.get()
        let document = try JSONSerialization.jsonObject(
            with: Data(try await client.send("GET", "/openapi.json").text.utf8))
        let paths = try #require((document as? [String: Any])?["paths"] as? [String: [String: Any]])
        let working = paths.flatMap { path, operations in
            operations.compactMap { method, operation in
                ((operation as? [String: Any])?["description"] as? String)?.contains(
                    "Works while the tenant is suspended.") == true
                    ? "\(method.uppercased()) \(path)" : nil
            }
        }
        #expect(
            working.sorted() == [
                "GET /a/{token}", "GET /c/{token}", "GET /s/{token}", "GET /v1/alarms", "GET /v1/alarms/{id}",
                "GET /v1/alarms/{id}/care-card", "GET /v1/connections", "GET /v1/connections/{id}",
                "GET /v1/connections/{id}/care-card", "GET /v1/home", "GET /v1/tenant/alarms",
                "GET /v1/tenant/alarms/{id}", "POST /a/{token}",
                "POST /c/{token}", "POST /s/{token}", "POST /v1/alarms",
                "POST /v1/alarms/{id}/notes", "POST /v1/alarms/{id}/release", "POST /v1/alarms/{id}/reopen",
                "POST /v1/alarms/{id}/resolve", "POST /v1/alarms/{id}/take", "POST /v1/auth/otp",
                "POST /v1/auth/otp/verify", "POST /v1/auth/refresh", "POST /v1/auth/sign-out",
                "POST /v1/connections/{id}/ask", "POST /v1/inbound/sms/{token}", "POST /v1/inbound/voice/{token}",
                "POST /v1/pings/check-in", "POST /v1/tenant/alarms/{id}/notes",
                "POST /v1/tenant/alarms/{id}/reopen",
                "POST /v1/tenant/alarms/{id}/resolve", "POST /v1/tenant/alarms/{id}/take",
                "POST /v1/vaults/{id}/emergency/requests/{r}/reject",
            ])
    }
}
