package import Crypto
package import HTTP
internal import JSON
internal import Postgres
package import Problems
package import Requests
internal import Texts

/// Sends and tries one-time codes, for signing in and for verifying contacts.
package struct OneTimeCodes {
    package let statements: Statements
    package let masterKey: MasterKey

    /// Sends and tries codes with `statements`.
    package init(statements: Statements, masterKey: MasterKey) {
        self.statements = statements
        self.masterKey = masterKey
    }

    /// Answers `POST /v1/auth/otp`.
    package func request(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let challenge = try await send(
            to: Contact(request.body), as: request.identified(),
            knownBy: request.body?.root["refresh_token"]?.string.map { RefreshToken($0) }, formKey: request.formKey,
            accepting: request.http.headers.list("Accept-Language"), at: request.now)
        var json = JSONWriter()
        json.object { $0.field("challenge_id", challenge) }
        return Answer.jsonResponse(request.success, json.bytes)
    }

    /// Sends a sign-in code if the contact can sign in. Returns the challenge's id; the result looks the same for
    /// everybody.
    ///
    /// `token` is a refresh token of a device on which the user has signed in before. Strangers cannot use up that
    /// device's codes. `languages` is the `Accept-Language` of the request, for somebody whose own language is not
    /// known.
    package func send(
        to contact: Contact, as caller: Caller, knownBy token: RefreshToken? = nil, formKey: FormKey? = nil,
        accepting languages: String?,
        at now: Int64
    ) async throws(Problem) -> String {
        let code = try OneTimeCode.make(
            tenant: caller.tenantID, for: contact.address, formKey: formKey, at: now, with: masterKey)
        let answer = try await statements.facts(
            Self.requestCode, as: caller,
            [
                .text(contact.channel), .text(contact.address), token.map { .bytea($0.hash) } ?? .null,
                TextCatalogue.kith.language(accepting: languages).map { .text($0.tag) } ?? .null, .bytes(code.bytes),
                .instant(now),
            ])
        guard let challenge = answer?.root["challenge_id"]?.string else {
            throw Problem(fault: "api.request_code gave no challenge")
        }
        return challenge
    }

    /// Answers `PATCH /v1/me`. Makes a code for each contact that changes.
    package func changeMe(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let caller = try request.identified()
        var codes: [(name: String, json: [UInt8])] = []
        for name in ["phone", "email"] {
            guard let address = request.body?.root[name]?.string else { continue }
            let code = try OneTimeCode.make(
                tenant: caller.tenantID, for: address, formKey: request.formKey, at: request.now, with: masterKey)
            codes.append((name, code.bytes))
        }
        var json = JSONWriter()
        json.object { json in
            for code in codes { json.field(code.name, json: code.json) }
        }
        let answer = try await statements.ask(
            Self.updateMe, as: caller,
            [.bytes(request.body?.root.text ?? Array("{}".utf8)), .bytes(json.bytes), .instant(request.now)])
        return try Answer.response(answer, success: request.success)
    }

    /// Answers `POST /v1/me/contacts/verify`.
    package func verifyContact(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let contact = try Contact(request.body)
        let caller = try request.identified()
        let guesses = try await guesses(
            request.body?.root["code"]?.string ?? "", of: contact, as: caller, at: request.now)
        let answer = try await statements.ask(
            Self.verifyContact, as: caller,
            [.text(contact.channel), .text(contact.address), .bytes(guesses), .instant(request.now)])
        return try Answer.response(answer, success: request.success)
    }

    /// The hashes that the codes would have if the typed `code` were right, by the codes' ids: for the code of
    /// `challenge`, or without one for each valid code of the contact. It is JSON for the database, which compares them
    /// and counts the attempt.
    package func guesses(
        _ code: String, of contact: Contact, challenge: String? = nil, as caller: Caller, at now: Int64
    ) async throws(Problem) -> [UInt8] {
        let ids: [String]
        if let challenge {
            ids = [challenge]
        } else {
            let live = try await statements.facts(
                Self.liveCodes, as: caller, [.text(contact.channel), .text(contact.address), .instant(now)])
            ids = live?.root["ids"]?.elements.compactMap(\.string) ?? []
        }
        var guesses: [(id: String, hashes: [String])] = []
        for id in ids {
            do throws(CryptoError) {
                let hashes = try OneTimeCode.hashes(code, id: id, tenant: caller.tenantID, with: masterKey)
                guesses.append((id, hashes))
            } catch {
                throw Problem(fault: "\(error)")
            }
        }
        var json = JSONWriter()
        json.object { json in
            for guess in guesses { json.array(guess.id, guess.hashes) { $0.string($1) } }
        }
        return json.bytes
    }

    private static let requestCode = ProcedureCall(
        "api.request_code", ["text", "text", "bytea", "text", "jsonb", "timestamptz"], lane: .writes,
        worksWhileSuspended: true)
    private static let liveCodes = ProcedureCall("api.live_codes", ["text", "text", "timestamptz"], lane: .reads)
    private static let updateMe = ProcedureCall("api.update_me", ["jsonb", "jsonb", "timestamptz"], lane: .writes)
    private static let verifyContact = ProcedureCall(
        "api.verify_contact", ["text", "text", "jsonb", "timestamptz"], lane: .writes)
}
