internal import Crypto
internal import HTTP
internal import Postgres

/// Sends one-time codes and tries them: to sign in, and to confirm a contact.
struct OneTimeCodes {
    let statements: Statements
    let masterKey: MasterKey

    /// Answers `POST /v1/auth/otp`.
    func request(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let answer = try await send(to: Contact(request.body), as: request.identified(), at: request.now)
        return Answer.jsonResponse(request.success, answer ?? [])
    }

    /// Sends a code to sign in with, if there is somebody to sign in; the answer is the same for everybody.
    @discardableResult
    func send(to contact: Contact, as caller: Caller, at now: Int64) async throws(Problem) -> [UInt8]? {
        let code = try OneTimeCode.make(for: contact.address, tenant: caller.tenantID, at: now, with: masterKey)
        return try await statements.ask(
            Self.requestCode, as: caller,
            [.text(contact.channel), .text(contact.address), .bytes(code.bytes), .instant(now)])
    }

    /// Answers `PATCH /v1/me`: with a code for each contact that is to be another.
    func changeMe(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let caller = try request.identified()
        var codes: [(name: String, json: [UInt8])] = []
        for name in ["phone", "email"] {
            guard let address = request.body?.root[name]?.string else { continue }
            let code = try OneTimeCode.make(for: address, tenant: caller.tenantID, at: request.now, with: masterKey)
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
    func verifyContact(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let contact = try Contact(request.body)
        let caller = try request.identified()
        let guesses = try await guesses(
            request.body?.root["code"]?.string ?? "", of: contact, as: caller, at: request.now)
        let answer = try await statements.ask(
            Self.verifyContact, as: caller,
            [.text(contact.channel), .text(contact.address), .bytes(guesses), .instant(request.now)])
        return try Answer.response(answer, success: request.success)
    }

    /// For each live code of the contact, by its id, the hashes that it may have if `code`, which was typed, is right: JSON for the database,
    /// which compares and counts.
    func guesses(
        _ code: String, of contact: Contact, as caller: Caller, at now: Int64
    ) async throws(Problem) -> [UInt8] {
        let live = try await statements.facts(
            Self.liveCodes, as: caller, [.text(contact.channel), .text(contact.address), .instant(now)])
        var guesses: [(id: String, hashes: [String])] = []
        for id in live?.root["ids"]?.elements.compactMap(\.string) ?? [] {
            do throws(CryptoError) {
                let hashes = try OneTimeCode.hashes(
                    code, id: id, address: contact.address, tenant: caller.tenantID, with: masterKey)
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

    private static let requestCode = Service.Call(
        "api.request_code", ["text", "text", "jsonb", "timestamptz"], lane: .writes)
    private static let liveCodes = Service.Call("api.live_codes", ["text", "text", "timestamptz"], lane: .reads)
    private static let updateMe = Service.Call("api.update_me", ["jsonb", "jsonb", "timestamptz"], lane: .writes)
    private static let verifyContact = Service.Call(
        "api.verify_contact", ["text", "text", "jsonb", "timestamptz"], lane: .writes)
}
