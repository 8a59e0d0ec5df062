internal import Crypto
internal import Delivery
internal import HTTP
internal import JSON
internal import Pages
internal import Postgres
internal import Problems
internal import Requests
internal import Texts

/// A request for the page behind a link in a message: without a sign-in and without a script. Viewing such a page
/// changes nothing, because mail scanners and previews follow links; only the page's own form does.
struct LinkVisit {
    /// The path's parameters.
    static let parameters: [Argument] = [.path("token", .opaque)]
    /// The largest form in bytes.
    static let maximumBody = 4 << 10
    /// The field of the form with its token.
    static let form = JSONSchema.Property(
        "form", .string(.opaque), required: true, "The form's token.", example: .text("5f2c9a1e07b34d68"))

    /// What the page shows, in the language of the message that has the link.
    struct Content {
        let facts: JSONValue
        let texts: Texts
    }

    /// The path of the page.
    let path: String
    let request: HTTPRequest
    private let link: MessageLink
    private let services: Services
    private let statements: Statements

    /// Reads the link in the path of a request, whose first segment is `folder`.
    ///
    /// - Throws: ``Problem`` `not_found` if the path has no such link.
    init(_ request: ResourceRequest, in folder: String, _ services: Services) throws(Problem) {
        guard let link = MessageLink(request.path[0]) else { throw Problem(.notFound) }
        self.link = link
        self.services = services
        self.request = request.http
        path = "/\(folder)/\(link.token)"
        statements = Statements(
            pool: services.pool, client: Caller.strangers, request: request.http.id, transaction: nil)
    }

    /// The fields of the form that was sent; none without one.
    static func fields(of request: HTTPRequest) -> [String: String] {
        guard request.method == .post else { return [:] }
        return Dictionary(request.form.filter(\.isUTF8).map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The token of the page's form. It is bound to the link and to no cookie, which a browser inside another app may
    /// not keep: whoever can read it has the link.
    var form: FormToken {
        get throws(Problem) { try FormToken(subject: path, secret: "", isKnown: true, services.masterKey) }
    }

    /// What a procedure says of the link. Its arguments are the tenant, the hash of the link, those of the caller, and
    /// the instant.
    func read(_ procedure: ProcedureCall, _ arguments: [PostgresValue] = []) async throws(Problem) -> Content {
        let facts = try await statements.facts(
            procedure, as: nil,
            [.text(String(link.tenantID)), .bytea(link.hash)] + arguments + [.instant(request.receivedAt)])
        guard let root = facts?.root, let tenantID = root["tenant_id"]?.integer else {
            throw Problem(fault: "the procedure of a link in a message left something out")
        }
        let wording = Wording(root["wording"], tenantID: tenantID, locale: root["locale"]?.string)
        return Content(facts: root, texts: await services.answerTexts.texts(of: wording))
    }
}
