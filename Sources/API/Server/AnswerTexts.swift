internal import HTTP
internal import JSON
internal import Postgres
internal import Requests
internal import Texts

/// Chooses the texts of pages and refusals: their language, and the tenant's own words.
///
/// The language is the one that `Accept-Language` prefers, else the caller's, else the tenant's default, else English.
/// The page of a link in a message is in the language of the message.
/// A tenant's own words are read when they are first needed, and again once the tenant's facts, which are checked every
/// minute, say that they have changed.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
final class AnswerTexts {
    /// The most tenants whose own words are kept.
    private static let mostTenants = 1000

    private let pool: PostgresPool
    private let catalogue = TextCatalogue.kith
    private var own: [Int: (changedAt: Int, texts: TenantTexts)] = [:]

    init(pool: PostgresPool) {
        self.pool = pool
    }

    /// The texts that answer a request. `wording` is nil if nothing but the request decides.
    func texts(for request: HTTPRequest, _ wording: Wording?) async -> Texts {
        let accepted = request.headers.list("Accept-Language")
        if accepted == nil && wording == nil { return .english }
        let byDefault = catalogue.language(for: wording?.defaultLocale) ?? catalogue.english
        let language =
            catalogue.language(accepting: accepted, default: byDefault) ?? catalogue.language(for: wording?.locale)
            ?? byDefault
        return Texts(in: language, own: await ownTexts(wording))
    }

    /// The texts of a page that a message leads to: those of the message, whatever language the browser prefers.
    func texts(of wording: Wording?) async -> Texts {
        let language =
            catalogue.language(for: wording?.locale) ?? catalogue.language(for: wording?.defaultLocale)
            ?? catalogue.english
        return Texts(in: language, own: await ownTexts(wording))
    }

    /// The texts of the web client's pages for a tenant.
    func pageTexts(_ wording: Wording?) async -> PageTexts {
        PageTexts(
            own: await ownTexts(wording),
            byDefault: catalogue.language(for: wording?.defaultLocale) ?? catalogue.english)
    }

    private func ownTexts(_ wording: Wording?) async -> TenantTexts? {
        guard let wording, let changedAt = wording.textsChangedAt else { return nil }
        return await ownTexts(of: wording.tenantID, changedAt: changedAt)
    }

    /// The tenant's own words; nil if the database cannot be reached, so that a refusal is still worded.
    private func ownTexts(of tenantID: Int, changedAt: Int) async -> TenantTexts? {
        if let known = own[tenantID], known.changedAt >= changedAt { return known.texts }
        guard
            let result = try? await pool.query(
                Self.statement, [.int(tenantID)], client: tenantID, deadline: .seconds(1)),
            let document = (result.bytes(0, 0)).flatMap({ try? JSONDocument($0) })
        else { return own[tenantID]?.texts }
        let texts = TenantTexts(json: document.root)
        if own.count >= Self.mostTenants { own = [:] }
        own[tenantID] = (changedAt, texts)
        return texts
    }

    private static let statement = PostgresStatement(name: "own_texts", sql: "select api.own_texts($1::integer)")
}

/// The texts of the web client's pages for one tenant, in any language.
struct PageTexts {
    /// The tenant's own words; nil if it has none.
    fileprivate let own: TenantTexts?
    /// The tenant's language.
    fileprivate let byDefault: TextLanguage

    /// The texts in the language of the first of `locales` that Kith has, else in the one that the browser prefers,
    /// else in the tenant's.
    func texts(in locales: String?..., else request: HTTPRequest) -> Texts {
        let catalogue = TextCatalogue.kith
        let language =
            locales.lazy.compactMap { catalogue.language(for: $0) }.first
            ?? catalogue.language(accepting: request.headers.list("Accept-Language"), default: byDefault)
        return Texts(in: language ?? byDefault, own: own)
    }
}
