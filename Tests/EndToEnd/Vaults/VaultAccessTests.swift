import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

/// The permissions on a vault: every call, by every kind of person, in every state of the session. Each case has a
/// house of its own, in which nobody has done anything yet.
@Suite(.mayBlock) struct `The permissions on a vault` {
    enum Who: Int, CaseIterable {
        case owner, view, edit, full, inactive, pending, revoked, stranger, otherTenant
    }

    enum State: CaseIterable {
        case locked, open, expired
    }

    /// A call and the status that each person gets, in the order of ``Who``.
    struct Row: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        var body: String?
        var type = "application/json"
        /// The statuses while the vault has no live session: locked or expired.
        let closed: String
        let open: String

        var testDescription: String { "\(method) \(path)" }

        func expected(_ who: Who, _ state: State) -> Int? {
            let line = state == .open ? open : closed
            return Int(line.split(separator: " ")[who.rawValue])
        }
    }

    static let rows = [
        Row(
            method: "GET", path: "", closed: "200 200 200 200 200 200 403 404 404",
            open: "200 200 200 200 200 200 403 404 404"),
        Row(
            method: "PATCH", path: "", body: #"{"name":"Mine"}"#, closed: "200 403 403 403 403 403 403 404 404",
            open: "200 403 403 403 403 403 403 404 404"),
        Row(
            method: "DELETE", path: "", closed: "204 403 403 403 403 403 403 404 404",
            open: "204 403 403 403 403 403 403 404 404"),
        Row(
            method: "POST", path: "/open", body: "{}", closed: "201 423 423 423 403 403 403 404 404",
            open: "200 200 200 200 403 403 403 404 404"),
        Row(
            method: "POST", path: "/activity", body: "{}", closed: "423 423 423 423 403 403 403 404 404",
            open: "200 200 200 200 403 403 403 404 404"),
        Row(
            method: "POST", path: "/lock", body: "{}", closed: "200 403 403 200 403 403 403 404 404",
            open: "200 403 403 200 403 403 403 404 404"),
        Row(
            method: "GET", path: "/history", closed: "200 403 403 403 403 403 403 404 404",
            open: "200 403 403 403 403 403 403 404 404"),
        Row(
            method: "GET", path: "/documents", closed: "423 423 423 423 403 403 403 404 404",
            open: "200 200 200 200 403 403 403 404 404"),
        Row(
            method: "POST", path: "/documents?name=new", body: "new", type: "text/plain",
            closed: "423 423 423 423 403 403 403 404 404", open: "201 403 201 201 403 403 403 404 404"),
        Row(
            method: "GET", path: "/documents/{document}", closed: "423 423 423 423 403 403 403 404 404",
            open: "200 200 200 200 403 403 403 404 404"),
        Row(
            method: "GET", path: "/documents/{document}/content", closed: "423 423 423 423 403 403 403 404 404",
            open: "200 200 200 200 403 403 403 404 404"),
        Row(
            method: "PUT", path: "/documents/{document}", body: "other", type: "text/plain",
            closed: "423 423 423 423 403 403 403 404 404", open: "200 403 200 200 403 403 403 404 404"),
        Row(
            method: "PATCH", path: "/documents/{document}", body: #"{"name":"renamed"}"#,
            closed: "423 423 423 423 403 403 403 404 404", open: "200 403 200 200 403 403 403 404 404"),
        Row(
            method: "DELETE", path: "/documents/{document}", closed: "423 423 423 423 403 403 403 404 404",
            open: "204 403 403 204 403 403 403 404 404"),
        Row(
            method: "GET", path: "/nominees", closed: "200 200 200 200 403 403 403 404 404",
            open: "200 200 200 200 403 403 403 404 404"),
        Row(
            method: "POST", path: "/nominees", body: #"{"name":"Zoe","access_level":"view"}"#,
            closed: "201 423 423 423 403 403 403 404 404", open: "201 403 403 201 403 403 403 404 404"),
        Row(
            method: "POST", path: "/nominees", body: #"{"name":"Zoe","access_level":"full"}"#,
            closed: "201 423 423 423 403 403 403 404 404", open: "201 403 403 403 403 403 403 404 404"),
        Row(
            method: "PATCH", path: "/nominees/{view}", body: #"{"access_level":"edit"}"#,
            closed: "200 403 403 403 403 403 403 404 404", open: "200 403 403 403 403 403 403 404 404"),
        Row(
            method: "DELETE", path: "/nominees/{inactive}", closed: "204 423 423 423 204 403 403 404 404",
            open: "204 403 403 204 204 403 403 404 404"),
        Row(
            method: "PUT", path: "/share", body: "{}", closed: "200 403 403 403 403 403 403 404 404",
            open: "200 403 403 403 403 403 403 404 404"),
        Row(
            method: "PUT", path: "/nominees/{view}/emergency",
            body: #"{"wait_hours":24,"access_level":"view","on_request":true}"#,
            closed: "200 403 403 403 403 403 403 404 404", open: "200 403 403 403 403 403 403 404 404"),
        Row(
            method: "GET", path: "/emergency/requests", closed: "200 200 200 200 403 403 403 404 404",
            open: "200 200 200 200 403 403 403 404 404"),
        // Nobody here has emergency access.
        Row(
            method: "POST", path: "/emergency/requests", body: "{}", closed: "403 403 403 403 403 403 403 404 404",
            open: "403 403 403 403 403 403 403 404 404"),
        Row(
            method: "POST", path: "/emergency/enter", body: "{}", closed: "403 403 403 403 403 403 403 404 404",
            open: "403 403 403 403 403 403 403 404 404"),
        Row(
            method: "POST", path: "/transfer", body: #"{"name":"Zoe","keep_access":true}"#,
            closed: "201 403 403 403 403 403 403 404 404", open: "201 403 403 403 403 403 403 404 404"),
    ]

    /// The people, who are the same in every house.
    private struct Cast {
        let people: [Who: Person]

        init(_ installation: Installation, _ client: APIClient) async throws {
            var people: [Who: Person] = [:]
            for who in Who.allCases {
                let tenant = who == .otherTenant ? installation.globex : installation.acme
                people[who] = try await Person.join(tenant, as: "\(who)", client)
            }
            self.people = people
        }

        subscript(who: Who) -> Person {
            get throws { try #require(people[who]) }
        }
    }

    /// A vault with a document and a nominee of each kind.
    private struct House {
        let vault: UUID
        let document: UUID
        let nominees: [Who: UUID]

        init(_ cast: Cast, _ state: State, _ installation: Installation, _ session: PostgresSession) async throws {
            let owner = try cast[.owner]
            let made: Kith.Vault = try await owner.get("POST", "/v1/vaults", #"{"name":"Papers"}"#, status: 201)
            let _: Kith.VaultSession = try await owner.get("POST", "/v1/vaults/\(made.id)/open", "{}", status: 201)
            let added = try await owner.client.send(
                "POST", "/v1/vaults/\(made.id)/documents?name=will", "The will", as: owner.token,
                headers: ["Content-Type": "text/plain"])
            document = try #require((try JSON(added.body))["id"]?.string.flatMap(UUID.init), "\(added.text)")
            vault = made.id
            let statuses: [Who: (status: String, level: String)] = [
                .view: ("accepted", "view"), .edit: ("accepted", "edit"), .full: ("accepted", "full"),
                .inactive: ("inactive", "view"), .pending: ("pending", "full"), .revoked: ("revoked", "full"),
            ]
            var nominees: [Who: UUID] = [:]
            for (who, (status, level)) in statuses {
                let id = UUID()
                nominees[who] = id
                _ = try session.query(
                    """
                    insert into kith.nominees (
                      tenant_id, id, vault_id, owner_id, user_id, name, status, needs_confirmation, access_level, invited_at,
                      accepted_at, revoked_at, revoke_reason, updated_at
                    )
                    values (
                      $1, $2, $3, $4, $5, 'Somebody', $6::text, $6::text = 'pending', $7, \(Day.sql), \(Day.sql),
                      case $6::text when 'revoked' then \(Day.sql) end, case $6::text when 'revoked' then 'removed' end, \(Day.sql)
                    )
                    """,
                    [
                        .int(installation.acme.tenantID), .text(id.text), .text(made.id.text), .text(owner.id.text),
                        .text(try cast[who].id.text), .text(status), .text(level),
                    ])
            }
            self.nominees = nominees
            switch state {
            case .open: break
            case .locked: let _: Kith.VaultSession = try await owner.get("POST", "/v1/vaults/\(made.id)/lock", "{}")
            case .expired:
                _ = try session.query(
                    "update kith.vault_sessions set expires_at = \(Day.sql) where vault_id = $1", [.text(made.id.text)])
            }
        }

        func path(of row: Row) -> String {
            var path = "/v1/vaults/\(vault)\(row.path)".replacing("{document}", with: "\(document)")
            for (who, id) in nominees { path = path.replacing("{\(who)}", with: "\(id)") }
            return path
        }
    }

    @Test(arguments: rows) func `are those in the table`(_ row: Row) async throws {
        let (installation, _, client) = try shared.get()
        let cast = try await Cast(installation, client)
        let session = try installation.session()
        for state in State.allCases {
            for who in Who.allCases {
                let house = try await House(cast, state, installation, session)
                let answer = try await client.patiently {
                    try await client.send(
                        row.method, house.path(of: row), row.body, as: cast[who].token,
                        headers: row.body == nil ? [:] : ["Content-Type": row.type])
                }
                #expect(
                    answer.status == row.expected(who, state),
                    "\(row.testDescription) by \(who), \(state): \(answer.text.prefix(200))")
            }
        }
    }
}
