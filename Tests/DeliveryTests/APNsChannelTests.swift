import Counterparts
import Crypto
import EventLoop
import Foundation
import Testing

@testable import Delivery

/// A stand-in for Apple's service that knows two keys of one team and one key of another.
private struct Apple {
    static let shared = Result { try Apple() }

    let server: Counterpart
    let settings: [APNsSettings]

    init() throws {
        var settings: [APNsSettings] = []
        var known: [String: [String: Any]] = [:]
        for (team, keyID) in [("ACMETEAM01", "ACMEKEY001"), ("ACMETEAM01", "ACMEKEY002"), ("GLOBEXTEAM", "GLOBEXKEY1")]
        {
            let key = try PrivateKey.generate()
            var reader = try SettingsReader(
                settingsJSON(["team_id": team, "key_id": keyID, "topic": "example.app", "private_key": key.pem]))
            settings.append(try APNsSettings(&reader))
            let pem = try PublicKey(p256X: Array(key.point[1...32]), y: Array(key.point[33...64])).pem
            known[keyID] = ["team": team, "pem": pem, "topics": ["example.app"]]
        }
        self.settings = settings
        let keys = String(decoding: try JSONSerialization.data(withJSONObject: known), as: UTF8.self)
        server = try Counterpart("apns", ["--certificate", Servers.certificate.get().pathWithKey, "--keys", keys])
    }

    var url: String { "https://127.0.0.1:\(server.port)" }

    /// A new server whose connections belong to one test.
    static func new() throws -> Apple { try Apple() }
}

/// A unique device token whose pushes APNs answers as `script` says.
private func device(_ script: String = "") -> String {
    Hex.encode(Array((script.isEmpty ? "" : script + ",").utf8) + Array("200 mark=\(Int.random(in: 0..<1 << 40))".utf8))
}

/// A clock that a test sets.
private final class Clock: @unchecked Sendable {
    /// Set and read on the loop's thread only.
    var now = Int(Date().timeIntervalSince1970)
}

@Suite(.timeLimit(.minutes(5))) struct `APNs` {
    private func send(
        _ message: Message, settings: Int = 0, clock: Clock = Clock()
    ) async throws -> Result<String?, DeliveryError> {
        let apple = try Apple.shared.get()
        return try await withTransfers { transfers in
            let channel = APNsChannel(
                apple.settings[settings], over: transfers, server: apple.url, clock: { clock.now })
            do throws(DeliveryError) { return .success(try await channel.send(message)) } catch {
                return .failure(error)
            }
        }
    }

    private func requests(of message: Message) throws -> [[String: Any]] {
        try Apple.shared.get().server.log.filter { ($0["path"] as? String)?.hasSuffix("/\(message.address)") == true }
    }

    @Test func `gets a push with every header that Apple requires`() async throws {
        let message = push(
            to: device(), collapseID: "ping-1", expiresAt: 1_900_000_000_500_000, environment: "sandbox")
        #expect(try await send(message) == .success(message.id))
        let request = try #require(try requests(of: message).first)
        let headers = try #require(request["headers"] as? [String: String])
        #expect(headers["apns-id"] == message.id)
        #expect(headers["apns-topic"] == "example.app")
        #expect(headers["apns-push-type"] == "alert")
        #expect(headers["apns-priority"] == "10")
        #expect(headers["apns-expiration"] == "1900000000")
        #expect(headers["apns-collapse-id"] == "ping-1")
        let payload = try #require(request["payload"] as? [String: Any])
        #expect((payload["kith"] as? [String: String])?["notification_id"] == "n-1")

        let patient = push(to: device(), isUrgent: false)
        #expect(try await send(patient) == .success(patient.id))
        let fewer = try #require(try requests(of: patient).first?["headers"] as? [String: String])
        #expect(fewer["apns-priority"] == "5")
        #expect(fewer["apns-expiration"] == nil)
        #expect(fewer["apns-collapse-id"] == nil)
    }

    /// Apple's table of answers, "Handling notification responses from APNs".
    private static let table: [(Int, String, DeliveryError.Kind)] = [
        (400, "BadCollapseId", .final), (400, "BadDeviceToken", .gone), (400, "BadExpirationDate", .final),
        (400, "BadMessageId", .final), (400, "BadPriority", .final), (400, "BadTopic", .retry()),
        (400, "DeviceTokenNotForTopic", .final), (400, "DuplicateHeaders", .final), (400, "IdleTimeout", .retry()),
        (400, "InvalidPushType", .final), (400, "MissingDeviceToken", .final), (400, "MissingTopic", .final),
        (400, "PayloadEmpty", .final), (400, "TopicDisallowed", .retry()), (403, "BadCertificate", .retry()),
        (403, "BadCertificateEnvironment", .retry()), (403, "Forbidden", .final),
        (403, "InvalidProviderToken", .retry()),
        (403, "MissingProviderToken", .retry()), (403, "UnrelatedKeyIdInToken", .retry()),
        (403, "BadEnvironmentKeyIdInToken", .retry()), (404, "BadPath", .final), (405, "MethodNotAllowed", .final),
        (410, "ExpiredToken", .gone), (410, "Unregistered", .gone), (413, "PayloadTooLarge", .final),
        (429, "TooManyProviderTokenUpdates", .retry()), (429, "TooManyRequests", .retry()),
        (500, "InternalServerError", .retry()), (503, "ServiceUnavailable", .retry()), (503, "Shutdown", .retry()),
    ]

    @Test(arguments: table) func `explains each refusal of a push`(
        status: Int, reason: String, kind: DeliveryError.Kind
    ) async throws {
        let message = push(to: device("\(status) \(reason)"))
        guard case .failure(let error) = try await send(message) else {
            Issue.record("the push was accepted")
            return
        }
        #expect(error.kind == kind)
        #expect(error.description.hasPrefix("APNs: \(status) \(reason)"))
        // The second attempt has the same id.
        #expect(try await send(message) == .success(message.id))
    }

    @Test func `can ask for a later retry`() async throws {
        for answer in ["429 TooManyRequests", "503 ServiceUnavailable"] {
            guard case .failure(let error) = try await send(push(to: device("\(answer) after=17"))) else {
                Issue.record("the push was accepted")
                continue
            }
            #expect(error.kind == .retry(after: .seconds(17)))
        }
    }

    @Test func `gets a new token and the push again if the token has expired`() async throws {
        let message = push(to: device("403 ExpiredProviderToken"))
        #expect(try await send(message) == .success(message.id))
        #expect(try requests(of: message).map { $0["status"] as? Int } == [403, 200])
    }

    @Test func `rejects every token while this machine's clock is wrong`() async throws {
        // Two hours behind: the token is too old when it arrives, and so is a new one.
        let clock = Clock()
        clock.now -= 7200
        let message = push(to: device())
        guard case .failure(let error) = try await send(message, clock: clock) else {
            Issue.record("the push was accepted")
            return
        }
        #expect(error == APNsVerdict.expired)
        #expect(error.kind == .retry())
        #expect(error.description == "APNs: 403 ExpiredProviderToken: is this machine's clock right?")
    }

    @Test func `gets a new token every 40 minutes on the same connection`() async throws {
        let apple = try Apple.new()
        let clock = Clock()
        clock.now -= 2400
        try await withTransfers { transfers in
            let channel = APNsChannel(apple.settings[0], over: transfers, server: apple.url, clock: { clock.now })
            for _ in 0..<3 { try await channel.send(push(to: device())) }
            clock.now += 2400
            for _ in 0..<3 { try await channel.send(push(to: device())) }
        }
        let log = try apple.server.log
        #expect(log.count == 6)
        #expect(Set(log.compactMap { $0["connection"] as? Int }) == [1])
        #expect(
            log.map { $0["token"] as? String }.reduce(into: [String?]()) { if $0.last != $1 { $0.append($1) } }.count
                == 2)
    }

    @Test func `refuses a key that does not belong to the tenant`() async throws {
        let apple = try Apple.shared.get()
        var reader = try SettingsReader(
            settingsJSON([
                "team_id": "ACMETEAM01", "key_id": "ACMEKEY001", "topic": "example.app",
                "private_key": try PrivateKey.generate().pem,
            ]))
        let wrong = try APNsSettings(&reader)
        let error = try await withTransfers { transfers in
            await #expect(throws: DeliveryError.self) {
                try await APNsChannel(wrong, over: transfers, server: apple.url).send(push(to: device()))
            }
        }
        #expect(error?.kind == .retry())
        #expect(error?.description.contains("do not belong together") == true)
    }

    @Test func `is not asked about an invalid device token`() async throws {
        for address in ["", "abc", "../device", "00/11", "00?x", "zz", String(repeating: "00", count: 101)] {
            let message = push(to: address)
            guard case .failure(let error) = try await send(message) else {
                Issue.record("the push was accepted")
                continue
            }
            #expect(error.kind == .gone)
        }
    }

    @Test func `accepts a hundred pushes at once on one connection`() async throws {
        let apple = try Apple.new()
        try await withTransfers { transfers in
            let channel = APNsChannel(apple.settings[0], over: transfers, server: apple.url)
            try await withThrowingTaskGroup { group in
                for _ in 0..<100 {
                    group.addTask { try await channel.send(push(to: device("200 wait=1"))) }
                }
                try await group.waitForAll()
            }
        }
        let log = try apple.server.log
        #expect(log.count == 100)
        #expect(log.allSatisfy { $0["status"] as? Int == 200 })
        #expect(Set(log.compactMap { $0["connection"] as? Int }) == [1])
        // The pushes overlap.
        #expect(log.compactMap { $0["under_way"] as? Int }.max() ?? 0 > 10)
    }

    @Test func `accepts further pushes after many that failed or were cancelled`() async throws {
        let apple = try Apple.new()
        let scripts = [
            "200", "200 wait=0.1", "200 trick=reset", "200 trick=silent", "503 wait=0.05", "200 trick=goaway",
        ]
        let ended = try await withTransfers { transfers in
            let channel = APNsChannel(apple.settings[0], over: transfers, server: apple.url, timeout: .seconds(10))
            let ended = await withTaskGroup(of: Int.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let sending = Task(executorPreference: transfers.loop) {
                            _ = try? await channel.send(push(to: device(scripts[number % 50 % scripts.count])))
                        }
                        try? await transfers.loop.sleep(for: .microseconds(number * 1733 % 400_000))
                        if number % 3 == 0 { sending.cancel() }
                        await sending.value
                        return 1
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(transfers.count == 0)
            // Each is accepted; otherwise this throws.
            for _ in 0..<10 { try await channel.send(push(to: device())) }
            return ended
        }
        #expect(ended == 300)
    }

    @Test func `gets each tenant's tokens on a connection of its own`() async throws {
        let apple = try Apple.new()
        try await withTransfers { transfers in
            // Two keys of one team, another team's key, and the first one again: two tenants may share a key, and each
            // has its own token.
            let channels = (apple.settings + apple.settings.prefix(1)).map {
                APNsChannel($0, over: transfers, server: apple.url)
            }
            for channel in channels + channels { try await channel.send(push(to: device())) }
        }
        let log = try apple.server.log
        #expect(log.map { $0["status"] as? Int } == Array(repeating: 200, count: 8))
        #expect(log.map { $0["connection"] as? Int } == [1, 2, 3, 4, 1, 2, 3, 4])
    }

    @Test(arguments: ["close", "reset"]) func `may close a connection in the middle, and accepts the push on the retry`(
        trick: String
    ) async throws {
        let message = push(to: device("200 trick=\(trick)"))
        guard case .failure(let error) = try await send(message) else {
            Issue.record("the push was accepted")
            return
        }
        #expect(error.kind == .retry())
        #expect(try await send(message) == .success(message.id))
    }

    @Test func `closes a connection with GOAWAY, and gets later pushes on another`() async throws {
        let apple = try Apple.new()
        try await withTransfers { transfers in
            let channel = APNsChannel(apple.settings[0], over: transfers, server: apple.url)
            try await channel.send(push(to: device("200 trick=goaway")))
            for _ in 0..<3 { try await channel.send(push(to: device())) }
        }
        let log = try apple.server.log
        #expect(log.map { $0["connection"] as? Int } == [1, 2, 2, 2])
    }

    @Test func `gets later pushes on another connection if an answer does not arrive`() async throws {
        let apple = try Apple.new()
        let error = try await withTransfers { transfers in
            let channel = APNsChannel(
                apple.settings[0], over: transfers, server: apple.url, timeout: .seconds(10))
            let error = await #expect(throws: DeliveryError.self) {
                try await channel.send(push(to: device("200 trick=silent")))
            }
            for _ in 0..<3 { try await channel.send(push(to: device())) }
            return error
        }
        #expect(error == DeliveryError(.noAnswer))
        #expect(error?.kind == .retry())
        #expect(try apple.server.log.map { $0["connection"] as? Int } == [1, 2, 2, 2])
    }

    @Test(
        arguments: [
            ("sandbox", "https://api.sandbox.push.apple.com/3/device/00"),
            ("production", "https://api.push.apple.com/3/device/00"), (nil, "https://api.push.apple.com/3/device/00"),
        ])
    func `has two servers, for production and for sandbox devices`(environment: String?, url: String) async throws {
        let apple = try Apple.shared.get()
        let chosen = try await withTransfers { transfers in
            try APNsChannel(apple.settings[0], over: transfers)
                .transfer(of: push(to: "00", environment: environment), [], "token").url
        }
        #expect(chosen == url)
    }
}
