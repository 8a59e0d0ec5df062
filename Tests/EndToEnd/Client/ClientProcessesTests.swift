import Dispatch
import Foundation
import Glibc
import Postgres
import Synchronization
import TestThreads
import Testing

@testable import KithClient
import KithServer

/// One installation for the processes of this suite.
private let house = Result { try SignInHouse() }

@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `The processes of one app` {
    /// A phone on which somebody is signed in.
    private struct Phone {
        let house: SignInHouse
        let proxy: FaultyProxy
        let storage = FileStorage.temporary()
        let user: UUID

        init(_ house: SignInHouse) async throws {
            self.house = house
            proxy = try FaultyProxy(before: house.client)
            let number = SignInHouse.number()
            let kith = Kith(server: proxy.url, tenant: "acme", storage: storage)
            user = try await kith.signIn(code: house.code(to: number), sentTo: .phone(number)).userID
        }

        func launch(killAt step: Int? = nil) throws -> AppProcess {
            try AppProcess(proxy.url, storage: storage, killAt: step)
        }

        func launch(_ count: Int) async throws -> [AppProcess] {
            let processes = try (0..<count).map { _ in try launch() }
            for process in processes { _ = try await process.line("launched") }
            return processes
        }

        /// Lets all processes need new tokens: those that are kept have ended.
        func outliveTokens() throws {
            // Whoever renews them now writes them first.
            var turn: (any KithStorageLock)?
            while turn == nil { turn = try storage.lock(SharedStorage.Lock.tokens.rawValue) }
            defer { turn?.unlock() }
            let keeper = keeper()
            guard var credentials = keeper.credentials else { return }
            credentials.expiresAt = .distantPast
            try keeper.signIn(credentials)
        }

        /// What is kept of the sign-in.
        func keeper() -> SessionKeeper {
            SessionKeeper(server: proxy.url, tenant: "acme", storage: storage, clock: { .now })
        }

        /// The requests so far whose first line has the text.
        func requests(_ text: String) -> Int { proxy.requests.count { $0.contains(text) } }

        /// The notes of the check-ins that the server has.
        var received: [String] {
            get throws {
                let rows = try house.installation.session().query(
                    "select note from kith.check_ins where user_id = '\(user.text)' order by tapped_at")
                return (0..<rows.rowCount).compactMap { rows.string($0, 0) }
            }
        }
    }

    /// Tells all processes the same at once; their answers.
    private func all(_ processes: [AppProcess], _ command: String, answer: String) async throws -> [String?] {
        try await withThrowingTaskGroup(of: String?.self) { group in
            for process in processes { group.addTask { try await process.ask(command, answer: answer) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    // MARK: One sign-in

    @Test func `renew the tokens once for all`() async throws {
        let phone = try await Phone(house.get())
        let processes = try await phone.launch(5)
        let me = "me \(phone.user.uuidString)"
        for round in 1...3 {
            try phone.outliveTokens()
            #expect(try await all(processes, "me", answer: "me") == Array(repeating: me, count: 5))
            #expect(phone.requests("/v1/auth/refresh") == round)
        }
    }

    @Test func `go on when the one that renews the tokens is killed`() async throws {
        let phone = try await Phone(house.get())
        let processes = try await phone.launch(5)
        try phone.outliveTokens()
        let arrived = DispatchSemaphore(value: 0)
        let isFirst = Atomic(true)
        phone.proxy.behave { line in
            guard line.contains("refresh"), isFirst.exchange(false, ordering: .relaxed) else { return .none }
            arrived.signal()
            return .loseAnswer
        }
        processes[0].tell("me")
        arrived.wait()
        processes[0].kill()
        let answers = try await all(Array(processes.dropFirst()), "me", answer: "me")
        #expect(answers == Array(repeating: "me \(phone.user.uuidString)", count: 4))
        #expect(phone.requests("/v1/auth/refresh") == 2)
    }

    @Test func `hear of a sign-out, and tell the server once, also if the one that signs out is killed`() async throws {
        let phone = try await Phone(house.get())
        let processes = try await phone.launch(5)
        for process in processes.dropFirst() { _ = try await process.ask("follow", answer: "sees") }
        phone.proxy.behave { $0.contains("sign-out") ? .drop : .none }
        #expect(try await processes[0].ask("sign-out", answer: "signed out") != nil)
        processes[0].kill()
        for process in processes.dropFirst() { #expect(try await process.line("sees none") != nil) }
        let requests = phone.proxy.requests.count { !$0.contains("sign-out") }
        let answers = try await all(Array(processes.dropFirst()), "me", answer: "me")
        #expect(answers == Array(repeating: "me failed unauthenticated", count: 4))
        #expect(phone.proxy.requests.count { !$0.contains("sign-out") } == requests)
        let ends = Atomic(0)
        let token = try #require(signedOut(phone))
        phone.proxy.behave { line in
            if line.contains("sign-out") { ends.add(1, ordering: .relaxed) }
            return .none
        }
        while try await phone.house.status(of: token) != 401 { try await Task.sleep(for: .milliseconds(50)) }
        while signedOut(phone) != nil { try await Task.sleep(for: .milliseconds(50)) }
        #expect(ends.load(ordering: .relaxed) == 1)
    }

    /// The token of a sign-in of which the server must still hear that it has ended.
    private func signedOut(_ phone: Phone) -> String? {
        phone.keeper().revocations.first?.credentials.accessToken
    }

    // MARK: An extension

    @Test func `show in a widget what the server says, and check in from a button`() async throws {
        let house = try house.get()
        let tenant = house.installation.acme
        let alice = try await Person.join(tenant, as: "Alice", house.client)
        let bob = try await Person.join(tenant, as: "Bob", house.client)
        try await bob.becomeReceiver()
        let code = try await alice.becomeSender().code
        _ = try await bob.connect(code)
        let proxy = try FaultyProxy(before: house.client)
        func launch(_ person: Person) async throws -> AppProcess {
            let storage = FileStorage.temporary()
            try await Kith(server: proxy.url, tenant: "acme", storage: storage).signIn(token: person.token)
            return try AppProcess(proxy.url, storage: storage)
        }
        let (his, hers) = (try await launch(bob), try await launch(alice))
        let shown = try #require(try await his.ask("widget", answer: "widget"))
        #expect(shown.hasPrefix("widget none; Alice ") && shown.hasSuffix("; 0 waiting"), "\(shown)")
        proxy.behave { _ in .drop }
        let outdated = try await his.ask("widget", answer: "widget")
        #expect(outdated == shown.replacing("; 0 waiting", with: "; outdated 0 waiting"))
        proxy.behave { _ in .none }
        #expect(try await hers.ask("quick", answer: "quick") == "quick received")
        let day = try #require(try await hers.ask("widget", answer: "widget"))
        #expect(!day.hasPrefix("widget none"), "\(day)")
    }

    // MARK: One outbox

    @Test func `send a check-in by whoever has a network, and all hear of it`() async throws {
        let phone = try await Phone(house.get())
        let offline = try FaultyProxy(before: phone.house.client) { _ in .drop }
        func launch(_ server: URL) async throws -> AppProcess {
            let process = try AppProcess(
                server, formerly: [phone.proxy.url, offline.url], storage: phone.storage)
            _ = try await process.line("launched")
            return process
        }
        let (extended, app) = (try await launch(offline.url), try await launch(phone.proxy.url))
        // The app is in front, and somebody looks at it.
        _ = try await app.ask("follow", answer: "sees")
        #expect(try await extended.ask("tap on the lock screen", answer: "kept") != nil)
        #expect(try await extended.line("received on the lock screen") != nil)
        #expect(try phone.received == ["on the lock screen"])
        #expect(phone.requests("check-in") == 1)
    }

    @Test func `send a check-in that a stopped process holds`() async throws {
        let phone = try await Phone(house.get())
        let arrived = DispatchSemaphore(value: 0)
        let isFirst = Atomic(true)
        phone.proxy.behave { line in
            guard line.contains("check-in"), isFirst.exchange(false, ordering: .relaxed) else { return .none }
            arrived.signal()
            return .drop
        }
        let stopped = try await phone.launch(1)[0]
        stopped.tell("tap before it stops")
        arrived.wait()
        stopped.suspend()
        let other = try await phone.launch(1)[0]
        #expect(try await other.ask("empty", answer: "empty") == "empty")
        #expect(try phone.received == ["before it stops"])
    }

    @Test func `lose nothing and send nothing twice, at whatever step of the storage one is killed`() async throws {
        let phone = try await Phone(house.get())
        let me = "me \(phone.user.uuidString)"
        var (kept, step) = (Set<String>(), 0)
        while true {
            step += 1
            // Each process needs new tokens, then checks in.
            try phone.outliveTokens()
            let process = try phone.launch(killAt: step)
            let isWhole = try await play(process, note: "\(step)")
            if process.lines.contains("kept \(step)") { kept.insert("\(step)") }
            process.kill()
            let next = try await phone.launch(1)[0]
            #expect(try await next.ask("me", answer: "me") == me, "killed at step \(step)")
            #expect(try await next.ask("empty", answer: "empty") == "empty")
            if isWhole { break }
        }
        let received = try phone.received
        #expect(step > 30, "\(step) steps are too few: the storage was not killed within its work")
        #expect(Set(received).count == received.count, "received twice: \(received)")
        #expect(kept.isSubset(of: received), "kept and not received: \(kept.subtracting(received))")
        #expect(try phone.storage.names().sorted() == ["received", "session"])
    }

    /// Whether a process does everything before it is killed.
    private func play(_ process: AppProcess, note: String) async throws -> Bool {
        for (command, answer) in [("me", "me"), ("tap \(note)", "kept"), ("empty", "empty")] {
            guard try await process.ask(command, answer: answer) != nil else { return false }
        }
        return true
    }

    /// Runs for `KITH_CLIENT_SECONDS`, at least three rounds; `KITH_CLIENT_SEED` repeats a run, as far as the machine's
    /// speed allows.
    @Test func `keep one sign-in and each check-in once over a bad network, while five are killed at random`()
        async throws
    {
        let environment = ProcessInfo.processInfo.environment
        let seed = UInt64(environment["KITH_CLIENT_SEED"] ?? "") ?? .random(in: 0..<1_000_000)
        var random = SeededGenerator(state: seed)
        let end = ContinuousClock.now + .seconds(Double(environment["KITH_CLIENT_SECONDS"] ?? "") ?? 10)
        var (rounds, kills) = (0, 0)
        while .now < end || rounds < 3 {
            kills += try await playRound(&random, seed)
            rounds += 1
        }
        print("KITH_CLIENT_SEED=\(seed): \(rounds) rounds, \(kills) kills")
        #expect(kills > 0)
    }

    private func playRound(_ random: inout SeededGenerator, _ seed: UInt64) async throws -> Int {
        let phone = try await Phone(house.get())
        let faults = Mutex(SeededGenerator(state: random.next()))
        phone.proxy.behave { line in
            faults.withLock { random in
                guard Int.random(in: 0..<3, using: &random) == 0 else { return .none }
                // A server repeats the answer to a refresh, and takes no more than ten for a client's.
                if line.contains("refresh") { return .loseAnswer }
                return FaultyProxy.Fault.allCases.randomElement(using: &random) ?? .none
            }
        }
        var (processes, ended, kills) = (try await phone.launch(5), [AppProcess](), 0)
        for number in 0..<30 {
            let index = Int.random(in: 0..<5, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                usleep(.random(in: 0..<50_000, using: &random))
                processes[index].kill()
                ended.append(processes[index])
                processes[index] = try phone.launch()
                kills += 1
            case 1: try phone.outliveTokens()
            case 2: processes[index].tell("me")
            default: processes[index].tell("tap \(number)")
            }
        }
        phone.proxy.behave { _ in .none }
        let me = "me \(phone.user.uuidString)"
        for process in processes {
            #expect(try await process.ask("empty", answer: "empty") == "empty", "seed \(seed)")
            #expect(try await process.ask("me", answer: "me") == me, "seed \(seed)")
        }
        let lines = (processes + ended).flatMap(\.lines)
        let kept = Set(lines.filter { $0.hasPrefix("kept ") }.map { String($0.dropFirst(5)) })
        let received = try phone.received
        #expect(Set(received).count == received.count, "received twice: \(received), seed \(seed)")
        #expect(kept.isSubset(of: received), "kept and not received: \(kept.subtracting(received)), seed \(seed)")
        #expect(!lines.contains { $0.hasPrefix("refused") || $0.contains("unauthenticated") }, "seed \(seed)")
        return kills
    }
}
