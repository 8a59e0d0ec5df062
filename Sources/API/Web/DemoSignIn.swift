internal import Identity
internal import Postgres
internal import Problems
internal import Requests

/// Signs in a person of `kith dev`'s demo without a code. The procedure exists only in a database that `kith dev` made.
struct DemoSignIn {
    let pool: PostgresPool

    /// Begins a sign-in of the person with that display name. Returns the secret for the browser.
    func begin(_ name: String, in tenantID: Int, at now: Int64, request: String) async throws(Problem) -> String {
        let statements = Statements(pool: pool, client: tenantID, request: request, transaction: nil)
        let secret = RefreshToken(tenant: tenantID, forBrowser: true)
        let caller = Caller(tenantID: tenantID, slug: "", kind: .anyone)
        _ = try await statements.ask(
            Self.call, as: caller, [.text(name), .bytea(secret.hash), .instant(now)])
        return secret.text
    }

    private static let call = ProcedureCall(
        "api.begin_demo_session", ["text", "bytea", "timestamptz"], lane: .writes, checksCaller: false)
}
