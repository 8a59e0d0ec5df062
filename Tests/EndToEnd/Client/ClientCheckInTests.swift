import ChildProcesses
import Foundation
import Glibc
import Postgres
import Synchronization
import TestThreads
import Testing

@testable import KithClient

/// Random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `A client's check-in` {
    private static let program = KithProcess.executable.deletingLastPathComponent().appending(path: "ClientProcess")

    /// The check-ins that the server has of a person: the note, and when it was tapped.
    private func received(by installation: Installation, of user: UUID) throws -> [(note: String, tapped: Date)] {
        let rows = try installation.session().query(
            """
            select note, extract(epoch from tapped_at)::bigint from kith.check_ins where user_id = '\(user.text)' \
            order by tapped_at
            """
        )
        return (0..<rows.rowCount).map { row in
            (rows.string(row, 0) ?? "", Date(timeIntervalSince1970: Double(rows.string(row, 1) ?? "") ?? 0))
        }
    }

    /// What the test met. Without kills between tap and receipt and without lost answers it shows nothing.
    private struct Counts {
        var rounds = 0
        var launches = 0
        /// The app was killed after a tap, and before the check-in was on the disk.
        var killsWhileKeeping = 0
        /// The app was killed with a check-in on the disk of which it had no receipt.
        var killsWhileSending = 0
        var faults: [FaultyProxy.Fault: Int] = [:]
        var received = 0
    }

    /// Runs for `KITH_CLIENT_SECONDS`, at least five rounds. `KITH_CLIENT_SEED` repeats the faults and the instants of
    /// the kills, as far as the machine's speed allows.
    @Test func `arrives exactly once, whatever is lost and whenever the app is killed`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = Double(environment["KITH_CLIENT_SECONDS"] ?? "") ?? 15
        let seed = UInt64(environment["KITH_CLIENT_SEED"] ?? "") ?? .random(in: 0..<1_000_000)
        var random = SeededGenerator(state: seed)
        var counts = Counts()
        let end = ContinuousClock.now + .seconds(seconds)
        while .now < end || counts.rounds < 5 { try await playRound(&random, &counts) }
        print("KITH_CLIENT_SEED=\(seed): \(counts)")
        #expect(counts.killsWhileSending > 0, "no kill fell between a tap and its receipt: \(counts)")
        #expect(counts.received > 0)
        #expect(counts.faults.contains { $0.key != .none }, "no check-in met a fault: \(counts)")
    }

    /// Launches an app eight times over a bad network and kills it each time; then lets it end over a good one.
    private func playRound(_ random: inout SeededGenerator, _ counts: inout Counts) async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let proxy = try FaultyProxy(before: client)
        let storage = FileStorage.temporary()
        try await Kith(server: proxy.url, tenant: "acme", storage: storage).signIn(token: alice.token)
        let faults = Mutex((SeededGenerator(state: random.next()), [FaultyProxy.Fault: Int]()))
        proxy.behave { line in
            faults.withLock { state in
                let fault =
                    Bool.random(using: &state.0)
                    ? .none : FaultyProxy.Fault.allCases.randomElement(using: &state.0) ?? .none
                if line.contains("/v1/pings/check-in") { state.1[fault, default: 0] += 1 }
                return fault
            }
        }
        let output = storage.url.path + "-output"
        func lines(_ word: String) throws -> [String] {
            try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
                .filter { $0.hasPrefix(word) }.map { String($0.dropFirst(word.count)) }
        }
        var tapped: [String] = []
        for launch in 0..<8 {
            let notes = (0..<Int.random(in: 0...3, using: &random)).map { "\(launch).\($0)" }
            tapped += notes
            let before = (try? lines("launched").count) ?? 0
            let app = try ChildProcess(
                [Self.program.path, proxy.url.absoluteString, storage.url.path] + notes, output: .file(output))
            // From the first instructions of the process to long after the last answer; most often from its first tap.
            if Int.random(in: 0..<4, using: &random) > 0 {
                while app.isRunning, (try? lines("launched").count) ?? 0 == before { usleep(500) }
            }
            usleep(useconds_t(pow(10, Double.random(in: 2...5.7, using: &random))))
            app.kill()
            counts.launches += 1
            if try storage.names().contains(where: { $0.hasPrefix(KeptCheckIn.prefix) }) {
                counts.killsWhileSending += 1
            }
        }
        counts.killsWhileKeeping += try lines("tap ").count - lines("kept ").count
        proxy.behave { _ in .none }
        let last = try ChildProcess(
            [Self.program.path, proxy.url.absoluteString, storage.url.path], output: .file(output))
        let status = last.wait()
        let waiting = try lines("still kept")
        #expect(status == 0, "\(waiting)")
        let kept = Set(try lines("kept "))
        let notes = try received(by: installation, of: alice.id).map(\.note)
        #expect(Set(notes).count == notes.count, "received twice: \(notes)")
        #expect(kept.isSubset(of: notes), "kept and not received: \(kept.subtracting(notes))")
        #expect(Set(notes).isSubset(of: tapped))
        #expect(Set(try storage.names()).subtracting(["received"]) == ["session"])
        counts.rounds += 1
        counts.received += notes.count
        counts.faults.merge(faults.withLock { $0.1 }, uniquingKeysWith: +)
    }

    @Test func `is never sent under another person's session, and waits for its own`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let proxy = try FaultyProxy(before: client)
        let kith = Kith(server: proxy.url, tenant: "acme", storage: FileStorage.temporary())
        try await kith.signIn(token: alice.token)
        proxy.behave { $0.contains("check-in") ? .drop : .none }
        let kept = try await kith.checkIn(note: "Alice's")
        #expect(try kith.signOut().map(\.id) == [kept.id])
        proxy.behave { _ in .none }
        try await kith.signIn(token: bob.token)
        #expect(kith.keptCheckIns.isEmpty)
        #expect(try await kith.checkIn(note: "Bob's").received() == .init(completed: 0, late: 0, pings: []))
        #expect(try received(by: installation, of: alice.id).isEmpty)
        #expect(try received(by: installation, of: bob.id).map(\.note) == ["Bob's"])
        try await kith.signIn(token: alice.token)
        _ = try await kept.received()
        #expect(try received(by: installation, of: alice.id).map(\.note) == ["Alice's"])
    }

    @Test func `speaks for its moment by the server's clock`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let proxy = try FaultyProxy(before: client)
        let kith = Kith(server: proxy.url, tenant: "acme", storage: FileStorage.temporary())
        try await kith.signIn(token: alice.token)
        // The server's clock stands months ahead of this machine's.
        _ = try await kith.checkIn().received()
        let moment = try #require(try received(by: installation, of: alice.id).first?.tapped)
        #expect(abs(moment.timeIntervalSince(Day.now)) < 60)
    }

    @Test func `says where the person is, and is not lost for a place that the server refuses`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let kith = Kith(server: client.base, tenant: "acme", storage: FileStorage.temporary())
        try await kith.signIn(token: alice.token)
        func places() throws -> String? {
            try installation.session().query("select count(*) from kith.places where user_id = '\(alice.id.text)'")
                .string(0, 0)
        }
        for latitude in [91, Double.nan] {
            let place = Kith.Place(latitude: latitude, longitude: 13.4, at: Day.now)
            _ = try await kith.checkIn(note: "At \(latitude)", location: place).received()
        }
        #expect(try received(by: installation, of: alice.id).map(\.note).sorted() == ["At 91.0", "At nan"])
        #expect(try places() == "0")
        _ = try await kith.checkIn(location: Kith.Place(latitude: 52.5, longitude: 13.4, at: Day.now)).received()
        #expect(try places() == "1")
    }

    @Test func `that the server refuses for good is reported, and kept until it was seen`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let storage = FileStorage.temporary()
        let old = KeptCheckIn(
            id: UUID(), userID: alice.id, note: nil, shareNote: nil, tappedAt: Day.now - 8 * 86400, isCorrected: true)
        try storage.write(JSONEncoder().encode(old), as: old.name)
        let kith = Kith(server: client.base, tenant: "acme", storage: storage)
        try await kith.signIn(token: alice.token)
        let kept = try #require(kith.keptCheckIns.first)
        await #expect(throws: KithProblem.self) { try await kept.received() }
        let next = Kith(server: client.base, tenant: "acme", storage: storage)
        let seen = try #require(next.keptCheckIns.first)
        await #expect { try await seen.received() } throws: {
            ($0 as? KithProblem)?.errors.map(\.field) == ["tapped_at"]
        }
        try next.forget(seen)
        #expect(next.keptCheckIns.isEmpty)
        #expect(Set(try storage.names()).subtracting(["received"]) == ["session"])
    }
}

extension FileStorage {
    /// A place that nothing else uses.
    static func temporary() -> FileStorage {
        .file(FileManager.default.temporaryDirectory.appending(path: "kith-client-\(UUID().uuidString)/session"))
    }
}
