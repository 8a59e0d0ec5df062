import Counterparts
import Crypto
import Foundation
import Testing

@testable import Delivery

/// A push service with its browser, and a tenant's settings.
private struct Browser {
    static let shared = Result { try Browser() }

    let server: Counterpart
    let settings: WebPushSettings
    let keys: WebPushKeys

    init() throws {
        server = try Counterpart("web_push", ["--certificate", Servers.certificate.get().pathWithKey])
        var reader = try SettingsReader(settingsJSON(["subject": "mailto:ops@acme.example"]))
        settings = try WebPushSettings(&reader)
        var first: [String: Any]?
        while first == nil { first = try server.log.first }
        keys = WebPushKeys(
            p256dh: try #require(first?["p256dh"] as? String), auth: try #require(first?["auth"] as? String))
    }

    /// The endpoint of a new subscription; the service answers its messages as `script` says.
    func endpoint(_ script: String = "", publicKey: String? = nil) -> String {
        let script = Hex.encode(
            Array((script.isEmpty ? "" : script + ",").utf8) + Array("201 mark=\(Int.random(in: 0..<1 << 40))".utf8))
        return "https://127.0.0.1:\(server.port)/push/\(publicKey ?? settings.publicKey)/\(script)"
    }

    func requests(of message: Message) throws -> [[String: Any]] {
        try server.log.filter { ($0["path"] as? String).map { message.address.hasSuffix($0) } == true }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A browser's subscription` {
    private func send(_ message: Message) async throws -> Result<String?, DeliveryError> {
        let settings = try Browser.shared.get().settings
        return try await withTransfers { transfers in
            let channel = WebPushChannel(settings, over: transfers)
            do throws(DeliveryError) { return .success(try await channel.send(message)) } catch {
                return .failure(error)
            }
        }
    }

    private func message(
        to address: String, text: String = "Let your receivers know you're safe.", collapseID: String? = nil,
        isUrgent: Bool = true, expiresAt: Int64? = nil
    ) throws -> Message {
        push(
            to: address, channel: "web_push", text: text, collapseID: collapseID, isUrgent: isUrgent,
            expiresAt: expiresAt,
            keys: try Browser.shared.get().keys, environment: nil)
    }

    @Test func `gets messages that only the browser can decrypt`() async throws {
        let browser = try Browser.shared.get()
        let expiresAt = Int64(Date().timeIntervalSince1970) + 3600
        let message = try message(to: browser.endpoint(), collapseID: "ping-1", expiresAt: expiresAt * 1_000_000)
        let id = try #require(try await send(message).get())
        #expect(id.hasPrefix("https://127.0.0.1:\(browser.server.port)/message/"))
        let request = try #require(try browser.requests(of: message).first)
        let payload = try #require(request["payload"] as? [String: Any])
        #expect(payload["title"] as? String == "Time to Check In")
        #expect(payload["body"] as? String == "Let your receivers know you're safe.")
        #expect((payload["data"] as? [String: String])?["notification_id"] == "n-1")
        let headers = try #require(request["headers"] as? [String: String])
        #expect(headers["urgency"] == "high")
        #expect((3000...3600).contains(headers["ttl"].flatMap { Int($0) } ?? 0))
        #expect(headers["topic"] == String(Base64URL.encode(sha256("ping-1".utf8)).prefix(32)))
    }

    @Test func `gets a message that can wait with normal urgency and a TTL of 28 days`() async throws {
        let browser = try Browser.shared.get()
        let patient = try message(to: browser.endpoint(), isUrgent: false)
        let late = try message(to: browser.endpoint(), expiresAt: 1)
        for message in [patient, late] { _ = try await send(message).get() }
        func headers(_ message: Message) throws -> [String: String]? {
            try browser.requests(of: message).first?["headers"] as? [String: String]
        }
        #expect(try headers(patient)?["urgency"] == "normal")
        #expect(try headers(patient)?["ttl"] == "2419200")
        #expect(try headers(patient)?["topic"] == nil)
        #expect(try headers(late)?["ttl"] == "0")
    }

    @Test func `gets a long text shortened to 4096 bytes, which every service must accept`() async throws {
        let browser = try Browser.shared.get()
        let message = try message(to: browser.endpoint(), text: String(repeating: "é\"", count: 3000))
        _ = try await send(message).get()
        let request = try #require(try browser.requests(of: message).first)
        #expect(request["size"] as? Int == 4096)
        #expect(((request["payload"] as? [String: Any])?["body"] as? String)?.hasSuffix("…") == true)
    }

    @Test(
        arguments: [
            ("404", DeliveryError.Kind.gone), ("410", .gone), ("413", .final), ("400", .final), ("307", .final),
            ("401", .retry()), ("403", .retry()), ("406 after=9", .retry(after: .seconds(9))),
            ("429 after=9", .retry(after: .seconds(9))), ("500", .retry()), ("503", .retry()),
        ])
    func `may be refused by the push service`(script: String, kind: DeliveryError.Kind) async throws {
        let message = try message(to: Browser.shared.get().endpoint(script))
        guard case .failure(let error) = try await send(message) else {
            Issue.record("the message was accepted")
            return
        }
        #expect(error.kind == kind)
        _ = try await send(message).get()
    }

    @Test func `accepts no other key than it was made with`() async throws {
        let browser = try Browser.shared.get()
        let other = Base64URL.encode(try PrivateKey.generate().point)
        guard case .failure(let error) = try await send(message(to: browser.endpoint(publicKey: other))) else {
            Issue.record("the message was accepted")
            return
        }
        #expect(error == DeliveryError("Web Push: 403, the VAPID token was refused", concernsMessageAlone: true))
    }

    @Test func `without a valid endpoint or keys is deleted`() async throws {
        let browser = try Browser.shared.get()
        let addresses = ["", "abc", "http://push.example/", "https://user@push.example/"]
        for address in addresses {
            #expect(
                try await send(message(to: address))
                    == .failure(DeliveryError("Web Push: the device's endpoint is not an https URL", .gone)))
        }
        for keys in [nil, WebPushKeys(p256dh: "AAAA", auth: "AAAA")] {
            let message = push(to: browser.endpoint(), channel: "web_push", keys: keys)
            #expect(
                try await send(message)
                    == .failure(DeliveryError("Web Push: the device's keys are not a subscription's", .gone)))
        }
    }

    @Test func `whose endpoint is in our own network is not contacted`() async throws {
        let browser = try Browser.shared.get()
        let message = try message(to: browser.endpoint())
        let error = try await withTransfers(OutboundRules(certificates: Servers.certificate.get().path)) { transfers in
            await #expect(throws: DeliveryError.self) {
                try await WebPushChannel(browser.settings, over: transfers).send(message)
            }
        }
        #expect(error?.kind == .retry())
        #expect(try browser.requests(of: message).isEmpty)
    }

    @Test func `shares one connection with many others`() async throws {
        let browser = try Browser()
        try await withTransfers { transfers in
            let channel = WebPushChannel(browser.settings, over: transfers)
            try await withThrowingTaskGroup { group in
                for _ in 0..<100 {
                    let message = push(to: browser.endpoint("201 wait=0.2"), channel: "web_push", keys: browser.keys)
                    group.addTask { try await channel.send(message) }
                }
                try await group.waitForAll()
            }
        }
        let log = try browser.server.log.dropFirst()
        #expect(log.count == 100)
        #expect(Set(log.compactMap { $0["connection"] as? Int }) == [1])
    }
}
