import Crypto
import Delivery
import Foundation
import Postgres

extension Preparation {
    /// The steps for the calls of people without an app, and of providers that forward what they answer.
    static let answers: [String: Step] = [
        "getCheckInPage": { call, stage in call.path["token"] = try await link(stage) },
        "submitCheckInForm": { call, stage in
            let token = try await link(stage)
            call.path["token"] = token
            let page = try await stage.house.client.send("GET", "/c/\(token)")
            let form = page.text.firstMatch(of: /name="form" value="([0-9a-f]+)"/)?.1
            call.body?["form"] = .string(String(form ?? ""))
        },
        "getAlarmPage": { call, stage in call.path["token"] = try await alarmLink(stage) },
        "submitAlarmForm": { call, stage in
            let token = try await alarmLink(stage)
            call.path["token"] = token
            let page = try await stage.house.client.send("GET", "/a/\(token)")
            let form = page.text.firstMatch(of: /name="form" value="([0-9a-f]+)"/)?.1
            call.body?["form"] = .string(String(form ?? ""))
        },
        "receiveText": { call, stage in
            call.path["token"] = try await inbound("sms", stage)
            call.headers["Authorization"] = "Bearer secret-of-16-bytes"
        },
        "receiveCall": { call, stage in
            call.path["token"] = try await inbound("voice", stage)
            call.query["call"] = "test"
            call.headers["Authorization"] = "Bearer secret-of-16-bytes"
        },
    ]

    /// The token of a link of Alice's, as a worker would have sent it.
    private static func link(_ stage: DocumentedStage) async throws -> String {
        try await stage.alice.becomeSender()
        let installation = stage.house.installation
        let key = try MasterKey(text: installation.environment["KITH_MASTER_KEY"] ?? "")
        let link = try MessageLink(
            tenant: installation.acme.tenantID, .checkIn(user: stage.alice.id.text, date: Day.date()),
            address: "alice@example.com", key)
        try installation.session().execute(
            """
            insert into kith.check_in_links (tenant_id, token_hash, user_id, ping_on, created_at)
            values (\(link.tenantID), '\\x\(Hex.encode(link.hash))', '\(stage.alice.id.text)', '\(Day.date())', \(Day.sql))
            on conflict do nothing
            """)
        return link.token
    }

    /// The token of a link of a new Bob's about a call for help, as a worker would have sent it.
    private static func alarmLink(_ stage: DocumentedStage) async throws -> String {
        let installation = stage.house.installation
        let pair = try await Pair(installation.acme, stage.house.client)
        let alarm = try await pair.alice.send("POST", "/v1/alarms", "{}").decode([String: JSON].self)["id"]?.string
        let id = alarm ?? ""
        let key = try MasterKey(text: installation.environment["KITH_MASTER_KEY"] ?? "")
        let link = try MessageLink(
            tenant: installation.acme.tenantID, .alarm(id, receiver: pair.bob.id.text), address: "bob@example.com", key)
        try installation.session().execute(
            """
            insert into kith.alarm_links (tenant_id, token_hash, alarm_id, receiver_id, channel, created_at)
            values (\(link.tenantID), '\\x\(Hex.encode(link.hash))', '\(id)', '\(pair.bob.id.text)', 'email', \(Day.sql))
            """)
        return link.token
    }

    /// The token of the address to which the tenant's provider forwards.
    private static func inbound(_ channel: String, _ stage: DocumentedStage) async throws -> String? {
        // Keys can be offered only where the provider learns where to report them.
        let more = channel == "voice" ? #","callback_field":"callback""# : ""
        let answer = try await stage.house.client.send(
            "PUT", "/v1/tenant/channels/\(channel)",
            #"{"url":"https://provider.example.com","from":"Kith","inbound":{"signature":"bearer","secret":"secret-of-16-bytes"}\#(more)}"#,
            as: stage.house.installation.acme.secretKey)
        let url = try answer.decode([String: JSON].self)["settings"]?["inbound"]?["url"]?.string
        return url?.split(separator: "/").last.map(String.init)
    }
}
