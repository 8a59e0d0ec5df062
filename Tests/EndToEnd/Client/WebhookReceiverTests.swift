import Counterparts
import Foundation
import KithClient
import KithServer
import TestThreads
import Testing

/// A tenant's server that receives what a real worker delivers.
@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `A receiver of webhooks` {
    @Test func `knows the requests of a worker by either secret after a rotation, and reads a deleted account`()
        async throws
    {
        let installation = try Installation()
        let providers = try Providers()
        let (process, client) = try installation.serve()
        defer { process.signal(SIGTERM) }
        let server = KithServer(server: client.base, tenant: "acme", secretKey: installation.acme.secretKey)
        let old = try await server.createWebhook(.init(url: providers.url("/status/204")))
        let new = try await server.rotateWebhookSecret(webhookID: old.id)
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        try await alice.becomeSender()
        let connection = try await alice.connect(bob.becomeReceiver().code)
        try await server.deleteUser(id: alice.id)

        let worker = try KithProcess(
            ["worker"], environment: installation.environment.merging(providers.environment) { $1 })
        defer { worker.signal(SIGKILL) }
        let webhook = try KithWebhook(secrets: [new.secret])
        var events: [Kith.WebhookEvent] = []
        _ = try await providers.sink.waits { log in
            events = Self.deliveries(log).flatMap { delivery in
                let batch = try? webhook.batch(in: delivery.body, at: Day.now) { delivery.headers[$0] }
                return batch?.data.events ?? []
            }
            return events.contains { event in
                guard case .account(let event) = event, case .gone(let gone) = event.data else { return false }
                return event.userID == nil && gone.id == alice.id
            }
        }
        #expect(
            events.contains { event in
                guard case .connection(let event) = event else { return false }
                return event.userID == bob.id && event.data != nil
            }, "\(connection.id)")
        for event in events {
            if case .unknown(let event) = event { Issue.record("the library does not know \(event)") }
        }

        let deliveries = Self.deliveries(try providers.sink.log)
        #expect(!deliveries.isEmpty)
        for (headers, body) in deliveries {
            for secret in [old.secret, new.secret] {
                let webhook = try KithWebhook(secrets: [secret])
                try webhook.check(body, at: Day.now) { headers[$0] }
                #expect(throws: KithWebhook.Failure.wrongSignature) {
                    try webhook.check(body + Data(" ".utf8), at: Day.now) { headers[$0] }
                }
            }
            let other = try KithWebhook(secrets: ["whsec_\(Data(repeating: 7, count: 32).base64EncodedString())"])
            #expect(throws: KithWebhook.Failure.wrongSignature) {
                try other.check(body, at: Day.now) { headers[$0] }
            }
        }
    }

    @Test func `belongs to one tenant: the key of another is refused`() async throws {
        let (installation, _, client) = try shared.get()
        let mallory = KithServer(server: client.base, tenant: "acme", secretKey: installation.globex.secretKey)
        let problem = await #expect(throws: KithProblem.self) { try await mallory.getTenant() }
        #expect(problem?.status == 400 || problem?.status == 401, "\(String(describing: problem))")
        let globex = KithServer(server: client.base, tenant: "globex", secretKey: installation.globex.secretKey)
        #expect(try await globex.getTenant().slug == "globex")
    }

    /// The requests of Kith in a log, whose bodies have one character for each byte.
    private static func deliveries(_ log: [[String: Any]]) -> [(headers: [String: String], body: Data)] {
        log.compactMap { request in
            guard let headers = request["headers"] as? [String: String], headers["webhook-id"] != nil,
                let body = (request["body"] as? String)?.data(using: .isoLatin1)
            else { return nil }
            return (headers, body)
        }
    }
}
