import Crypto
import Foundation
import Testing

@testable import Delivery

/// A notification to Alice as it is sent to a device.
func push(
    to address: String, channel: String = "apns", text: String = "Let your receivers know you're safe.",
    data: String? = #"{"notification_id":"n-1","type":"ping_due","connection_id":"c-1"}"#, collapseID: String? = nil,
    isUrgent: Bool = true, expiresAt: Int64? = nil, keys: WebPushKeys? = nil, environment: String? = "production"
) -> Message {
    Message(
        id: UUID().uuidString.lowercased(), channel: channel, purpose: "notification", address: address,
        subject: "Time to Check In", text: text, data: data.map { Array($0.utf8) }, collapseID: collapseID,
        isUrgent: isUrgent, expiresAt: expiresAt, webPushKeys: keys, environment: environment)
}

private struct Payload: Decodable {
    struct APS: Decodable {
        struct Alert: Decodable {
            let title: String
            let body: String
        }
        let alert: Alert
    }
    struct Kith: Decodable {
        let notification_id: String
    }
    let aps: APS
    let kith: Kith
}

@Suite struct `The payload of an APNs push` {
    @Test func `uses Apple's keys for their purpose`() throws {
        let bytes = try APNsPayload.bytes(of: push(to: "00"))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"aps":{"alert":{"body":"Let your receivers know you're safe.","title":"Time to Check In"},"#
                + #""interruption-level":"time-sensitive","sound":"default","thread-id":"c-1"},"#
                + #""kith":{"notification_id":"n-1","type":"ping_due","connection_id":"c-1"}}"#)
    }

    @Test func `names the actions of the question that the notification asks`() throws {
        for (asks, category) in [("alarm", "kith.alarm"), ("check_in", "kith.check_in")] {
            let data = #"{"notification_id":"n-1","type":"ping_missed","asks":"\#(asks)"}"#
            let bytes = try APNsPayload.bytes(of: push(to: "00", data: data))
            #expect(String(decoding: bytes, as: UTF8.self).contains(#""category":"\#(category)""#))
        }
    }

    @Test func `of a notification that can wait is quiet, and is grouped by its vault or type`() throws {
        func payload(_ data: String?) throws -> String {
            String(
                decoding: try APNsPayload.bytes(of: push(to: "00", text: "x", data: data, isUrgent: false)),
                as: UTF8.self)
        }
        let alert = #"{"aps":{"alert":{"body":"x","title":"Time to Check In"},"sound":"default""#
        #expect(try payload(nil) == alert + "}}")
        #expect(
            try payload(#"{"vault_id":"v-1","type":"vault_opened"}"#)
                == alert + #","thread-id":"v-1"},"kith":{"vault_id":"v-1","type":"vault_opened"}}"#)
        #expect(try payload(#"{"type":"t"}"#) == alert + #","thread-id":"t"},"kith":{"type":"t"}}"#)
    }

    @Test(
        arguments: [
            String(repeating: "a", count: 5000), String(repeating: "🧑‍🧑‍🧒‍🧒", count: 500),
            String(repeating: "\u{1}", count: 5000), String(repeating: "e\u{301}\"", count: 3000),
        ])
    func `is shortened between characters if it is too long`(text: String) throws {
        let bytes = try APNsPayload.bytes(of: push(to: "00", text: text))
        let payload = try JSONDecoder().decode(Payload.self, from: Data(bytes))
        let body = payload.aps.alert.body
        #expect(payload.kith.notification_id == "n-1")
        #expect(bytes.count <= 4096)
        #expect(body.hasSuffix("…"))
        #expect(text.hasPrefix(body.dropLast()))
        // It is as long as possible: one more character, which has up to 25 bytes here, would not fit.
        #expect(bytes.count > 4096 - 25)
    }

    @Test func `is unchanged if it just fits`() throws {
        let spare = try 4096 - APNsPayload.bytes(of: push(to: "00", text: "")).count
        let fits = String(repeating: "a", count: spare)
        #expect(try APNsPayload.bytes(of: push(to: "00", text: fits)).count == 4096)
        let cut = try JSONDecoder().decode(
            Payload.self, from: Data(APNsPayload.bytes(of: push(to: "00", text: fits + "a"))))
        #expect(cut.aps.alert.body == String(fits.dropLast(3)) + "…")
    }

    @Test func `whose data alone is too long fails permanently`() {
        let data = #"{"type":"\#(String(repeating: "a", count: 5000))"}"#
        #expect {
            try APNsPayload.bytes(of: push(to: "00", data: data))
        } throws: {
            ($0 as? DeliveryError)?.kind == .final
        }
    }
}

@Suite struct `The APNs provider token` {
    private let key: PrivateKey
    private var token: ProviderToken

    init() throws {
        key = try .generate()
        token = ProviderToken(teamID: "TEAM123456", keyID: "KEY1234567", key: key)
    }

    @Test mutating func `contains the team, the key and its time`() throws {
        let text = try token.text(at: 1_800_000_000)
        let parts = text.split(separator: ".").map(String.init)
        func json(_ part: String) -> String? { Base64URL.decode(part).map { String(decoding: $0, as: UTF8.self) } }
        #expect(json(parts[0]) == #"{"alg":"ES256","kid":"KEY1234567","typ":"JWT"}"#)
        #expect(json(parts[1]) == #"{"iat":1800000000,"iss":"TEAM123456"}"#)
        let publicKey = try PublicKey(p256X: Array(key.point[1...32]), y: Array(key.point[33...64]))
        let signature = try #require(Base64URL.decode(parts[2]))
        #expect(publicKey.isValid(signature, for: "\(parts[0]).\(parts[1])".utf8))
    }

    @Test mutating func `is renewed after 40 minutes, and when the clock is set back`() throws {
        let first = try token.text(at: 10_000)
        #expect(try token.text(at: 10_000 + 2399) == first)
        let second = try token.text(at: 10_000 + 2400)
        #expect(second != first)
        #expect(try token.text(at: 12_399) != second)
    }

    @Test mutating func `that has expired is replaced at once, but only once in 20 minutes`() throws {
        let first = try token.text(at: 10_000)
        let second = try #require(try token.replacement(for: first, at: 10_060))
        #expect(second != first)
        #expect(try token.text(at: 10_061) == second)
        // For a message that was sent with the first token.
        #expect(try token.replacement(for: first, at: 10_062) == second)
        #expect(try token.replacement(for: second, at: 10_063) == nil)
        #expect(try token.replacement(for: second, at: 10_060 + 1199) == nil)
        #expect(try token.replacement(for: second, at: 10_060 + 1200) != nil)
    }
}

@Suite struct `An APNs answer` {
    private func verdict(_ status: Int, _ body: String, retryAfter: Duration? = nil) -> DeliveryError? {
        let answer = TransferAnswer(
            status: status, headers: ["apns-id": "n-1"], retryAfter: retryAfter, body: Array(body.utf8))
        return if case .refused(let error) = APNsVerdict(answer) { error } else { nil }
    }

    @Test func `with 200 contains the push's id`() {
        let answer = TransferAnswer(status: 200, headers: ["apns-id": "n-1"], body: [])
        guard case .accepted("n-1") = APNsVerdict(answer) else {
            Issue.record("\(APNsVerdict(answer))")
            return
        }
    }

    @Test func `is reported to an operator without unexpected contents`() {
        #expect(verdict(403, #"{"reason":"Forbidden"}"#)?.description == "APNs: 403 Forbidden")
        #expect(
            verdict(403, #"{"reason":"UnrelatedKeyIdInToken"}"#)?.description
                == "APNs: 403 UnrelatedKeyIdInToken: key_id is not a key of team_id")
        for body in [
            "", "<html>", #"{"reason":7}"#, #"{"reason":"a b\nc"}"#,
            #"{"reason":"\#(String(repeating: "a", count: 51))"}"#,
        ] {
            #expect(verdict(400, body)?.description == "APNs: 400")
            #expect(verdict(400, body)?.kind == .final)
        }
    }

    @Test func `may ask for a later retry`() {
        #expect(
            verdict(429, #"{"reason":"TooManyRequests"}"#, retryAfter: .seconds(7))?.kind == .retry(after: .seconds(7)))
        #expect(verdict(503, "", retryAfter: .seconds(7))?.kind == .retry(after: .seconds(7)))
        #expect(verdict(502, "")?.kind == .retry())
    }
}
