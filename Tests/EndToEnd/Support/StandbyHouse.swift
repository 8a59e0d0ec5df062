import Foundation
import KithClient
import LocalPostgres
import Postgres
import Synchronization
import Testing

/// An installation with a streaming standby, a server that does not know the standby, and one whose reads go there.
final class StandbyHouse: Sendable {
    let installation: Installation
    let standby: EphemeralPostgres
    let url: String
    /// Alice, as a client of the server that does not know the standby, and of the other one.
    let alice: Person
    let reader: Person
    private let servers: [KithProcess]
    private let metrics: APIClient
    private let acts = Mutex(0)

    /// Returns when the standby has answered a read.
    init() async throws {
        installation = try Installation(cells: 1)
        standby = try installation.makeStandby()
        url = standby.server.url(database: Installation.database)
        let (writing, client) = try installation.serve()
        let (reading, other) = try installation.serve(["KITH_READ_DATABASE_URL": url])
        servers = [writing, reading]
        let line = try reading.waitForLog("variable=KITH_METRICS_LISTEN")
        let address = try #require(line.firstMatch(of: /address=([0-9.:]+)/)?.1)
        metrics = APIClient(base: try #require(URL(string: "http://\(address)")))
        alice = try await Person.join(installation.acme, as: "Alice", client)
        reader = Person(id: alice.id, token: alice.token, client: other)
        try await awaitStandby()
    }

    /// The same person as a client of the server whose reads go to the standby.
    func reader(_ person: Person) -> Person {
        Person(id: person.id, token: person.token, client: reader.client)
    }

    /// The number of reads that the standby has answered.
    func standbyReads() async throws -> Int {
        let text = try await metrics.send("GET", "/metrics").text
        return try #require(text.firstMatch(of: /kith_reads_total{host="standby"} ([0-9]+)/).flatMap { Int($0.1) })
    }

    /// Changes Alice's quiet hours through one server, and reads them through the other. This must not be late.
    func act() async throws {
        let number = acts.withLock { number in
            number += 1
            return number
        }
        let start = number % (23 * 60)
        let hours = Kith.QuietHours(from: Self.time(start), until: Self.time(start + 1))
        let _: Kith.QuietHours = try await alice.get(
            "PUT", "/v1/me/quiet-hours", #"{"from":"\#(hours.from)","until":"\#(hours.until)"}"#)
        #expect(try await hoursRead() == hours)
    }

    /// Alice's quiet hours by a read that the standby may answer.
    func hoursRead() async throws -> Kith.QuietHours {
        let answer = try await reader.client.send(
            "GET", "/v1/me/quiet-hours", as: reader.token, headers: ["X-Request-Id": Self.request])
        guard answer.status == 200 else { throw KithProcess.Failure(description: "\(answer.status) \(answer.text)") }
        return try answer.decode()
    }

    /// Acts until the standby has answered another read.
    func awaitStandby() async throws {
        let before = try await standbyReads()
        repeat { try await act() } while try await standbyReads() == before
    }

    /// The minute of the day as `HH:MM`.
    private static func time(_ minute: Int) -> Kith.TimeOfDay {
        Kith.TimeOfDay(stringLiteral: String(format: "%02d:%02d", minute / 60, minute % 60))
    }

    /// The standby's processes, with those of its sessions.
    func processesOfStandby() throws -> [pid_t] {
        let main = try #require(standby.server.processID)
        let children = try String(contentsOfFile: "/proc/\(main)/task/\(main)/children", encoding: .utf8)
        return [main] + children.split(separator: " ").compactMap { pid_t($0) }
    }

    /// Runs statements on the standby as a superuser.
    func operate(_ sql: String) throws -> PostgresResult {
        try PostgresSession(url: url).query(sql)
    }

    /// The id of the reads of Alice's quiet hours.
    static let request = "a-read-of-quiet-hours"

    deinit {
        for server in servers { server.signal(SIGTERM) }
    }
}
