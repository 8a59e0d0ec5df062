internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// A tenant's own words for the texts that people read.
    static let tenantTexts: [Endpoint] = [
        Endpoint(
            operationID: "listTenantTexts", method: .get, path: "/v1/tenant/texts/{locale}",
            caller: .key(scope: .settings), work: .handler(TenantWording.list, arguments: [locale]),
            summary: "List the texts that people read, in one language",
            details:
                """
                All texts are on one page. The languages are those of Kith's catalogue, such as en, de and \
                de-informal. A text in which a number decides has a form for each of CLDR's plural categories of the \
                language.
                """,
            area: "Tenant", answer: .list(of: .tenantText, atMost: 5000), problems: [.notFound]),
        Endpoint(
            operationID: "setTenantTexts", method: .put, path: "/v1/tenant/texts/{locale}",
            caller: .key(scope: .settings), work: .handler(TenantWording.set, arguments: [locale]),
            summary: "Replace texts in one language by the tenant's own words",
            details:
                """
                The body is an object of texts by their keys. A text that it leaves out is the catalogue's again. \
                All or nothing: a placeholder that does not exist, or one left out that must stand, is an error by \
                its key, and so are control characters, line breaks, < and >. A plural form for a single number, \
                such as one, may leave out {count}. Texts are made when they are read, so a replaced one also \
                applies to earlier notifications. Within a minute, all servers use it.
                """,
            area: "Tenant", bound: Bound.administration, body: .anyObject, maximumBody: 1 << 20,
            maximumBodyValues: 10_000, answer: .list(of: .tenantText, atMost: 5000), problems: [.notFound]),
        Endpoint(
            operationID: "resetTenantTexts", method: .delete, path: "/v1/tenant/texts/{locale}",
            caller: .key(scope: .settings), work: .procedure(.write("api.reset_tenant_texts", locale, .now)),
            summary: "Return to the catalogue's texts in one language", area: "Tenant", bound: Bound.ending,
            success: .noContent, problems: [.notFound]),
    ]

    private static let locale = Argument.path("locale", .line)
}
