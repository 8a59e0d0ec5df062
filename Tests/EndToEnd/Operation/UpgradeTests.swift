import Foundation
import KithClient
import Postgres
import Synchronization
import TestThreads
import Testing

@testable import Schema

@Suite(.mayBlock) struct `An upgrade of the schema` {
    private struct Pair: Sendable {
        let alice: Person
        let bob: Person
        let connection: Kith.Connection
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .relaxed) }

        func set() {
            value.store(true, ordering: .relaxed)
        }
    }

    @Test func `while a server answers fails no request`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        var made: [Pair] = []
        for _ in 0..<3 {
            let alice = try await Person.join(installation.acme, as: "Alice", client)
            let bob = try await Person.join(installation.acme, as: "Bob", client)
            try await alice.becomeSender()
            made.append(Pair(alice: alice, bob: bob, connection: try await alice.connect(bob.becomeReceiver().code)))
        }
        let pairs = made

        // The next releases. In the first ones every file has changed, so that every function, view and policy is made
        // anew; in the last ones only the view of connections, which functions in other files use.
        let releases = (1...8).map { number in
            DefinitionFile.ordered(
                embeddedFiles.filter { !$0.path.hasPrefix(Migration.folder) }.map { path, text in
                    let isChanged = number <= 5 || path == "connections/internal.connections.sql"
                    return (path, text + "-- Release \(isChanged ? number : 5).\n")
                })
        }
        let isOver = Flag()
        let (answers, outcomes) = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
            for pair in pairs {
                group.addTask { try await Self.use(pair, until: isOver) }
            }
            defer { isOver.set() }
            let outcomes = try releases.map { try Migrator(installation.session(), files: $0).migrate() }
            isOver.set()
            return (
                try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }, outcomes
            )
        }
        #expect(outcomes.prefix(5).map(\.definitions) == releases.prefix(5).map { $0.map(\.path) })
        let faults = server.standardError.split(separator: "\n").filter { $0.contains(" error ") }
        let answered = answers[200] ?? 0
        #expect(Set(answers.keys).subtracting([503]) == [200], "\(answers), \(faults)")
        #expect(answers[503, default: 0] * 100 <= answered, "\(answers), \(faults)")
        print("while \(releases.count) releases were applied, \(answers[200] ?? 0) requests were answered")
    }

    /// Sends requests of both sides once, and again and again until `isOver` is set, but no more check-ins than a day
    /// allows. Returns how many were answered with each status.
    private static func use(_ pair: Pair, until isOver: Flag) async throws -> [Int: Int] {
        var statuses: [Int: Int] = [:]
        for round in 0..<150 where round == 0 || !isOver.isSet {
            for (person, method, path, body) in [
                (pair.alice, "POST", "/v1/pings/check-in", "{}"), (pair.bob, "GET", "/v1/dashboard?role=receiver", nil),
                (pair.bob, "GET", "/v1/notifications", nil), (pair.bob, "PATCH", "/v1/me", #"{"display_name":"Bob"}"#),
                (pair.alice, "GET", "/v1/connections/\(pair.connection.id)", nil),
                (pair.alice, "GET", "/v1/me", nil),
            ] {
                var status = try await person.send(method, path, body).status
                statuses[status, default: 0] += 1
                // On a busy machine a request may be told to come again, which clients do by themselves.
                guard status == 503 else { continue }
                try await Task.sleep(for: .seconds(1))
                status = try await person.send(method, path, body).status
                statuses[status, default: 0] += 1
            }
        }
        return statuses
    }
}
