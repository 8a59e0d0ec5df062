import Foundation
import Testing

/// Somebody who uses the web client with a browser that runs no scripts: it keeps cookies, follows redirects, and sends
/// the forms of pages.
final class WebVisitor {
    let client: APIClient
    let tenant: String
    /// The languages that the browser prefers.
    var languages: String?
    private(set) var cookies: [String: String] = [:]
    /// The page that is shown.
    private(set) var page = WebPage(path: "", status: 0, headers: [:], html: "")

    /// The field `Cookie` of the browser's requests.
    var cookieField: String { cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }

    init(_ client: APIClient, tenant: String = "acme") {
        self.client = client
        self.tenant = tenant
    }

    /// Opens a page and follows where it leads.
    @discardableResult
    func open(_ path: String, headers: [String: String] = [:]) async throws -> WebPage {
        try await go("GET", path, nil, headers: headers)
    }

    /// Fills in the form that has the button `act`, and presses the button.
    @discardableResult
    func press(_ act: String, _ fields: [(String, String)] = [], headers: [String: String] = [:]) async throws
        -> WebPage
    {
        let form = try #require(page.form(with: act), "no button \(act) on \(page.path): \(page.html)")
        return try await send(form, act, fields, headers: headers)
    }

    /// Sends a form, which may be of a page that was left.
    @discardableResult
    func send(
        _ form: WebPage.Form, _ act: String, _ fields: [(String, String)] = [], headers: [String: String] = [:]
    ) async throws -> WebPage {
        let names = Set(fields.map(\.0))
        let all = form.fields.filter { !names.contains($0.0) } + fields + (act.isEmpty ? [] : [("act", act)])
        let body = all.formBody
        return try await go("POST", form.action, body, headers: headers)
    }

    /// Sends a form with files: their names, types and contents.
    @discardableResult
    func upload(
        _ files: [(name: String, type: String, content: String)], with form: WebPage.Form? = nil,
        _ fields: [(String, String)] = []
    ) async throws -> WebPage {
        let form = try form ?? #require(page.forms.first { $0.html.contains("type=\"file\"") })
        let names = Set(fields.map(\.0))
        let boundary = "----test\(UUID().uuidString)"
        var body = ""
        for (name, value) in form.fields.filter({ $0.0 != "files" && !names.contains($0.0) }) + fields {
            body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }
        for file in files {
            let name = file.name.replacing("\"", with: "%22")
            body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"files\"; filename=\"\(name)\"\r\n"
            body += "Content-Type: \(file.type)\r\n\r\n\(file.content)\r\n"
        }
        body += "--\(boundary)--\r\n"
        return try await go(
            "POST", form.action, body, headers: ["Content-Type": "multipart/form-data; boundary=\(boundary)"])
    }

    /// Fetches something as a page or the browser does by itself. The page that is shown stays.
    func fetch(_ path: String, headers: [String: String] = [:]) async throws -> APIClient.Answer {
        try await client.exchange("GET", path, headers: headers.merging(["Cookie": cookieField]) { $1 })
    }

    /// Signs in with a code that `house` delivers. If not `opens`, the browser does not follow to the first page.
    func signIn(_ contact: String, _ house: SignInHouse, opens: Bool = true) async throws {
        // Whoever is signed in is led past the sign-in.
        cookies = [:]
        try await open("/sign-in?t=\(tenant)")
        let before = try house.mailbox.items(for: contact).count
        try await press("code", [("contact", contact)])
        let code = try await house.newCode(to: contact, after: before)
        if !opens {
            let form = try #require(page.form(with: "sign-in"))
            let fields = form.fields.filter { $0.0 != "code" } + [("code", code), ("act", "sign-in")]
            let body = fields.formBody
            let answer = try await client.exchange(
                "POST", form.action, body,
                headers: ["Content-Type": "application/x-www-form-urlencoded", "Cookie": cookieField])
            return keep(answer.headers["set-cookie"])
        }
        try await press("sign-in", [("code", code)])
        guard page.path == "/today" else { throw KithProcess.Failure(description: page.html) }
    }

    private func go(_ method: String, _ path: String, _ body: String?, headers: [String: String] = [:]) async throws
        -> WebPage
    {
        var (method, path, body, headers) = (method, path, body, headers)
        for _ in 0..<5 {
            var fields = headers
            if !cookies.isEmpty { fields["Cookie"] = cookieField }
            if body != nil, fields["Content-Type"] == nil {
                fields["Content-Type"] = "application/x-www-form-urlencoded"
            }
            if let languages { fields["Accept-Language"] = languages }
            fields["Accept"] = "text/html"
            // As a browser says it of a page that a person opens.
            if method == "GET" {
                fields["Sec-Fetch-Site"] = fields["Sec-Fetch-Site"] ?? "same-origin"
                fields["Sec-Fetch-Dest"] = fields["Sec-Fetch-Dest"] ?? "document"
            }
            let (sentMethod, sentPath, sentBody, sentFields) = (method, path, body, fields)
            let answer = try await client.patiently {
                try await client.exchange(sentMethod, sentPath, sentBody, headers: sentFields)
            }
            keep(answer.headers["set-cookie"])
            page = WebPage(path: path, status: answer.status, headers: answer.headers, html: answer.text)
            guard let next = answer.headers["location"], (300..<400).contains(answer.status) else { return page }
            (method, path, body, headers) = ("GET", next, nil, [:])
        }
        throw KithProcess.Failure(description: "redirected too often: \(path)")
    }

    private func keep(_ header: String?) {
        // The attributes of the cookies have no commas.
        for cookie in header?.components(separatedBy: ", ") ?? [] {
            let parts = cookie.components(separatedBy: "; ")
            let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.contains("Max-Age=0") { cookies[pair[0]] = nil } else { cookies[pair[0]] = pair[1] }
        }
    }
}

/// A page as a browser has it.
struct WebPage {
    let path: String
    let status: Int
    let headers: [String: String]
    let html: String

    /// A form of a page.
    struct Form {
        let action: String
        let html: String
        /// The fields with their values, without buttons.
        let fields: [(String, String)]
    }

    /// What a reader reads in the page's main part.
    var text: String {
        let main = html.components(separatedBy: "<main").last?.components(separatedBy: "</main>").first ?? html
        return main.replacing(/<\/?bdi>/, with: "").replacing(/<[^>]*>/, with: " ").replacing(/\s+/, with: " ")
            .unescaped
    }

    var heading: String {
        (html.firstMatch(of: /<h1[^>]*>(.*?)<\/h1>/.dotMatchesNewlines()).map { String($0.1) } ?? "")
            .replacing(/<[^>]*>/, with: "").unescaped
    }

    var forms: [Form] {
        html.matches(of: /<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/.dotMatchesNewlines()).map { match in
            let html = String(match.2)
            var fields: [(String, String)] = []
            for input in html.matches(of: /<input ([^>]*)>/) {
                let attributes = String(input.1)
                let value = attributes.firstMatch(of: /value="([^"]*)"/).map { String($0.1).unescaped } ?? ""
                guard let name = attributes.firstMatch(of: /name="([^"]*)"/)?.1 else { continue }
                let isChoice = attributes.contains("type=\"checkbox\"") || attributes.contains("type=\"radio\"")
                if !isChoice || attributes.contains(" checked") { fields.append((String(name), value)) }
            }
            for area in html.matches(of: /<textarea [^>]*name="([^"]*)"[^>]*>\n?(.*?)<\/textarea>/.dotMatchesNewlines())
            {
                fields.append((String(area.1), String(area.2).unescaped))
            }
            for choice in html.matches(of: /<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/.dotMatchesNewlines()) {
                let chosen =
                    String(choice.2).firstMatch(of: /<option value="([^"]*)" selected>/)
                    ?? String(choice.2).firstMatch(of: /<option value="([^"]*)">/)
                fields.append((String(choice.1), chosen.map { String($0.1).unescaped } ?? ""))
            }
            return Form(action: String(match.1).unescaped, html: html, fields: fields)
        }
    }

    /// The form that has a button or a hidden field for the act.
    func form(with act: String) -> Form? {
        forms.first { $0.html.contains("name=\"act\" value=\"\(act)\"") }
    }
}

extension String {
    /// The text with the references that pages have as characters.
    var unescaped: String {
        replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}

extension [(String, String)] {
    /// The body of a form with these fields.
    var formBody: String { map { "\($0.0.formEncoded)=\($0.1.formEncoded)" }.joined(separator: "&") }
}
