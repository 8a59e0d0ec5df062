internal import HTTP
internal import Identity
internal import NetworkAddresses
internal import Problems
internal import Web

/// A file for the visitor. The API call that returns it checks and records the access.
enum SiteFile: CaseIterable, Sendable {
    /// A document, to be saved.
    case document
    /// A document, to be shown in the browser.
    case preview
    /// A vault's history as a table.
    case history

    static let all = allCases

    var path: String {
        switch self {
        case .document: "/vaults/{id}/documents/{doc}/file"
        case .preview: "/vaults/{id}/documents/{doc}/preview"
        case .history: "/vaults/{id}/history.csv"
        }
    }

    /// Answers the request of somebody who is signed in.
    ///
    /// - Throws: ``Problem`` as the call refuses, and `unsupported_media_type` for a preview of a type that browsers do
    ///   not show safely.
    func answer(
        _ site: SiteServer, _ request: HTTPRequest, _ path: [String], _ session: BrowserSessions.Session,
        _ client: NetworkAddress?
    ) async throws(Problem) -> HTTPResponse {
        // A page of another site must not make the browser read a document, which the vault's history records.
        if let origin = request.header("Sec-Fetch-Site"), origin != "same-origin", origin != "none" {
            throw Problem(.forbidden, "Open this file from the page of its vault.")
        }
        // Nor is a document ever a script, a style or a worker of this site, whatever its type.
        if let use = request.header("Sec-Fetch-Dest"), !Self.uses.contains(use) {
            throw Problem(.forbidden, "Open this file from the page of its vault.")
        }
        let vault = PathID.of(path[0])
        var headers: HTTPHeaders = [:]
        for name in ["Range", "If-Range", "If-None-Match"] {
            if let value = request.headers.list(name) { headers.add(name, value) }
        }
        let call: APICall =
            switch self {
            case .document, .preview: .get("/v1/vaults/\(vault)/documents/\(PathID.of(path[1]))/content")
            case .history: .get("/v1/vaults/\(vault)/history")
            }
        if case .history = self { headers.add("Accept", MediaType.csv.rawValue) }
        var response = try await site.call(
            call, for: request, as: .person(session), client: client, headers: headers)
        if case .preview = self { try Self.show(&response) }
        // Browsers that do not say for what they use an answer run nothing of this type.
        if case .document = self {
            var headers: HTTPHeaders = ["Content-Type": "application/octet-stream"]
            for (name, value) in response.headers.fields where name.lowercased() != "content-type" {
                headers.add(name, value)
            }
            response.headers = headers
        }
        return response
    }

    /// What a browser may use a file for, as `Sec-Fetch-Dest` names it.
    private static let uses: Set = ["document", "empty", "iframe", "image", "embed", "object", "video", "audio"]

    /// Lets the browser show a document in a sandbox: it runs no scripts, sends no forms, opens no windows and has an
    /// opaque origin.
    private static func show(_ response: inout HTTPResponse) throws(Problem) {
        guard let type = response.headers["Content-Type"], let shown = DocumentPreview(type) else {
            throw Problem(.unsupportedMediaType, "Browsers do not show this kind of document safely. Save it instead.")
        }
        var headers: HTTPHeaders = [:]
        for name in ["ETag", "Accept-Ranges", "Content-Range", "Cache-Control"] {
            if let value = response.headers[name] { headers.add(name, value) }
        }
        headers.add("Content-Type", shown.type)
        headers.add("Content-Disposition", "inline")
        headers.add("X-Content-Type-Options", "nosniff")
        headers.add(
            "Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'self'")
        headers.add("Cross-Origin-Resource-Policy", "same-origin")
        headers.add("Referrer-Policy", "no-referrer")
        response.headers = headers
    }
}
