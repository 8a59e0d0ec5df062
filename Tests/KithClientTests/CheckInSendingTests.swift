import Foundation
import Synchronization
import Testing

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The note of a check-in") struct CheckInNoteTests {
    @Test(arguments: [
        (nil, nil), ("", nil), (" \n", nil), ("\u{0}\u{7}", nil), (" Back \n", "Back"), ("a\u{0}b\r\nc\td", "ab\nc\td"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
    ])
    func `has the form that the server takes`(text: String?, note: String?) {
        #expect(KeptCheckIn.note(text) == note)
    }

    @Test func `is cut to 500 scalars, as the server counts`() {
        #expect(KeptCheckIn.note(String(repeating: "e\u{301}", count: 400))?.unicodeScalars.count == 500)
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A check-in that is sent` {
    private let alice = UUID()

    /// Waits for the first failure of a check-in.
    private func delay(of checkIn: KithCheckIn, as state: KithCheckIn.State = .delayed) async {
        _ = await checkIn.states.first { $0 == state }
    }

    private func text(_ date: Date) -> String {
        Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).formatted(.iso8601)
    }

    /// The check-in that another launch has left in the storage.
    @discardableResult
    private func leave(_ note: String, in server: AnsweringServer) throws -> KeptCheckIn {
        let kept = KeptCheckIn(
            id: UUID(), userID: alice, note: note, shareNote: nil, tappedAt: server.now, isCorrected: true)
        try server.storage.write(JSONEncoder().encode(kept), as: kept.name)
        return kept
    }

    @Test(arguments: [false, true])
    func `goes without a note that the server refuses`(diskIsFull: Bool) async throws {
        let server = AnsweringServer { request in
            String(decoding: request.httpBody ?? Data(), as: UTF8.self).contains("note")
                ? .problem("validation_failed", 422, about: "note") : .received
        }
        let kith = try server.launch(as: alice)
        if diskIsFull { server.storage.fail { $0 == .write && $1.hasPrefix(KeptCheckIn.prefix) } }
        #expect(try await kith.checkIn(note: "\u{2800}").received().completed == 1)
        #expect(server.checkIns.count == 2)
        let keys = server.requests.compactMap { $0.value(forHTTPHeaderField: "Idempotency-Key") }
        #expect(Set(keys).count == 2)
        #expect(try await kith.checkIn(note: " ").received().completed == 1)
        #expect(server.checkIns.count == 3)
    }

    @Test(arguments: [36000.0, -36000], [false, true])
    func `speaks for its moment although the wall clock was set since the last launch`(
        by seconds: Double, isKept: Bool
    ) async throws {
        let server = AnsweringServer { _ in .received }
        _ = try await server.launch(as: alice).checkIn().received()
        server.setWall(by: seconds)
        let moment = #"{"note":"Back","tapped_at":"\#(text(server.now))"}"#
        if isKept { try leave("Back", in: server) }
        let kith = try server.launch()
        if !isKept { _ = try await kith.checkIn(note: "Back").received() }
        for checkIn in kith.keptCheckIns { _ = try await checkIn.received() }
        #expect(server.checkIns.last == moment)
        #expect(server.checkIns.count == 2)
    }

    @Test func `has its moment computed anew, once, if the server refuses that`() async throws {
        let server = AnsweringServer { _ in .problem("validation_failed", 422, about: "tapped_at") }
        let kith = try server.launch(as: alice)
        let checkIn = try await kith.checkIn()
        await #expect(throws: KithProblem.self) { try await checkIn.received() }
        #expect(server.checkIns.count == 2)
        #expect(Set(server.requests.compactMap { $0.value(forHTTPHeaderField: "Idempotency-Key") }).count == 2)
    }

    @Test func `goes on after the app's function for tokens was cancelled`() async throws {
        let alice = alice
        let tries = Atomic(0)
        let server = AnsweringServer { request in
            guard request.value(forHTTPHeaderField: "Authorization") == "Bearer new" else {
                return .problem("unauthenticated", 401)
            }
            return request.url?.path == "/v1/me" ? .json(#"{"id":"\#(alice)"}"#) : .received
        }
        let kith = try server.launch(as: alice) {
            if tries.add(1, ordering: .relaxed).newValue == 1 { throw CancellationError() }
            return "new"
        }
        let checkIn = try await kith.checkIn()
        await delay(of: checkIn)
        kith.wake()
        #expect(try await checkIn.received().completed == 1)
    }

    @Test func `goes on after the system has cancelled its request`() async throws {
        let server = AnsweringServer { _ in throw CancellationError() }
        let kith = try server.launch(as: alice)
        let checkIn = try await kith.checkIn()
        await delay(of: checkIn)
        server.behave { _ in .received }
        kith.wake()
        #expect(try await checkIn.received().completed == 1)
    }

    @Test func `is sent although one before it never gets through`() async throws {
        let server = AnsweringServer { request in
            String(decoding: request.httpBody ?? Data(), as: UTF8.self).contains("stuck")
                ? KithAnswer(status: 403, headers: ["content-type": "text/html"], body: Data()) : .received
        }
        let kith = try server.launch(as: alice)
        let stuck = try await kith.checkIn(note: "stuck")
        _ = try await kith.checkIn(note: "free").received()
        await delay(of: stuck)
        #expect(kith.keptCheckIns.map(\.note) == ["stuck"])
    }

    @Test func `is sent at once when the person signs in again`() async throws {
        let alice = alice
        let server = AnsweringServer { request in
            guard request.value(forHTTPHeaderField: "Authorization") == "Bearer new" else {
                return .problem("unauthenticated", 401)
            }
            return request.url?.path == "/v1/me" ? .json(#"{"id":"\#(alice)"}"#) : .received
        }
        let kith = try server.launch(as: alice)
        let checkIn = try await kith.checkIn()
        // After a refusal of the sign-in, the next try comes in five minutes.
        await delay(of: checkIn, as: .waitsForSignIn)
        try await kith.signIn(token: "new")
        #expect(try await checkIn.received().completed == 1)
    }

    @Test func `is sent after the client is gone, as long as somebody has it`() async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        var kith: Kith? = try server.launch(as: alice)
        let wake = try #require(kith?.http?.wake)
        let checkIn = try #require(try await kith?.checkIn())
        await delay(of: checkIn)
        kith = nil
        server.behave { _ in .received }
        wake.wake()
        #expect(try await checkIn.received().completed == 1)
    }

    @Test func `is left to the next launch when nobody has it, and holds nobody up`() async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        var kith: Kith? = try server.launch(as: alice)
        var checkIn = try await kith?.checkIn()
        if let checkIn { await delay(of: checkIn) }
        let receipt = try #require(checkIn?.receipt)
        (kith, checkIn) = (nil, nil)
        await #expect(throws: CancellationError.self) { try await receipt.value() }
        #expect(server.storage.items(beginningWith: KeptCheckIn.prefix) == 1)
    }

    @Test func `speaks for the moment of the tap also if the disk is full`() async throws {
        let server = AnsweringServer { _ in .received }
        let kith = try server.launch(as: alice)
        server.storage.fail { $0 == .write && $1.hasPrefix(KeptCheckIn.prefix) }
        server.setWall(by: -600)
        let moment = server.now
        _ = try await kith.checkIn().received()
        #expect(server.checkIns == [#"{"tapped_at":"\#(text(moment))"}"#])
    }

    @Test func `says that nobody knows of it if the disk is full and there is no network`() async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let kith = try server.launch(as: alice)
        server.storage.fail { $0 == .write && $1.hasPrefix(KeptCheckIn.prefix) }
        let problem = await #expect(throws: KithProblem.self) { try await kith.checkIn() }
        #expect(problem?.code == .notKept)
        #expect(
            KithTexts.all.allSatisfy { texts in
                let words = problem.map { ErrorPresentation($0, texts: texts).text }
                return words == texts.problemNotKept && (texts.language == "en") == (words == problem?.detail)
            })
        #expect(kith.keptCheckIns.isEmpty)
    }

    @Test(arguments: [86400.0, -86400])
    func `speaks for its moment in another process since the same start of the device`(set: TimeInterval) async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        server.setBoot("this start")
        let app = try server.launch(as: alice)
        server.setWall(by: set)
        let kept = try await app.checkIn()
        let moment = server.now
        await delay(of: kept)
        // A day later the clock is right again, and another process has the network.
        server.setWall(by: -set)
        server.pass(86400)
        server.behave { _ in .received }
        let other = try server.launch()
        #expect(await other.sendWhatWaits())
        #expect(server.checkIns.last?.contains(text(moment)) == true, "\(server.checkIns)")
    }

    @Test func `that is half on the disk is not sent twice`() async throws {
        let server = AnsweringServer { _ in .received }
        let kith = try server.launch(as: alice)
        server.storage.failAfterWriting { $0.hasPrefix(KeptCheckIn.prefix) }
        _ = try await kith.checkIn()
        #expect(server.storage.items(beginningWith: KeptCheckIn.prefix) == 0)
        #expect(server.checkIns.count == 1)
    }

    @Test func `is on the disk as it is sent`() async throws {
        let server = AnsweringServer { _ in .received }
        let kith = try server.launch(as: alice)
        // The first write keeps the check-in, each further one would fix its request.
        let writes = Atomic(0)
        server.storage.fail { operation, name in
            operation == .write && name.hasPrefix(KeptCheckIn.prefix)
                && writes.add(1, ordering: .relaxed).newValue > 1
        }
        let checkIn = try await kith.checkIn()
        await delay(of: checkIn)
        while writes.load(ordering: .relaxed) < 3 {
            kith.wake()
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(server.checkIns.isEmpty)
        server.storage.heal()
        kith.wake()
        #expect(try await checkIn.received().completed == 1)
    }

    // MARK: The storage

    @Test func `has its state at hand, and that of another process that sends it`() async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let (app, other) = (try server.launch(as: alice), try server.launch())
        let kept = try await app.checkIn(note: "Here")
        await delay(of: kept)
        #expect(kept.state == .delayed)
        try app.signOut()
        #expect(kept.state == .waitsForSignIn)
        server.behave { _ in .received }
        try app.http?.sessions.signIn(
            Credentials(signIn: UUID(), userID: alice, accessToken: "b", refreshToken: nil, expiresAt: nil))
        other.wake()
        let receipt = try await kept.received()
        #expect(kept.state == .received(receipt))
        let keys = server.requests.compactMap { $0.value(forHTTPHeaderField: "Idempotency-Key") }
        #expect(keys.count >= 2 && Set(keys).count == 1, "the server takes all tries for one: \(keys)")
    }

    @Test func `is refused for all processes`() async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let (app, other) = (try server.launch(as: alice), try server.launch())
        let kept = try await app.checkIn(note: "Here")
        await delay(of: kept)
        server.behave { _ in .problem("pings_paused", 409) }
        other.wake()
        await #expect(throws: KithProblem.self) { try await kept.received() }
        guard case .refused = kept.state else { return #expect(Bool(false), "\(kept.state)") }
        try other.forget(try #require(other.keptCheckIns.first))
        #expect(app.keptCheckIns.isEmpty)
    }

    @Test(arguments: [FaultyStorage.Operation.names, .read])
    func `is found when the storage can be read again`(operation: FaultyStorage.Operation) async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let kept = try leave("Earlier", in: server)
        server.storage.fail { $0 == operation && $1 != SessionRecord.name }
        let kith = try server.launch(as: alice)
        #expect(kith.keptCheckIns.isEmpty)
        let later = try await kith.checkIn(note: "Later")
        server.storage.heal()
        #expect(Set(kith.keptCheckIns.map(\.id)) == [kept.id, later.id])
        #expect(kith.keptCheckIns.count == 2)
    }

    @Test func `is shown as refused if it cannot be read`() async throws {
        let server = AnsweringServer { _ in .received }
        let id = UUID()
        let name = KeptCheckIn.prefix + id.uuidString.lowercased()
        try server.storage.write(Data(#"{"from":"another version"}"#.utf8), as: name)
        let kith = try server.launch(as: alice)
        let checkIn = try #require(kith.keptCheckIns.first)
        #expect(checkIn.id == id)
        await #expect { try await checkIn.received() } throws: { ($0 as? KithProblem)?.code == .unreadable }
        try kith.forget(checkIn)
        #expect(server.storage.items(beginningWith: KeptCheckIn.prefix) == 0)
        #expect(server.checkIns.isEmpty)
    }
}
