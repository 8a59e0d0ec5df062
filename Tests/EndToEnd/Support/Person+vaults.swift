import Foundation
import KithClient
import Postgres

extension Person {
    func makeVault(_ name: String = "Papers", settings: String = "") async throws -> Kith.Vault {
        try await get("POST", "/v1/vaults", #"{"name":"\#(name)"\#(settings)}"#, status: 201)
    }

    @discardableResult
    func open(_ vault: Kith.Vault) async throws -> Kith.VaultSession {
        let answer = try await send("POST", "/v1/vaults/\(vault.id)/open")
        return try answer.decode()
    }

    /// Invites one person; `more` is the rest of the body.
    func invite(
        _ name: String, to vault: Kith.Vault, as level: Kith.AccessLevel = .view, _ more: String = ""
    ) async throws -> Kith.InvitedNominee {
        try await get(
            "POST", "/v1/vaults/\(vault.id)/nominees",
            #"{"name":"\#(name)","access_level":"\#(level.rawValue)"\#(more)}"#, status: 201)
    }

    @discardableResult
    func accept(_ nominee: Kith.InvitedNominee) async throws -> Kith.AcceptedInvitation {
        try await get("POST", "/v1/invitations/\(nominee.token)/accept")
    }

    /// Is invited by the owner, and accepts.
    @discardableResult
    func becomeNominee(of vault: Kith.Vault, by owner: Person, as level: Kith.AccessLevel = .view) async throws
        -> Kith.InvitedNominee
    {
        let nominee = try await owner.invite("Somebody", to: vault, as: level)
        try await accept(nominee)
        return nominee
    }

    /// Makes `phone` a verified contact of this person, as if a code had been sent there.
    func verify(_ phone: String, in installation: Installation) throws {
        try installation.session().execute(
            "update kith.users set phone = '\(phone)', phone_verified_at = \(Day.sql) where id = '\(id)'")
    }

    func nominees(of vault: Kith.Vault, _ query: String = "") async throws -> Kith.NomineePage {
        try await get("GET", "/v1/vaults/\(vault.id)/nominees\(query)")
    }
}

extension Kith.InvitedNominee {
    var token: String { invitation.token.text }
}
