import Foundation
import KithClient
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `Messages with one-time codes` {
    @Test func `wait while no delivery is configured, which doctor reports`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let number = SignInHouse.number()
        _ = try await client.send(
            "POST", "/v1/auth/otp", #"{"phone":"\#(number)"}"#, headers: ["X-Kith-Tenant": "acme"])
        try installation.work()
        let doctor = try KithProcess.run(["doctor"], environment: installation.home)
        #expect(doctor.output.contains("WRONG  delivery: none, 1 messages wait"))
        #expect(doctor.output.contains("set KITH_DELIVERY"))

        // One pass of a worker that has a delivery configured.
        let mailbox = Mailbox()
        let environment = installation.home.merging(mailbox.environment) { $1 }
        let once = try KithProcess.run(["worker", "--once"], environment: environment)
        #expect(once.output.contains("deliver_sms 1"))
        #expect(try mailbox.code(for: number).count == 6)
        #expect(
            try KithProcess.run(["doctor"], environment: environment).output.contains("ok     delivery: configured, 0"))

        // Delivery to the console works too.
        _ = try await client.send(
            "POST", "/v1/auth/otp", #"{"phone":"\#(number)"}"#, headers: ["X-Kith-Tenant": "acme"])
        let console = try KithProcess.run(
            ["worker", "--once"], environment: installation.environment.merging(["KITH_DELIVERY": "console"]) { $1 })
        #expect(console.output.contains("  | sms to \(number)\n  | PRUUF code: "))
    }

    @Test func `are retried if delivery fails, and are kept if their master key is missing`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let number = SignInHouse.number()
        _ = try await client.send(
            "POST", "/v1/auth/otp", #"{"phone":"\#(number)"}"#, headers: ["X-Kith-Tenant": "acme"])
        func work(_ more: [String: String]) throws {
            try installation.session().execute("update kith.deliveries set next_attempt_at = created_at")
            let run = try KithProcess.run(
                ["worker", "--once"], environment: installation.environment.merging(more) { $1 })
            #expect(run.status == 0, "\(run.errors)")
        }
        func row() throws -> String {
            try installation.session().query(
                "select concat_ws(' ', status, attempts, error) from kith.deliveries"
            ).string(0, 0) ?? ""
        }
        try work(["KITH_DELIVERY": "file:/nonexistent/messages"])
        #expect(try row() == "queued 1 /nonexistent/messages: No such file or directory")
        let mailbox = Mailbox()
        try work(mailbox.environment.merging(["KITH_MASTER_KEY": String(repeating: "6b", count: 32)]) { $1 })
        #expect(try row() == "queued 2 the master key does not open it")
        try work(mailbox.environment)
        #expect(try row() == "sent 3")
        #expect(try mailbox.items(for: number).count == 1)
    }

    @Test func `claimed by a worker that was killed are sent by another`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let number = SignInHouse.number()
        _ = try await client.send(
            "POST", "/v1/auth/otp", #"{"phone":"\#(number)"}"#, headers: ["X-Kith-Tenant": "acme"])
        // The state after a worker was killed following its claim, a minute ago.
        try installation.session().execute(
            """
            update kith.deliveries
            set status = 'sending', attempts = 1, leased_by = 'dead', leased_until = created_at
            """)
        let mailbox = Mailbox()
        let run = try KithProcess.run(
            ["worker", "--once"], environment: installation.environment.merging(mailbox.environment) { $1 })
        #expect(run.output.contains("deliver_sms 1"))
        #expect(try mailbox.items(for: number).count == 1)
    }
}
