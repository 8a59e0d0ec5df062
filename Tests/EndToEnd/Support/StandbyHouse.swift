import Foundation
import KithModel
import LocalPostgres
import Postgres
import Testing

/// An installation with a streaming standby, a server that does not know the standby, and one whose reads go there.
struct StandbyHouse: Sendable {
    let installation: Installation
    let standby: EphemeralPostgres
    let url: String
    /// Alice, as a client of the server that does not know the standby, and of the other one.
    let (alice, reader): (Person, Person)
    private let servers: [KithProcess]
    private let metrics: APIClient

    /// Returns when the standby has answered a read.
    init() async throws {
        installation = try Installation()
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

    /// Changes Alice's name through one server, and reads it through the other. This must not be late.
    func act(_ number: Int) async throws {
        let name = "Alice \(number)"
        let _: User = try await alice.get("PATCH", "/v1/me", #"{"display_name":"\#(name)"}"#)
        #expect(try await nameRead() == name)
    }

    /// Alice's name by a read that the standby may answer.
    func nameRead() async throws -> String? {
        let answer = try await reader.client.send(
            "GET", "/v1/me", as: reader.token, headers: ["X-Request-Id": Self.request])
        guard answer.status == 200 else { throw KithProcess.Failure(description: "\(answer.status) \(answer.text)") }
        return try answer.decode(User.self).displayName
    }

    /// Acts until the standby has answered another read.
    func awaitStandby() async throws {
        let before = try await standbyReads()
        var number = 0
        while try await standbyReads() == before {
            number += 1
            try await act(number)
        }
    }

    /// Runs statements on the standby as a superuser.
    func operate(_ sql: String) throws -> PostgresResult {
        try PostgresSession(url: url).query(sql)
    }

    /// The id of the reads of Alice's name.
    static let request = "a-read-of-a-name"

    func stop() {
        for server in servers { server.signal(SIGTERM) }
    }
}
