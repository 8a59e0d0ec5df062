internal import Delivery
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Answers `PUT /v1/me/devices`: checks that pushes can be sent to the device, and stores it. The database cannot check
/// the keys of a subscription.
enum DeviceRegistration {
    private static let put = ProcedureCall("api.put_device", ["jsonb", "timestamptz"], lane: .writes)

    static func answer(_ request: HandledRequest, _: Services) async throws(Problem) -> HTTPResponse {
        guard let body = request.body?.root, let platform = body["platform"]?.string,
            let token = body["token"]?.string
        else { throw Problem(fault: "a checked body without platform or token") }
        var json = JSONWriter()
        do throws(DeviceAddress.Refusal) {
            var stored = (endpoint: token, keys: WebPushKeys?.none)
            if platform == "web", let keys = body["keys"], let point = keys["p256dh"]?.string,
                let secret = keys["auth"]?.string
            {
                stored = try DeviceAddress.checkWebPush(
                    endpoint: token, keys: WebPushKeys(p256dh: point, auth: secret))
            } else if platform == "ios", body["keys"] == nil {
                try DeviceAddress.checkAPNs(token: token)
            }
            json.object { json in
                for member in body.members where !["token", "keys"].contains(member.name) {
                    json.field(member.name, json: member.value.text)
                }
                json.field("token", stored.endpoint)
                if let keys = stored.keys {
                    json.object("keys") { json in
                        json.field("p256dh", keys.p256dh)
                        json.field("auth", keys.auth)
                    }
                } else if let keys = body["keys"] {
                    json.field("keys", json: keys.text)
                }
            }
        } catch {
            throw .invalid(error.field, error.message)
        }
        let answer = try await request.statements.ask(
            put, as: try request.identified(), [.bytes(json.bytes), .instant(request.now)])
        return try Answer.response(answer, success: request.success)
    }
}
