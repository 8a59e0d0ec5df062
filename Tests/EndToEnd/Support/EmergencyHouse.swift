import Foundation
import KithClient

/// Alice's vault with a document, and Bob, who has emergency access to it, on an installation whose clock the test
/// moves.
struct EmergencyHouse {
    let installation: Installation
    let alice: Person
    let bob: Person
    let vault: Kith.Vault
    let nominee: Kith.InvitedNominee
    private let server: KithProcess

    /// A house at the start of ``Day``. `more` is the rest of the settings of Bob's emergency access.
    init(waitHours: Int = 24, level: Kith.AccessLevel = .view, onRequest: Bool = true, _ more: String = "") async throws
    {
        installation = try Installation(offset: Day.offset(from: Day.start))
        let (server, client) = try installation.serve()
        self.server = server
        let archive = try await Archive(installation, client)
        _ = try await archive.add(Data("Bob has the spare key.".utf8), name: "Keys", type: "text/plain")
        (alice, vault) = (archive.alice, archive.vault)
        bob = try await Person.join(installation.acme, as: "Bob", client)
        let invited = try await alice.invite("Bob", to: vault)
        try await bob.accept(invited)
        nominee = invited
        let _: Kith.VaultSession = try await alice.get("POST", "/v1/vaults/\(vault.id)/lock")
        try await alice.giveEmergencyAccess(
            to: nominee, of: vault, waitHours: waitHours, level: level, onRequest: onRequest, more)
    }

    /// Lets `body` act at that instant, at a server whose clock goes on from there. No worker runs unless `body` runs
    /// it.
    func at(
        _ instant: Date, _ body: (_ alice: Person, _ bob: Person) async throws -> Void
    ) async throws {
        let (server, client) = try installation.serve(["KITH_CLOCK_OFFSET": "\(Day.offset(from: instant))"])
        defer { server.signal(SIGTERM) }
        try await body(alice.at(client, installation.acme), bob.at(client, installation.acme))
    }

    /// Runs the worker once at that instant.
    func work(at instant: Date) throws { try installation.work(at: instant.formatted(.iso8601)) }

    func end() { server.signal(SIGTERM) }
}
