import Foundation
import KithClient

extension Preparation {
    /// The steps for the calls about nominees and their invitations.
    static let nominees: [String: Step] = [
        "listNominees": { call, stage in try await invite(&call, stage) },
        "inviteNominees": { call, stage in
            try await invite(&call, stage)
            call.body?["email"] = .string("\(UUID().uuidString)@example.com")
        },
        "getNominee": { call, stage in try await invite(&call, stage) },
        "updateNominee": { call, stage in try await accept(invite(&call, stage), stage) },
        "revokeNominee": { call, stage in try await invite(&call, stage) },
        "resendNomineeInvitation": { call, stage in try await invite(&call, stage) },
        "confirmNominee": { call, stage in
            try await accept(invite(&call, stage, settings: #","require_confirmation":true"#), stage)
        },
        "reportNomineeInvitationOutcome": { call, stage in try await invite(&call, stage) },
        "previewInvitation": { call, stage in try await invite(&call, stage) },
        "acceptInvitation": { call, stage in
            try await invite(&call, stage)
            call.credential = stage.bob.token
        },
        "declineInvitation": { call, stage in
            try await invite(&call, stage)
            call.credential = stage.bob.token
        },
        "listOwnInvitations": { call, stage in try await inviteByContact(&call, stage) },
        "acceptOwnInvitation": { call, stage in try await inviteByContact(&call, stage) },
        "declineOwnInvitation": { call, stage in try await inviteByContact(&call, stage) },
        "setInvitationDraft": { call, stage in
            try await invite(&call, stage)
            call.body?["vault_id"] = .string(call.path["id"] ?? "")
        },
        "deleteInvitationDraft": { _, _ in },
        "takeInvitationDraft": { call, stage in try await invite(&call, stage) },
        "getInvitationPage": { call, stage in try await invite(&call, stage) },
        "submitInvitationForm": { call, stage in
            let page = InvitationPageClient(client: stage.house.client, token: try await invite(&call, stage))
            call.headers["Cookie"] = page.cookie
            call.body?["form"] = .string(try await page.formToken())
            call.body?["contact"] = .string(SignInHouse.number())
        },
    ]

    /// Has Alice invite a person into a new vault, and puts vault, nominee and token into the request's path; the
    /// token.
    @discardableResult
    private static func invite(
        _ call: inout DocumentedCall, _ stage: DocumentedStage, settings: String = ""
    ) async throws -> UUID {
        let vault: Kith.Vault = try await stage.alice.get(
            "POST", "/v1/vaults", #"{"name":"Family papers"\#(settings)}"#, status: 201)
        let nominee: Kith.InvitedNominee = try await stage.alice.get(
            "POST", "/v1/vaults/\(vault.id.text)/nominees", #"{"name":"Bob"}"#, status: 201)
        let token = nominee.invitation.token
        for (name, id) in [("id", vault.id), ("n", nominee.id), ("token", token)] { call.path[name] = id.text }
        return token
    }

    /// Has Alice invite Bob by a phone number that he has verified, and puts the invitation into the request's path.
    private static func inviteByContact(_ call: inout DocumentedCall, _ stage: DocumentedStage) async throws {
        let number = SignInHouse.number()
        try stage.bob.verify(number, in: stage.house.installation)
        let vault = try await stage.alice.makeVault()
        let nominee = try await stage.alice.invite("Bob", to: vault, as: .view, #","phone":"\#(number)""#)
        call.path["id"] = nominee.id.text
        call.credential = stage.bob.token
    }

    private static func accept(_ token: UUID, _ stage: DocumentedStage) async throws {
        let _: Kith.AcceptedInvitation = try await stage.bob.get("POST", "/v1/invitations/\(token.text)/accept")
    }
}
