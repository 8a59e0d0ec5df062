import Counterparts
import Foundation
import Glibc
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock, .serialized) struct `Deliveries under faults` {
    @Test func `all arrive when the worker is killed up to 20 times, and repeats are recognisable by id`()
        async throws
    {
        let installation = try Installation()
        let providers = try Providers()
        // The provider is so slow that a worker is killed with most of its requests unanswered, however late the test
        // sees what has arrived.
        try providers.make("texts", behaveAs: "/slow/1.5")
        try installation.sendTexts(of: installation.acme, to: providers.url("/named/texts"))
        // Each worker starts after the previous worker's lease has ended, and after the delay for deliveries that two
        // workers died with. There are so many messages that none is claimed by five workers.
        func instant(_ life: Int) -> String { (Day.start + Double(life) * 130).formatted(.iso8601) }
        try installation.tell(installation.acme, people: 2000, at: instant(0))
        let session = try installation.session()
        let environment = installation.environment.merging(providers.environment) { $1 }
        var arrived = 0
        // On a busy machine one worker may send many messages before it is killed: leave some for the next.
        for life in 0..<20 where arrived < 1500 {
            let worker = try KithProcess(["worker", "--now", instant(life)], environment: environment)
            let enough = arrived + Int.random(in: 5...25)
            arrived = try await providers.sink.waits { $0.count >= enough }.count
            worker.signal(SIGKILL)
            worker.wait()
            // A statement that was running continues without its client.
            let sessions = "select count(*) from pg_stat_activity where application_name = 'kith worker'"
            while try session.query(sessions).int(0, 0) != 0 { try await Task.sleep(for: .milliseconds(10)) }
        }
        let unsettled = try installation.deliveries(of: installation.acme)
        #expect((unsettled["queued"] ?? 0) + (unsettled["sending"] ?? 0) > 0, "it was killed at work: \(unsettled)")
        try providers.make("texts", behaveAs: "/status/200")
        for life in 20..<23 { try installation.deliver(to: providers, at: instant(life)) }

        let messages = try providers.sink.log.compactMap(TextMessage.init)
        let repeats = Dictionary(grouping: messages, by: \.id)
        let times = Dictionary(grouping: repeats.values, by: \.count).mapValues(\.count).sorted { $0.key < $1.key }
        print(
            "2,000 deliveries, 20 kills: \(messages.count) requests; "
                + times.map { "\($0.value) arrived \($0.key) times" }.joined(separator: ", "))
        #expect(repeats.count == 2000, "every message arrived, and a repeat has the same id")
        #expect(Set(messages.map(\.to)).count == 2000)
        #expect(repeats.values.allSatisfy { Set($0.map(\.to)).count == 1 && Set($0.map(\.text)).count == 1 })
        #expect(try installation.deliveries(of: installation.acme) == ["sent": 2000])
        let told = try session.query("select count(*) from kith.notifications where delivery_status = 'sent'")
        #expect(told.int(0, 0) == 2000)
        // At most the messages in flight when a worker died are repeated: 20 kills, each with at most 50 in flight.
        #expect(messages.count <= 2000 + 20 * 50)
    }

    @Test func `by three concurrent workers send each message once`() async throws {
        let installation = try Installation()
        let providers = try Providers()
        try installation.sendTexts(of: installation.acme, to: providers.url("/status/200"))
        try installation.tell(installation.acme, people: 500, at: Day.instant(-1))
        let environment = installation.environment.merging(providers.environment) { $1 }
        let workers = try (0..<3).map { _ in try KithProcess(["worker", "--once"], environment: environment) }
        for worker in workers { #expect(worker.wait() == 0, "\(worker.standardError)") }
        try installation.deliver(to: providers)
        let messages = try providers.sink.log.compactMap(TextMessage.init)
        #expect(messages.count == 500)
        #expect(Set(messages.map(\.id)).count == 500)
    }

    @Test func `of one tenant whose provider never answers delay no other tenant`() async throws {
        let installation = try Installation()
        let providers = try Providers()
        try installation.sendTexts(of: installation.globex, to: providers.url("/never"))
        try installation.sendTexts(of: installation.acme, to: providers.url("/status/200"))
        // globex's messages are older, and there are more of them.
        try installation.tell(installation.globex, people: 500, at: Day.instant(-60), numbers: "+4915200")
        try installation.tell(installation.acme, people: 200, at: Day.instant(-1))
        let worker = try KithProcess(
            ["worker"], environment: installation.environment.merging(providers.environment) { $1 })
        defer { worker.signal(SIGKILL) }
        _ = try await providers.sink.waits { log in log.count { $0["path"] as? String == "/status/200" } == 200 }
        // Tenants whose providers are not known to be quick never hold more than half of the channel's 50 places.
        #expect(try installation.deliveries(of: installation.globex)["sending", default: 0] <= 25)
        // The circuit breaker opens, and the log tells the operator why.
        _ = try worker.waitForLog("a provider accepts no messages", seconds: 60)
        var why: String?
        while why == nil {
            try await Task.sleep(for: .milliseconds(20))
            why = try installation.session().query(
                "select error from admin.channels where tenant = 'globex' and channel = 'sms'"
            ).string(0, 0)
        }
        let doctor = try KithProcess.run(["doctor"], environment: installation.home)
        #expect(doctor.output.contains("WRONG  sms of globex: "), "\(doctor.output)")
        worker.signal(SIGTERM)
        #expect(worker.wait() == 0)
    }

    @Test func `continue when the worker's database returns, and none is sent again once its result is recorded`()
        async throws
    {
        let installation = try Installation(fsync: true)
        let providers = try Providers()
        try installation.sendTexts(of: installation.acme, to: providers.url("/slow/0.02"))
        try installation.tell(installation.acme, people: 300, at: Day.instant(-1))
        let worker = try KithProcess(
            ["worker"], environment: installation.environment.merging(providers.environment) { $1 })
        defer { worker.signal(SIGKILL) }
        _ = try await providers.sink.waits { $0.count >= 60 }
        kill(try #require(installation.postgres.server.processID), SIGKILL)
        try await Task.sleep(for: .milliseconds(300))
        try installation.postgres.server.start()
        var sent = 0
        while sent < 300 {
            try await Task.sleep(for: .milliseconds(50))
            sent = (try? installation.deliveries(of: installation.acme)["sent"]) ?? 0
        }
        // The worker records the results of messages that it sent meanwhile: it kept them in memory.
        let ids = try providers.sink.log.compactMap(TextMessage.init).map(\.id)
        print("PostgreSQL killed: 300 deliveries, \(ids.count) requests")
        #expect(Set(ids).count == 300)
    }
}
