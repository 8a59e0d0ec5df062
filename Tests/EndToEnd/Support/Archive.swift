import Crypto
import Foundation
import Glibc
import KithClient
import LocalPostgres
import Postgres
import Testing

/// Alice with an open vault, and helpers for its documents.
struct Archive {
    let alice: Person
    let vault: Kith.Vault
    let installation: Installation
    let client: APIClient

    init(_ installation: Installation, _ client: APIClient, _ tenant: Installation.Tenant? = nil) async throws {
        self.installation = installation
        self.client = client
        alice = try await Person.join(tenant ?? installation.acme, as: "Alice", client)
        vault = try await alice.get("POST", "/v1/vaults", #"{"name":"Papers"}"#, status: 201)
        let _: Kith.VaultSession = try await alice.get("POST", "/v1/vaults/\(vault.id)/open", "{}", status: 201)
    }

    var path: String { "/v1/vaults/\(vault.id)/documents" }

    func path(_ document: Kith.Document) -> String { "\(path)/\(document.id)" }

    /// Adds a document, as Alice or as another person.
    func add(
        _ content: Data, name: String = "Will.pdf", type: String? = "application/pdf", as person: Person? = nil
    ) async throws -> Kith.Document {
        let escaped = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try await client.patiently {
            try await client.send(
                "POST", "\(path)?name=\(escaped)", content: content, type: type, as: (person ?? alice).token)
        }
        guard answer.status == 201 else { throw KithProcess.Failure(description: "\(answer.status) \(answer.text)") }
        return try answer.decode()
    }

    func content(
        _ document: Kith.Document, as person: Person? = nil, _ headers: [String: String] = [:]
    ) async throws -> APIClient.Answer {
        try await client.send("GET", path(document) + "/content", as: (person ?? alice).token, headers: headers)
    }

    /// A person who is an accepted nominee of the vault.
    func nominee(_ name: String, _ level: Kith.AccessLevel) async throws -> Person {
        let person = try await Person.join(installation.acme, as: name, client)
        _ = try installation.session().query(
            """
            insert into kith.nominees (
              tenant_id, id, vault_id, owner_id, user_id, name, status, access_level, invited_at, accepted_at, updated_at
            )
            values ($1, gen_random_uuid(), $2, $3, $4, 'Somebody', 'accepted', $5, \(Day.sql), \(Day.sql), \(Day.sql))
            """,
            [
                .int(installation.acme.tenantID), .text(vault.id.uuidString), .text(alice.id.uuidString),
                .text(person.id.uuidString), .text(level.rawValue),
            ])
        return person
    }

    func revoke(_ person: Person) throws {
        _ = try installation.session().query(
            """
            update kith.nominees set status = 'revoked', revoked_at = \(Day.sql), revoke_reason = 'removed' where user_id = $1
            """, [.text(person.id.uuidString)])
    }

    /// The number of versions and chunks that the vault has.
    func kept() throws -> (versions: Int, chunks: Int) {
        let counts = try installation.session().query(
            """
            select count(distinct v.id), count(c.n) from kith.document_versions v
            left join kith.document_chunks c on c.tenant_id = v.tenant_id and c.version_id = v.id
            where v.vault_id = $1
            """, [.text(vault.id.uuidString)])
        return (counts.int(0, 0) ?? -1, counts.int(0, 1) ?? -1)
    }

    /// Waits until `count` versions are left.
    func waitForVersions(_ count: Int) async throws {
        for _ in 0..<1000 {
            if try kept().versions == count { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw KithProcess.Failure(description: "\(try kept().versions) versions are left")
    }

    /// The actions that the vault's history has for a document.
    func history(_ document: Kith.Document) throws -> [String] {
        let rows = try installation.session().query(
            "select action from kith.history where subject_id = $1 order by id", [.text(document.id.uuidString)])
        return (0..<rows.rowCount).compactMap { rows.string($0, 0) }
    }
}

/// Random content of `count` bytes.
func bytes(_ count: Int) -> Data { Data(randomBytes(count)) }
/// The SHA-256 of `data`, in hexadecimal.
func hash(_ data: Data) -> String { Hex.encode(sha256(Array(data))) }
