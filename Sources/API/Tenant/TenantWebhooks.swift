internal import Crypto
internal import Delivery
internal import Foundation
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// A tenant's webhooks. The server makes and seals their secrets, since the database cannot, and shows each secret
/// once.
struct TenantWebhooks {
    private let statements: Statements
    private let masterKey: MasterKey

    /// Answers `POST /v1/tenant/webhooks`.
    static func add(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await TenantWebhooks(statements: request.statements, masterKey: services.masterKey).add(request)
    }

    /// Answers `POST /v1/tenant/webhooks/{id}/rotate`.
    static func rotate(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await TenantWebhooks(statements: request.statements, masterKey: services.masterKey).rotate(request)
    }

    private func add(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        guard let body = request.body?.root, let url = body["url"]?.string else {
            throw Problem(fault: "a checked body without a url")
        }
        let checked: OutboundURL
        do throws(OutboundURL.Refusal) {
            checked = try OutboundURL(url)
        } catch {
            throw .invalid("url", error.message)
        }
        var stored = JSONWriter()
        stored.object { json in
            json.field("url", checked.text)
            for member in body.members where member.name != "url" { json.field(member.name, json: member.value.text) }
        }
        let caller = try request.identified()
        let id = UUID7.make(at: request.now)
        let secrets = WebhookSecrets()
        let answer = try await statements.ask(
            Self.addWebhook, as: caller,
            [.text(id), .bytes(stored.bytes), .bytea(try seal(secrets, caller, id)), .instant(request.now)])
        return try Self.response(answer, secrets.newest, request)
    }

    private func rotate(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        guard let id = request.arguments.text("id")?.lowercased() else {
            throw Problem(fault: "a checked path without an id")
        }
        let caller = try request.identified()
        let facts = try await statements.facts(Self.secrets, as: caller, [.text(id)])
        guard let old = (facts?.root["sealed"]?.string).flatMap({ Data(base64Encoded: $0) }).map(Array.init) else {
            throw Problem(fault: "api.webhook_secrets gave none")
        }
        let secrets: WebhookSecrets
        do throws(WebhookSecrets.Unreadable) {
            secrets = try WebhookSecrets(old, tenant: caller.tenantID, id: id, with: masterKey).rotated(at: request.now)
        } catch {
            throw Problem(.unavailable, "The server's master key does not open this webhook's secret.")
        }
        let answer = try await statements.ask(
            Self.rotateWebhook, as: caller,
            [.text(id), .bytea(old), .bytea(try seal(secrets, caller, id)), .instant(request.now)])
        return try Self.response(answer, secrets.newest, request)
    }

    private func seal(_ secrets: WebhookSecrets, _ caller: Caller, _ id: String) throws(Problem) -> [UInt8] {
        do throws(CryptoError) {
            return try secrets.sealed(tenant: caller.tenantID, id: id, with: masterKey)
        } catch {
            throw Problem(fault: "\(error)")
        }
    }

    /// The webhook from the database, with its newest secret added.
    private static func response(
        _ webhook: [UInt8]?, _ secret: String, _ request: HandledRequest
    ) throws(Problem) -> HTTPResponse {
        guard let webhook, let end = webhook.lastIndex(of: UInt8(ascii: "}")) else {
            throw Problem(fault: "a webhook that is no object")
        }
        var json = JSONWriter()
        json.string(secret)
        return Answer.jsonResponse(
            request.success, Array(webhook[..<end]) + Array(#","secret":"#.utf8) + json.bytes + [UInt8(ascii: "}")])
    }

    private static let addWebhook = ProcedureCall(
        "api.add_webhook", ["uuid", "jsonb", "bytea", "timestamptz"], lane: .writes)
    private static let secrets = ProcedureCall("api.webhook_secrets", ["uuid"], lane: .reads)
    private static let rotateWebhook = ProcedureCall(
        "api.rotate_webhook", ["uuid", "bytea", "bytea", "timestamptz"], lane: .writes)
}
