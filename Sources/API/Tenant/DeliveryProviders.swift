internal import Crypto
internal import Delivery
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Stores a tenant's settings for a delivery provider. They are validated and sealed before the database gets them.
struct DeliveryProviders {
    let statements: Statements
    let masterKey: MasterKey
    let publicURL: String

    /// The handler of `PUT /v1/tenant/channels/…`.
    static func put(_ channel: String) -> Endpoint.Handler {
        { (request, services) async throws(Problem) in
            try await DeliveryProviders(
                statements: request.statements, masterKey: services.masterKey, publicURL: services.publicURL
            )
            .put(channel, request)
        }
    }

    private func put(_ channel: String, _ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let caller = try request.identified()
        var settings = try Self.settings(channel, request.http.body)
        if let previous = try await previous(channel, caller) { settings = settings.keeping(previous) }
        let sealed: [UInt8]
        do throws(CryptoError) {
            sealed = try ChannelCredentials.seal(
                settings.json, tenant: caller.tenantID, channel: channel, with: masterKey)
        } catch {
            throw Problem(fault: "credentials cannot be sealed: \(error)")
        }
        let answer = try await statements.ask(
            Self.putChannel, as: caller,
            [
                .text(channel), .bytes(settings.summary), .bytea(sealed), .text(publicURL), .instant(request.now),
            ])
        return try Answer.response(answer, success: request.success)
    }

    /// The current settings; nil if there are none, or if the master key does not open them.
    private func previous(_ channel: String, _ caller: Caller) async throws(Problem) -> ChannelSettings? {
        guard let known = try await statements.facts(Self.sealedChannel, as: caller, [.text(channel)]),
            let sealed = known.root["sealed"]?.string.flatMap(Hex.decode),
            let json = try? ChannelCredentials.open(sealed, tenant: caller.tenantID, channel: channel, with: masterKey)
        else { return nil }
        return try? ChannelSettings(channel: channel, json: json)
    }

    private static func settings(_ channel: String, _ json: [UInt8]) throws(Problem) -> ChannelSettings {
        do throws(ChannelSettingsError) {
            return try ChannelSettings(new: channel, json: json)
        } catch {
            throw Problem(
                .validationFailed, errors: error.errors.map { .init(field: $0.field, message: $0.message) })
        }
    }

    private static let putChannel = ProcedureCall(
        "api.put_channel", ["text", "jsonb", "bytea", "text", "timestamptz"], lane: .writes)
    private static let sealedChannel = ProcedureCall("api.sealed_channel", ["text"], lane: .reads)
}
