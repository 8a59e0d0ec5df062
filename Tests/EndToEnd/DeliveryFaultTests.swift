import Counterparts
import Foundation
import Glibc
import LocalPostgres
import Postgres
import Testing

@Suite(.serialized) struct `Deliveries under faults` {
    @Test func `of 2,000 every one arrives although the worker is killed up to 20 times, and repeats can be told`()
        async throws
    {
        let installation = try Installation()
        let providers = try Providers()
        // So slow that a worker is killed with most of what it has sent unanswered, however late the test sees what has arrived.
        try providers.make("texts", behaveAs: "/slow/1.5")
        try installation.sendTexts(of: installation.acme, to: providers.url("/named/texts"))
        // Each worker comes when the lease of the one before is over, and the time for which what has had two die waits beside it. There are so
        // many messages that none is in the hands of five.
        func instant(_ life: Int) -> String { (Day.start + Double(life) * 130).formatted(.iso8601) }
        try installation.tell(installation.acme, people: 2000, at: instant(0))
        let session = try installation.session()
        let environment = installation.environment.merging(providers.environment) { $1 }
        var arrived = 0
        // On a busy machine one worker may send many before it is killed: some must be left for the next.
        for life in 0..<20 where arrived < 1500 {
            let worker = try KithProcess(["worker", "--now", instant(life)], environment: environment)
            let enough = arrived + Int.random(in: 5...25)
            arrived = try await providers.sink.waits { $0.count >= enough }.count
            worker.signal(SIGKILL)
            worker.wait()
            // A statement that was under way goes on without its client.
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
        #expect(repeats.count == 2000, "every one arrived, and a repeat has the same id")
        #expect(Set(messages.map(\.to)).count == 2000)
        #expect(repeats.values.allSatisfy { Set($0.map(\.to)).count == 1 && Set($0.map(\.text)).count == 1 })
        #expect(try installation.deliveries(of: installation.acme) == ["sent": 2000])
        let told = try session.query("select count(*) from kith.notifications where delivery_status = 'sent'")
        #expect(told.int(0, 0) == 2000)
        // What was in hand when a worker died, and no more: 20 times at most what may be under way at once.
        #expect(messages.count <= 2000 + 20 * 50)
    }

    @Test func `three workers at once send each message once`() async throws {
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

    @Test func `a tenant whose provider never answers holds up no other`() async throws {
        let installation = try Installation()
        let providers = try Providers()
        try installation.sendTexts(of: installation.globex, to: providers.url("/never"))
        try installation.sendTexts(of: installation.acme, to: providers.url("/status/200"))
        // globex was first, and has more.
        try installation.tell(installation.globex, people: 500, at: Day.instant(-60), numbers: "+4915200")
        try installation.tell(installation.acme, people: 200, at: Day.instant(-1))
        let worker = try KithProcess(
            ["worker"], environment: installation.environment.merging(providers.environment) { $1 })
        defer { worker.signal(SIGKILL) }
        _ = try await providers.sink.waits { log in log.count { $0["path"] as? String == "/status/200" } == 200 }
        // Whoever is not known to be quick never has more than half of the channel's 50.
        #expect(try installation.deliveries(of: installation.globex)["sending", default: 0] <= 25)
        // The breaker opens, and the operator can see why.
        _ = try worker.waitForLog("a provider accepts no messages", seconds: 60)
        var why: String?
        while why == nil {
            try await Task.sleep(for: .milliseconds(20))
            why = try installation.session().query(
                "select error from admin.channels where tenant = 'globex' and channel = 'sms'"
            ).string(0, 0)
        }
        let doctor = try KithProcess.run(["doctor"], environment: installation.environment)
        #expect(doctor.output.contains("WRONG  sms of globex: "), "\(doctor.output)")
        worker.signal(SIGTERM)
        #expect(worker.wait() == 0)
    }

    @Test func `a worker whose database goes away sends on when it is back, and nothing twice that it has recorded`()
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
        // What was sent meanwhile is recorded by the worker that sent it, which has kept it in mind.
        let ids = try providers.sink.log.compactMap(TextMessage.init).map(\.id)
        print("PostgreSQL killed: 300 deliveries, \(ids.count) requests")
        #expect(Set(ids).count == 300)
    }
}
