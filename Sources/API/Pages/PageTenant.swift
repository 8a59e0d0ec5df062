internal import HTTP
internal import JSON
internal import Pages
internal import Postgres
internal import Problems
internal import Requests

/// The public facts of the tenant whose page is requested.
struct PageTenant {
    let id: Int
    let slug: String
    /// The region in whose format phone numbers without a country code are read.
    let defaultRegion: String?
    let brand: Brand
    /// The tenant's join link, or this server's join page, with the requested code if it is valid.
    let joinURL: String
    let appLink: String?
    /// The tenant's own page for signing in.
    let signInURL: String?
    /// Where the join page leads at once; nil if it shows itself.
    let redirectURL: String?
    let appIDs: [String]
    let isSuspended: Bool
    /// What the tenant has set about the words of its pages; nil if nothing.
    let wording: Wording?

    /// The refusal of a page whose address names no tenant.
    static let unknown = Problem(.notFound, "There is no such page. Is the link complete?")

    /// The tenant of a request, found by its host or else by `slug`, which is in the parameter `t` unless it is given;
    /// nil if there is none.
    ///
    /// - Throws: ``Problem`` `unavailable` if the database cannot be reached.
    static func of(
        _ request: HTTPRequest, _ pool: PostgresPool, publicURL: String, slug: String? = nil
    ) async throws(Problem) -> PageTenant? {
        let values: [PostgresValue] = [
            host(of: request).map(PostgresValue.text) ?? .null,
            (slug ?? request.parameter("t")).flatMap { isSlug($0) ? .text($0) : nil } ?? .null,
            JoinPage.code(of: request).map(PostgresValue.text) ?? .null,
            .text(publicURL),
        ]
        let json: [UInt8]?
        do throws(PostgresError) {
            json = try await pool.query(statement, values, client: Caller.strangers).bytes(0, 0)
        } catch {
            throw Problem(error)
        }
        guard let json else { return nil }
        let facts = try JSONDocument(answer: json).root
        guard let id = facts["tenant_id"]?.integer, let slug = facts["slug"]?.string,
            let brand = Brand(facts), let joinURL = facts["join_url"]?.string
        else { throw Problem(fault: "api.page_tenant left something out") }
        return PageTenant(
            id: id, slug: slug, defaultRegion: facts["default_region"]?.string, brand: brand,
            joinURL: joinURL,
            appLink: facts["app_link"]?.string,
            signInURL: facts["sign_in_url"]?.string,
            redirectURL: facts["redirect_url"]?.string,
            appIDs: facts["app_ids"]?.elements.compactMap(\.string) ?? [],
            isSuspended: facts["status"]?.string != "active",
            wording: facts["wording"]?["tenant_id"]?.integer.flatMap { Wording(facts["wording"], tenantID: $0) })
    }

    /// The request's host name without the port and the full stop of the root, with which it is the same host; nil if
    /// there is none, or if it is an IPv6 address.
    static func host(of request: HTTPRequest) -> String? {
        // Outside ASCII, lower-casing can turn one letter into another: U+212A becomes k.
        guard let field = request.header("Host"), field.utf8.allSatisfy({ $0 < 0x80 }), !field.hasPrefix("[") else {
            return nil
        }
        var name = field.prefix { $0 != ":" }
        while name.hasSuffix(".") { name.removeLast() }
        return name.isEmpty ? nil : name.lowercased()
    }

    /// Whether a text can be the slug of a tenant.
    static func isSlug(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static let statement = PostgresStatement(
        name: "page_tenant", sql: "select api.page_tenant($1::text, $2::text, $3::text, $4::text)")
}

extension HTTPRequest {
    /// The first value of a query parameter. Pages accept unknown parameters, since links get decorated on their way.
    func parameter(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }
}
