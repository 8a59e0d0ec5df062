internal import HTTP
internal import JSON
internal import Postgres
internal import Requests
internal import Texts

/// Chooses the texts of pages and refusals: their language, and the tenant's own words.
///
/// The language is the one that `Accept-Language` prefers, else the caller's, else the tenant's default, else English. A tenant's own words
/// are read when they are first needed, and again once the tenant's facts, which are checked every minute, say that they have changed.
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
        guard let wording, let changedAt = wording.textsChangedAt else { return Texts(in: language) }
        return Texts(in: language, own: await ownTexts(of: wording.tenantID, changedAt: changedAt))
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
