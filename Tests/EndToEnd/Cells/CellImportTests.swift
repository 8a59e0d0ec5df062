import Foundation
import KithClient
import KithServer
import LocalPostgres
import Postgres
import TestThreads
import Testing

/// `kith tenant import … --cell` (decisions 29 and 51).
@Suite(.mayBlock) struct `A tenant that comes from another installation` {
    private let source: Installation
    private let leaver: Installation.Tenant
    private let house: CellHouse
    private let folder = FileManager.default.temporaryDirectory.appending(path: "kith-cell-\(UUID().uuidString)")

    init() throws {
        source = try Installation(offset: nil, cells: 1)
        leaver = try source.tenant("leaver")
        house = try CellHouse(["east", "west"], offset: nil)
        try house.addAll()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(String(repeating: "ab", count: 32).utf8).write(to: folder.appending(path: "key"))
    }

    @Test func `goes into the cell that the operator names, and is found there by all that it had`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        // The number that the tenant had, and that its secret key still names, is another tenant's here, in another
        // cell.
        let namesake = try house.tenant("namesake", in: "east")
        #expect(namesake.tenantID == leaver.tenantID)
        let archive = try await export()

        #expect(try house.kith("cell", "close", "west").status == 0)
        #expect(try load(into: "west").errors.contains("The cell west is closed for new tenants"))
        #expect(try house.kith("cell", "open", "west").status == 0)
        #expect(try load(into: "north").errors.contains("north"))
        #expect(try places().rowCount == 0, "what is refused is not in the map")

        // An interrupted import keeps its number and its cell.
        try interrupt(in: "west")
        let number = try #require(try places().int(0, 0))
        let elsewhere = try load(into: "east")
        #expect(elsewhere.errors.contains("already, in the cell west"), "\(elsewhere.errors)")
        let loaded = try load(into: nil)
        #expect(loaded.status == 0, "\(loaded.errors)")
        let place = try places()
        #expect(place.rowCount == 1 && place.int(0, 0) == number && place.string(0, 1) == "west")
        #expect(number != leaver.tenantID)
        #expect(try load(into: "west").errors.contains("There is a tenant 'leaver' already"))

        // Nothing of it is in another cell.
        #expect(try house.session("west").query("select tenant_id from kith.tenants").int(0, 0) == number)
        let user = archive.alice.id.text
        let sessions = [
            try house.session("west"), try house.session("east"), try house.installation.session(),
        ]
        let counts = try sessions.map {
            try $0.query("select from kith.users where id = $1::uuid", [.text(user)]).rowCount
        }
        #expect(counts == [1, 0, 0])

        let (server, client) = try house.installation.serve()
        defer { server.signal(SIGTERM) }
        for cell in ["east", "west"] { try house.awaitUse(of: cell, by: server) }
        // The secret key leads to its tenant although its text has the namesake's number, and that one's own key to the
        // namesake.
        for tenant in [leaver, namesake] {
            let answer = try await client.send("GET", "/v1/tenant", as: tenant.secretKey)
            #expect(answer.status == 200 && answer.text.contains("\"\(tenant.slug)\""), "\(answer.text)")
        }
        let token: Kith.AccessToken = try await client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(archive.alice.id)"}"#, as: leaver.secretKey, status: 201)
        let alice = Person(id: archive.alice.id, token: token.accessToken, client: client)
        #expect(try await alice.send("GET", "/v1/me").status == 200)
        // The vault is still open, as it was when the tenant left.
        let _: Kith.VaultSession = try await alice.get("POST", "/v1/vaults/\(archive.vault.id)/open", "{}")
        let vaults: Kith.VaultPage = try await alice.get("GET", "/v1/vaults")
        #expect(vaults.items.map(\.id) == [archive.vault.id])
        #expect(try await client.send("GET", "/v1/users/\(user)", as: namesake.secretKey).status == 404)

        // It is worked for like any tenant of its cell, and the commands find it.
        let worked = try house.kith("worker", "--once", "--cell", "west")
        #expect(worked.status == 0, "\(worked.errors)")
        let runs = try house.session("west").query("select from kith.ping_runs where finished_at is not null")
        #expect(runs.rowCount > 0)
        #expect(try house.kith("tenant", "set", "leaver", "brand_name=Neu").status == 0)
        #expect(try house.session("west").query("select brand_name from kith.tenants").string(0, 0) == "Neu")
    }

    /// Fills the tenant, deletes it and exports it.
    private func export() async throws -> Archive {
        let (server, client) = try source.serve()
        defer { server.signal(SIGTERM) }
        let archive = try await Archive(source, client, leaver)
        let bob = try await Person.join(leaver, as: "Bob", client)
        try await archive.alice.becomeSender()
        _ = try await archive.alice.connect(bob.becomeReceiver().code)
        _ = try await archive.add(Data("a will".utf8))
        try CellHouse.check(
            KithProcess.run(["tenant", "delete", "leaver", "--reason", "moves"], environment: source.environment))
        try source.session().execute(
            """
            update kith.tenants set deleted_at = now() - interval '1 day', suspended_at = now() - interval '1 day'
            where slug = 'leaver'
            """)
        try CellHouse.check(
            KithProcess.run(
                ["tenant", "export", "leaver", folder.appending(path: "export").path] + key,
                environment: source.environment
            ))
        return archive
    }

    private var key: [String] { ["--key", folder.appending(path: "key").path] }

    private func importing(into cell: String?) throws -> KithProcess {
        let place = cell.map { ["--cell", $0] } ?? []
        return try KithProcess(
            ["tenant", "import", folder.appending(path: "export").path] + key + place,
            environment: house.installation.environment)
    }

    private func load(into cell: String?) throws -> (status: Int32, errors: String) {
        let command = try importing(into: cell)
        return (command.wait(), command.standardError)
    }

    /// Kills an import when it reaches the documents.
    private func interrupt(in cell: String) throws {
        try importing(into: cell).killWhenItReaches("document_chunks") { try house.session(cell) }
    }

    /// The number and the cell that the map has for the tenant.
    private func places() throws -> PostgresResult {
        try house.installation.session().query(
            "select tenant_id, cell from kith.tenant_cells where slug = 'leaver'")
    }
}
