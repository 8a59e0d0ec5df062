import Foundation
import KithClient

/// Alice, who sends pings, and Bob, who receives them.
struct Pair: Sendable {
    let alice: Person
    let bob: Person
    let connection: UUID

    init(_ tenant: Installation.Tenant, _ client: APIClient) async throws {
        alice = try await Person.join(tenant, as: "Alice", client)
        bob = try await Person.join(tenant, as: "Bob", client)
        try await alice.becomeSender()
        connection = try await alice.connect(bob.becomeReceiver().code).id
    }

    /// Causes two events for Bob: a connection event and a notification.
    func pause() async throws { try await act("pause") }
    func resume() async throws { try await act("resume") }

    private func act(_ what: String) async throws {
        let answer = try await alice.send("POST", "/v1/connections/\(connection.text)/\(what)")
        guard answer.status == 200 else { throw KithProcess.Failure(description: "\(what): \(answer.text)") }
    }
}
