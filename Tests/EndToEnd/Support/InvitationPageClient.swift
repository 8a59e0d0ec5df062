import Foundation
import Testing

/// A browser's part in the page of an invitation: it keeps a cookie, and sends forms.
struct InvitationPageClient: Sendable {
    let client: APIClient
    let token: UUID
    /// As if the page had been opened before; what the cookie says is nobody's but the browser's.
    let cookie = "kith_form=" + String(repeating: "5a", count: 16)

    var path: String { "/i/\(token.text)" }

    func open() async throws -> APIClient.Answer {
        try await client.send("GET", path, headers: ["Cookie": cookie])
    }

    /// What the page's forms carry.
    func formToken() async throws -> String {
        let page = try await open()
        guard let match = page.text.firstMatch(of: /name="form" value="([0-9a-f]+)"/) else {
            throw KithProcess.Failure(description: "no form: \(page.status) \(page.text)")
        }
        return String(match.1)
    }

    /// Sends a form of the page; its token is looked up unless it is among the fields.
    func submit(_ fields: [String: String], cookie: String? = nil) async throws -> APIClient.Answer {
        var fields = fields
        if fields["form"] == nil { fields["form"] = try await formToken() }
        let body = fields.map { "\($0.key)=\($0.value.formEncoded)" }.joined(separator: "&")
        return try await client.send(
            "POST", path, body,
            headers: ["Cookie": cookie ?? self.cookie, "Content-Type": "application/x-www-form-urlencoded"])
    }
}

extension String {
    /// As a value in a form's body.
    var formEncoded: String {
        addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "0123456789abcdef")) ?? ""
    }
}
