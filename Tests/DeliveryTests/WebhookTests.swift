import Counterparts
import Crypto
import Foundation
import Testing

@testable import Delivery

@Suite(.timeLimit(.minutes(5))) struct `A webhook` {
    @Test func `is signed as in the standard's example`() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let headers = WebhookSignature.headers(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8),
            secrets: [secret])
        #expect(headers.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(
            headers.map(\.value) == [
                "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ])
    }

    @Test func `has secrets of 24 to 64 bytes with one text form`() {
        let secret = WebhookSecret.generate()
        #expect(secret.bytes.count == 32)
        #expect(WebhookSecret(secret.text) == secret)
        #expect(secret != .generate())
        for count in [0, 23, 65] {
            #expect(WebhookSecret("whsec_\(Data(repeating: 1, count: count).base64EncodedString())") == nil)
        }
        for count in [24, 64] {
            #expect(WebhookSecret("whsec_\(Data(repeating: 1, count: count).base64EncodedString())") != nil)
        }
        for text in ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!"] {
            #expect(WebhookSecret(text) == nil, "\(text)")
        }
    }

    @Test func `carries a signature for each secret, over the exact body`() async throws {
        let id = UUID().uuidString
        let url = try Servers.sink("/status/204")
        let secrets = [WebhookSecret.generate(), .generate()]
        let body = #"{"type":"events","text":"Grüße"}"#
        try await withTransfers { transfers in
            try await WebhookSender(transfers).send(
                url, id: id, body: Array(body.utf8), secrets: secrets, at: 1_700_000_000_999_999)
        }
        let request = try #require(
            try Servers.sink.get().log.last { ($0["headers"] as? [String: String])?["webhook-id"] == id })
        let headers = try #require(request["headers"] as? [String: String])
        // The log has one character per byte.
        let arrived = try #require((request["body"] as? String)?.data(using: .isoLatin1))
        #expect(arrived == Data(body.utf8))
        #expect(headers["webhook-timestamp"] == "1700000000")
        #expect(headers["content-type"] == "application/json")
        let signed = Array("\(id).1700000000.".utf8) + arrived
        let expected = try secrets.map {
            "v1,\(Data(try HMACKey($0.bytes).authenticationCode(for: signed)).base64EncodedString())"
        }
        #expect(headers["webhook-signature"] == expected.joined(separator: " "))
    }

    @Test(
        arguments: [
            ("/status/200", nil), ("/status/204", nil), ("/huge", nil), ("/status/410", .gone),
            ("/status/400", .retry()), ("/status/404", .retry()), ("/status/500", .retry()), ("/redirect/x", .retry()),
            ("/retry-after/7/429", .retry(after: .seconds(7))),
            ("/retry-after/99999999/503", .retry(after: .seconds(86400))),
            ("/reset", .retry()), ("/half", .retry()),
        ] as [(String, DeliveryError.Kind?)])
    func `is sent, retried, or ends its endpoint`(_ path: String, _ kind: DeliveryError.Kind?) async throws {
        let url = try Servers.sink(path)
        let error = try await withTransfers { await Self.send(to: url, by: $0) }
        #expect(error?.kind == kind)
        #expect(error?.description.contains("{}") != true)
    }

    @Test func `is retried if its address is not allowed`() async throws {
        for url in ["https://10.0.0.1/", "no address"] {
            let error = try await withTransfers { await Self.send(to: url, by: $0) }
            #expect(error?.kind == .retry())
        }
    }

    private static func send(to url: String, by transfers: Transfers) async -> DeliveryError? {
        do throws(DeliveryError) {
            try await WebhookSender(transfers).send(url, id: "x", body: [], secrets: [.generate()], at: 0)
            return nil
        } catch {
            return error
        }
    }
}
