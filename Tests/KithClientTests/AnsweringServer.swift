import Foundation
import Synchronization
import Testing

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A server whose answers a closure gives, the device before it with clocks of its own, and the requests so far.
final class AnsweringServer: Sendable {
    typealias Plan = @Sendable (URLRequest) async throws -> KithAnswer

    private struct State {
        var requests: [URLRequest] = []
        var reading = ClockReading(wall: Date(timeIntervalSince1970: 1_800_000_000), steady: .now)
        /// By how many seconds the server's clock is ahead of the device's.
        var skew: TimeInterval = 0
    }

    let storage = FaultyStorage()
    private let state = Mutex(State())
    private let plan: Mutex<Plan>

    /// `plan` answers everything but `/livez`.
    init(_ plan: @escaping Plan = { _ in .json("{}") }) {
        self.plan = Mutex(plan)
    }

    func behave(_ plan: @escaping Plan) { self.plan.withLock { $0 = plan } }

    /// The method and the path of each request so far, without those for the server's time.
    var calls: [String] { requests.map { "\($0.httpMethod ?? "") \($0.url?.path ?? "")" } }

    /// The requests so far, without those for the server's time.
    var requests: [URLRequest] { state.withLock { $0.requests }.filter { $0.url?.path != "/livez" } }

    /// The bodies of the check-ins so far.
    var checkIns: [String] {
        requests.filter { $0.url?.path == "/v1/pings/check-in" }.map {
            String(decoding: $0.httpBody ?? Data(), as: UTF8.self)
        }
    }

    /// The time by the server's clock.
    var now: Date { state.withLock { $0.reading.wall + $0.skew } }

    /// Lets time pass.
    func pass(_ seconds: TimeInterval) {
        state.withLock { state in
            state.reading.wall += seconds
            state.reading.steady += .seconds(seconds)
        }
    }

    /// Lets processes know that the device has not started anew between them.
    func setBoot(_ boot: String) { state.withLock { $0.reading.boot = boot } }

    /// Sets the device's wall clock, and nothing else.
    func setWall(by seconds: TimeInterval) {
        state.withLock { state in
            state.reading.wall += seconds
            state.skew -= seconds
        }
    }

    /// Sets the device's wall clock and the server's.
    func setClocks(device: Date, server: Date) {
        state.withLock { ($0.reading.wall, $0.skew) = (device, server.timeIntervalSince(device)) }
    }

    /// What a launch of the app keeps of the sign-in, without the client that works beside it.
    func keeper() throws -> SessionKeeper {
        SessionKeeper(
            server: try Self.url(), tenant: "acme", storage: storage, clock: { [self] in state.withLock { $0.reading } }
        )
    }

    /// The client of a launch of the app.
    func launch(renewToken: (@Sendable () async throws -> String)? = nil) throws -> Kith {
        let sessions = try keeper()
        let http = HTTPCaller(
            server: try Self.url(), tenant: "acme", sessions: sessions, renewToken: renewToken,
            send: { try await self.answer($0) },
            policy: RetryPolicy(tries: 1))
        return Kith(http: http)
    }

    /// A client in which a person is signed in.
    func launch(
        as user: UUID, token: String = "token", refreshToken: String? = nil,
        renewToken: (@Sendable () async throws -> String)? = nil
    ) throws -> Kith {
        let kith = try launch(renewToken: renewToken)
        try kith.http?.sessions.signIn(
            Credentials(
                signIn: UUID(), userID: user, accessToken: token, refreshToken: refreshToken, expiresAt: nil))
        return kith
    }

    private static func url() throws -> URL { try #require(URL(string: "https://kith.example.com")) }

    private func answer(_ request: URLRequest) async throws -> KithAnswer {
        let (date, plan) = (now, self.plan.withLock { $0 })
        state.withLock { $0.requests.append(request) }
        let answer = request.url?.path == "/livez" ? .json("{}") : try await plan(request)
        return KithAnswer(
            status: answer.status, headers: answer.headers.merging(["date": Self.text(date)]) { old, _ in old },
            body: answer.body)
    }

    private static func text(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}

extension KithAnswer {
    static func json(_ text: String, status: Int = 200) -> KithAnswer {
        KithAnswer(status: status, headers: ["content-type": "application/json"], body: Data(text.utf8))
    }

    /// The receipt of a check-in.
    static let received = json(#"{"completed":1,"late":0,"pings":[]}"#)

    static let nothing = KithAnswer(status: 204, headers: [:], body: Data())

    static func problem(_ code: String, _ status: Int, about field: String? = nil, retryable: Bool = false)
        -> KithAnswer
    {
        let errors = field.map { #"[{"field":"\#($0)","message":"is wrong"}]"# } ?? "[]"
        let text = #"{"code":"\#(code)","detail":"No.","retryable":\#(retryable),"errors":\#(errors)}"#
        return KithAnswer(
            status: status, headers: ["content-type": "application/problem+json"], body: Data(text.utf8))
    }
}

/// A storage whose operations fail as long as a test says so.
final class FaultyStorage: KithStorage {
    enum Operation { case names, read, write, remove }
    struct Fault: Error {}

    private let items = MemoryStorage()
    private let halves = Mutex<@Sendable (String) -> Bool>({ _ in false })
    private let fails = Mutex<@Sendable (Operation, String) -> Bool>({ _, _ in false })

    /// Lets the operations fail for which `condition` holds, given also the item's name.
    func fail(_ condition: @escaping @Sendable (Operation, String) -> Bool) { fails.withLock { $0 = condition } }

    /// Lets a write fail after the item is there, such as when the folder cannot be flushed.
    func failAfterWriting(_ condition: @escaping @Sendable (String) -> Bool) { halves.withLock { $0 = condition } }

    func heal() { fail { _, _ in false } }

    /// The number of items whose names begin so.
    func items(beginningWith prefix: String) -> Int { items.names().count { $0.hasPrefix(prefix) } }

    private func check(_ operation: Operation, _ name: String = "") throws {
        if fails.withLock({ $0 })(operation, name) { throw Fault() }
    }

    func names() throws -> [String] {
        try check(.names)
        return items.names()
    }

    func read(_ name: String) throws -> Data? {
        try check(.read, name)
        return items.read(name)
    }

    func write(_ item: Data, as name: String) throws {
        try check(.write, name)
        items.write(item, as: name)
        if halves.withLock({ $0 })(name) { throw Fault() }
    }

    func remove(_ name: String) throws {
        try check(.remove, name)
        items.remove(name)
    }
}
