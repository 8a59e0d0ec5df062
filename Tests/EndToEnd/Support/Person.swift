import Foundation
import KithClient
import KithServer

/// A user of a tenant, signed in.
struct Person: Sendable {
    let id: UUID
    let token: String
    let client: APIClient

    /// Creates a user and a token through the calls of a tenant's server.
    static func join(_ tenant: Installation.Tenant, as name: String, _ client: APIClient) async throws -> Person {
        let user: Kith.User = try await client.get(
            "POST", "/v1/users", #"{"display_name":"\#(name)"}"#, as: tenant.secretKey, status: 201)
        let token: Kith.AccessToken = try await client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(user.id)"}"#, as: tenant.secretKey, status: 201)
        return Person(id: user.id, token: token.accessToken, client: client)
    }

    func send(_ method: String, _ path: String, _ body: String? = nil) async throws -> APIClient.Answer {
        try await client.send(method, path, body, as: token)
    }

    func get<Value: Decodable>(
        _ method: String, _ path: String, _ body: String? = nil, status: Int = 200
    ) async throws -> Value {
        try await client.get(method, path, body, as: token, status: status)
    }

    /// Becomes a sender; by default one whose ping stays open for hours of ``Day``, so that there is something to check
    /// in to.
    @discardableResult
    func becomeSender(at time: String = "11:00", zone: String = "UTC", grace: Int = 719) async throws
        -> Kith.SenderProfile
    {
        try await get(
            "PUT", "/v1/me/sender-profile",
            #"{"ping_time":"\#(time)","time_zone":"\#(zone)","grace_minutes":\#(grace),"reminder_minutes":15}"#)
    }

    @discardableResult
    func becomeReceiver() async throws -> Kith.ReceiverProfile {
        try await get("PUT", "/v1/me/receiver-profile", "{}")
    }

    func connect(_ code: String) async throws -> Kith.Connection {
        try await get("POST", "/v1/connections", #"{"code":"\#(code)"}"#, status: 201)
    }

    func notifications() async throws -> [Kith.Notification] {
        let page: Kith.NotificationPage = try await get("GET", "/v1/notifications")
        return page.items
    }
}
