import Foundation
import Testing

@testable import KithServer

@Suite struct `The check of a webhook` {
    /// The example of Standard Webhooks.
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let body = Data(#"{"test": 2432232314}"#.utf8)
    private static let sent = Date(timeIntervalSince1970: 1_614_265_330)
    private static let headers = [
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ]

    private func failure(
        secrets: [String] = [secret], body: Data = body, at now: Date = sent, _ changes: [String: String?] = [:]
    ) -> KithWebhook.Failure? {
        let headers = Self.headers.merging(changes.compactMapValues { $0 }) { $1 }
            .filter { name, _ in changes[name] != .some(nil) }
        do {
            try KithWebhook(secrets: secrets).check(body, at: now) { headers[$0] }
            return nil
        } catch {
            return error
        }
    }

    @Test func `takes the standard's example`() throws {
        #expect(failure() == nil)
        #expect(try KithWebhook(secrets: [Self.secret]).id { Self.headers[$0] } == "msg_p5jXN8AQM9LWM0D4loKWxJek")
    }

    @Test func `refuses a request of which anything was changed`() {
        #expect(failure(body: Data(#"{"test": 2432232315}"#.utf8)) == .wrongSignature)
        #expect(failure(body: Data()) == .wrongSignature)
        #expect(failure(["webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJel"]) == .wrongSignature)
        #expect(failure(["webhook-timestamp": "1614265331"]) == .wrongSignature)
        // The same number in another form was not signed.
        #expect(failure(["webhook-timestamp": "01614265330"]) == .wrongSignature)
        #expect(failure(secrets: ["whsec_\(Data(repeating: 7, count: 24).base64EncodedString())"]) == .wrongSignature)
    }

    @Test(
        arguments: [
            "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "v1,",
            "v1,!", "v1,g0hM", "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            "v1,h0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OI=",
        ])
    func `refuses what is no signature of the request`(signature: String) {
        #expect(failure(["webhook-signature": signature]) == .wrongSignature)
    }

    @Test(arguments: ["webhook-id", "webhook-timestamp", "webhook-signature"])
    func `names the header that a request lacks`(name: String) {
        #expect(failure([name: nil]) == .missingHeader(name))
        #expect(failure([name: ""]) == .missingHeader(name))
    }

    @Test func `names a time that it cannot read`() {
        #expect(failure(["webhook-timestamp": "yesterday"]) == .missingHeader("webhook-timestamp"))
    }

    @Test func `goes by the caller's clock`() {
        for seconds in [-300.0, 0, 300] { #expect(failure(at: Self.sent + seconds) == nil) }
        for seconds in [-301.0, 301, 86400] { #expect(failure(at: Self.sent + seconds) == .wrongTime(seconds)) }
        // Whoever cannot sign does not learn the time.
        #expect(failure(body: Data(), at: Self.sent + 301) == .wrongSignature)
    }

    @Test func `reads the events beside one that it cannot read`() throws {
        let text = #"[{"type":"alarm_undelivered","data":7},{"type":"of_next_year"},{"type":"alarm"}]"#
        let events = try Kith.decoder().decode([Kith.WebhookEvent].self, from: Data(text.utf8))
        let types = events.map { event -> String? in
            if case .unknown(let json) = event { return json["type"]?.string }
            return nil
        }
        #expect(types == ["alarm_undelivered", "of_next_year", "alarm"])
    }

    @Test func `shows its secrets to no log`() throws {
        let webhook = try KithWebhook(secrets: [Self.secret])
        let url = try #require(URL(string: "https://kith.example"))
        let server = KithServer(server: url, tenant: "acme", secretKey: "kith_sk_of_acme")
        for text in ["\(webhook)", String(reflecting: webhook), "\(server)", String(reflecting: server)] {
            #expect(text == "KithWebhook" || text == "KithServer", "\(text)")
        }
        for value in [webhook, server] as [Any] {
            var text = ""
            dump(value, to: &text)
            #expect(!text.contains("kith_sk") && !text.contains("keys") && !text.contains("caller"), "\(text)")
        }
    }

    @Test func `takes any of several signatures by any of several secrets`() throws {
        let other = "whsec_\(Data(repeating: 7, count: 32).base64EncodedString())"
        let signature = try #require(Self.headers["webhook-signature"])
        #expect(failure(secrets: [other, Self.secret]) == nil)
        #expect(
            failure(["webhook-signature": "v1,\(Data(repeating: 1, count: 32).base64EncodedString()) \(signature)"])
                == nil)
        #expect(failure(["webhook-signature": "v2,x \(signature) v1,"]) == nil)
    }

    @Test(arguments: [
        "", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!",
        "whsec_\(Data(repeating: 1, count: 23).base64EncodedString())",
        "whsec_\(Data(repeating: 1, count: 65).base64EncodedString())",
    ])
    func `knows what is no secret`(text: String) {
        #expect(throws: KithWebhook.Failure.malformedSecret) { try KithWebhook(secrets: [text]) }
        #expect(throws: KithWebhook.Failure.malformedSecret) { try KithWebhook(secrets: [Self.secret, text]) }
    }

    @Test func `needs a secret`() {
        #expect(throws: KithWebhook.Failure.malformedSecret) { try KithWebhook(secrets: []) }
    }

    @Test func `tells a body that it cannot read from one of somebody else`() throws {
        let webhook = try KithWebhook(secrets: [Self.secret])
        #expect(throws: KithWebhook.Failure.unreadable) {
            try webhook.batch(in: Self.body, at: Self.sent) { Self.headers[$0] }
        }
    }

    /// The cases of RFC 4231 whose codes are not shortened; the last two have keys longer than a block.
    @Test func `computes the codes of RFC 4231`() {
        let cases: [(key: [UInt8], text: [UInt8], code: String)] = [
            (
                [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                Array(
                    """
                    This is a test using a larger than block-size key and a larger than block-size data. The key needs \
                    to be hashed before being used by the HMAC algorithm.
                    """.utf8),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ]
        for (key, text, code) in cases {
            let bytes = HMAC.sha256(Data(text), key: key)
            #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == code)
        }
    }

    @Test func `compares codes of any length`() {
        #expect(HMAC.isEqual([1, 2], [1, 2]))
        #expect(!HMAC.isEqual([1, 2], [1, 3]))
        #expect(!HMAC.isEqual([1, 2], [3, 2]))
        #expect(!HMAC.isEqual([1, 2], [1]))
        #expect(!HMAC.isEqual([], [1]))
    }
}
