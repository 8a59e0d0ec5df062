import Foundation
import KithClient
import KithServer

extension Person {
    /// Gives a nominee emergency access; `more` is the rest of the body.
    @discardableResult
    func giveEmergencyAccess(
        to nominee: Kith.InvitedNominee, of vault: Kith.Vault, waitHours: Int = 24, level: Kith.AccessLevel = .view,
        onRequest: Bool = true,
        _ more: String = ""
    ) async throws -> Kith.EmergencySettings {
        try await get(
            "PUT", "/v1/vaults/\(vault.id)/nominees/\(nominee.id)/emergency",
            #"{"wait_hours":\#(waitHours),"access_level":"\#(level.rawValue)","on_request":\#(onRequest)\#(more)}"#)
    }

    @discardableResult
    func askForEmergencyAccess(to vault: Kith.Vault, _ body: String = "{}") async throws -> Kith.EmergencyRequest {
        try await get("POST", "/v1/vaults/\(vault.id)/emergency/requests", body, status: 201)
    }

    func emergencyRequest(_ request: Kith.EmergencyRequest) async throws -> Kith.EmergencyRequest {
        try await get("GET", "/v1/vaults/\(request.vaultID)/emergency/requests/\(request.id)")
    }

    func emergencyRequests(of vault: Kith.Vault, _ query: String = "") async throws -> [Kith.EmergencyRequest] {
        let page: Kith.EmergencyRequestPage = try await get(
            "GET", "/v1/vaults/\(vault.id)/emergency/requests\(query)")
        return page.items
    }

    /// Approves, rejects or withdraws a request.
    @discardableResult
    func decide(_ verb: String, _ request: Kith.EmergencyRequest) async throws -> Kith.EmergencyRequest {
        try await get("POST", "/v1/vaults/\(request.vaultID)/emergency/requests/\(request.id)/\(verb)")
    }

    func enterInEmergency(_ vault: Kith.Vault) async throws -> APIClient.Answer {
        try await send("POST", "/v1/vaults/\(vault.id)/emergency/enter")
    }

    /// The bodies of the notifications about emergency access, newest first.
    func emergencyNotices() async throws -> [String] {
        try await notifications().filter { $0.type.hasPrefix("emergency_") }.map(\.body)
    }

    /// The same person at another server, whose clock the old token may not suit.
    func at(_ client: APIClient, _ tenant: Installation.Tenant) async throws -> Person {
        let token: Kith.AccessToken = try await client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(id)"}"#, as: tenant.secretKey, status: 201)
        return Person(id: id, token: token.accessToken, client: client)
    }
}
