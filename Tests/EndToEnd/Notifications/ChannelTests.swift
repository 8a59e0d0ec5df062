import Foundation
import KithClient
import KithServer
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A tenant's channel` {
    private static let email =
        #"{"host":"smtp.example.com","port":587,"username":"kith","password":"correct horse","from":"care@example.com"}"#
    private static let apns =
        #"{"team_id":"ABCDE12345","key_id":"KEY1234567","topic":"com.example.app","private_key":"\#(key)"}"#
    private static let key = """
        -----BEGIN PRIVATE KEY-----\\n\
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpmlVL0N088YS0DIh\\n\
        1D6bT+34rGGOIT83B04/t8YwR0ahRANCAARp/cuSgYd0+9VXoPavM1o1g+iVIvOY\\n\
        UgBF7gOoYh6GlirwhvVmsIBJScnPlkIFoRDsKGupLvfp0I7D7mT4NdYd\\n\
        -----END PRIVATE KEY-----\\n
        """

    private func put(_ channel: String, _ body: String) async throws -> APIClient.Answer {
        let (installation, _, client) = try shared.get()
        return try await client.send(
            "PUT", "/v1/tenant/channels/\(channel)", body, as: installation.acme.secretKey)
    }

    @Test func `can be set, is listed without its secrets, and can be deleted`() async throws {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("channels-\(UUID().uuidString.prefix(8).lowercased())")
        func send(_ method: String, _ path: String, _ body: String? = nil) async throws -> APIClient.Answer {
            try await client.send(method, "/v1/tenant/channels\(path)", body, as: tenant.secretKey)
        }
        #expect(try await send("PUT", "/email", Self.email).status == 200)
        #expect(try await send("PUT", "/apns", Self.apns).status == 200)
        let list = try await send("GET", "")
        #expect(!list.text.contains("correct horse"))
        #expect(!list.text.contains("PRIVATE KEY"))
        let page: Kith.ChannelPage = try list.decode()
        #expect(page.items.map(\.channel) == [.apns, .email])
        #expect(page.items[0].settings["topic"] == .string("com.example.app"))
        #expect(page.items[1].settings["port"] == .integer(587))
        #expect(page.items[1].checkedAt == nil)

        // The stored settings are unreadable without the master key.
        let kept = try installation.session().query(
            """
            select string_agg(encode(sealed, 'escape') || summary::text, ' ') from kith.channel_credentials \
            where tenant_id = \(tenant.tenantID)
            """)
        #expect(kept.string(0, 0)?.contains("correct horse") == false)
        #expect(kept.string(0, 0)?.contains("smtp.example.com") == true)

        let other: Kith.ChannelPage = try await client.get(
            "GET", "/v1/tenant/channels", as: installation.globex.secretKey)
        #expect(!other.items.contains { $0.settings["topic"] == .string("com.example.app") })

        #expect(try await send("DELETE", "/email").status == 204)
        #expect(try await send("DELETE", "/email").code == "not_found")
        let left: Kith.ChannelPage = try await client.get("GET", "/v1/tenant/channels", as: tenant.secretKey)
        #expect(left.items.map(\.channel) == [.apns])
    }

    @Test func `for web push keeps its key pair when its settings change`() async throws {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("browsers-\(UUID().uuidString.prefix(8).lowercased())")
        let alice = try await Person.join(tenant, as: "Alice", client)
        #expect(try await alice.send("GET", "/v1/me/web-push-key").code == "not_found")
        func put(_ subject: String) async throws -> Kith.Channel {
            try await client.get(
                "PUT", "/v1/tenant/channels/web_push", #"{"subject":"\#(subject)"}"#, as: tenant.secretKey)
        }
        let first = try await put("mailto:a@example.com")
        let second = try await put("mailto:b@example.com")
        #expect(second.settings["subject"] == .string("mailto:b@example.com"))
        #expect(first.settings["public_key"] == second.settings["public_key"])
        let key: Kith.WebPushKey = try await alice.get("GET", "/v1/me/web-push-key")
        #expect(second.settings["public_key"] == .string(key.publicKey))
        // An uncompressed P-256 point.
        #expect(key.publicKey.count == 87)
        #expect(key.publicKey.hasPrefix("B"))

        let mallory = try await Person.join(installation.globex, as: "Mallory", client)
        #expect(try await mallory.send("GET", "/v1/me/web-push-key").code == "not_found")
    }

    @Test(
        arguments: [
            ("email", #"{"host":"smtp.example.com"}"#, ["from"]),
            ("email", #"{"host":"a b","from":"care@example.com"}"#, ["host"]),
            ("email", #"{"host":"smtp.example.com","from":"care@example.com","username":"kith"}"#, ["password"]),
            ("email", #"{"host":"smtp.example.com","from":"care@example.com","port":70000}"#, ["port"]),
            ("email", #"{"host":"smtp.example.com","from":"care@example.com","encryption":"none"}"#, ["encryption"]),
            ("sms", #"{"url":"http://sms.example.com","from":"Kith"}"#, ["url"]),
            (
                "sms", #"{"url":"https://sms.example.com","from":"Kith","token":"a","username":"b","password":"c"}"#,
                ["token"]
            ),
            (
                "apns", #"{"team_id":"ABCDE12345","key_id":"KEY1234567","topic":"com.example.app","private_key":"x"}"#,
                ["private_key"]
            ),
            (
                "apns",
                #"{"team_id":"abcde12345","key_id":"KEY1234567","topic":"com.example.app","private_key":"\#(key)"}"#,
                ["team_id"]
            ),
            ("web_push", #"{"subject":"call me"}"#, ["subject"]),
            ("web_push", #"{"subject":"mailto:a@example.com","colour":"blue"}"#, ["colour"]),
        ])
    func `with invalid settings is refused, naming the fields`(channel: String, body: String, fields: [String])
        async throws
    {
        let answer = try await put(channel, body)
        #expect(answer.status == 422, "\(answer.text)")
        let problem: Kith.Problem = try answer.decode()
        #expect(problem.errors?.map(\.field) == fields, "\(answer.text)")
    }

    @Test func `can be set only by the tenant's server, and only for a channel that exists`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        #expect(try await alice.send("PUT", "/v1/tenant/channels/email", Self.email).code == "forbidden")
        #expect(try await alice.send("GET", "/v1/tenant/channels").code == "forbidden")
        #expect(try await alice.send("DELETE", "/v1/tenant/channels/email").code == "forbidden")
        #expect(try await put("fax", "{}").code == "not_found")
        #expect(
            try await client.send("GET", "/v1/me/web-push-key", as: installation.acme.secretKey).code == "forbidden")
    }
}
