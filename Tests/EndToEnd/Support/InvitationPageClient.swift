import Foundation
import Testing

/// A browser's part in the page of an invitation: it keeps a cookie and submits forms.
struct InvitationPageClient: Sendable {
    let client: APIClient
    let token: UUID
    /// A cookie as if the page had been opened before; its value is chosen by the browser.
    let cookie = "kith_form=" + String(repeating: "5a", count: 16)

    var path: String { "/i/\(token.text)" }

    func open() async throws -> APIClient.Answer {
        try await client.send("GET", path, headers: ["Cookie": cookie])
    }

    /// The token in the page's forms.
    func formToken() async throws -> String {
        let page = try await open()
        guard let match = page.text.firstMatch(of: /name="form" value="([0-9a-f]+)"/) else {
            throw KithProcess.Failure(description: "no form: \(page.status) \(page.text)")
        }
        return String(match.1)
    }

    /// Submits a form of the page; its token is fetched unless it is among the fields.
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
    /// The string encoded as a value in a form's body.
    var formEncoded: String {
        addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "0123456789abcdef")) ?? ""
    }
}
