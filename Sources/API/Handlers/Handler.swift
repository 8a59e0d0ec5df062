internal import Crypto
internal import EventLoop
internal import HTTP
internal import Postgres

/// Work that is more than one procedure: what needs a key that the database does not have, or goes on while the client reads.
enum Handler: Sendable, Equatable {
    case mintToken
    case requestCode
    case signIn
    case refresh
    case signOut
    case changeMe
    case verifyContact
    case addKeys
    /// A tenant's endpoint for events, whose secret is made here.
    case addWebhook
    case rotateWebhook
    /// By which provider a tenant's messages leave on a channel: checked and sealed here.
    case putChannel(String)
    /// Everything about the user, procedure call by procedure call while the client reads.
    case export
    /// Many users at once, a line each.
    case userImport
    /// Reading phone numbers, which the database cannot, before its procedure.
    case connectionInvitation
    /// The same before nominees are invited, of whom each gets a result.
    case nomineeInvitation
    /// A document's content, in chunks that the server seals while they come: as a new document, or instead of another content.
    case documentUpload
    case documentReplacement
    /// The same, opened while they go.
    case documentContent
    /// What happened with a vault, a page of it as JSON or all of it as a table.
    case vaultHistory
    /// Marking all notifications as read, some at a time.
    case readNotifications
    /// What happens, when it happens.
    case events
}

/// A request on its way to a handler: limits, credential and body are checked.
struct HandledRequest {
    let http: HTTPRequest
    /// The address that it comes from, behind the proxies.
    let client: NetworkAddress?
    let endpoint: Endpoint
    /// The body; checked against the endpoint's schema.
    let body: JSONDocument?
    /// Who asks; nil where a secret in the body says it.
    let caller: Caller?
    /// The parameters of a call: those of its context, and then what the endpoint takes of path and query.
    let values: [PostgresValue]
    let statements: Statements

    /// When the server received it, in microseconds since 1970.
    var now: Int64 { http.receivedAt }
    /// For what is decided later than that.
    var clock: WallClock { statements.pool.loop.clock }
    var success: HTTPStatus { endpoint.success }

    /// What the endpoint takes of path and query at that place, as text; nil where it was not given.
    func text(_ place: Int) -> String? {
        if case .text(let text) = values[PreparedRoute.Call.contextSize + place] { text } else { nil }
    }

    /// Who asks, at an endpoint that finds out.
    func identified() throws(Problem) -> Caller {
        guard let caller else { throw Problem(fault: "a handler without a caller") }
        return caller
    }
}

/// Where the statements of one request run: each in a transaction of its own, or all in the one that an `Idempotency-Key` began.
struct Statements {
    let pool: PostgresPool
    /// Whose bulkhead they are behind: ``Caller/client(of:)``.
    let client: Int
    let transaction: PostgresTransaction?

    /// The same, each in a transaction of its own.
    var independent: Statements { Statements(pool: pool, client: client, transaction: nil) }

    /// The same, all in `transaction`.
    func within(_ transaction: PostgresTransaction) -> Statements {
        Statements(pool: pool, client: client, transaction: transaction)
    }

    /// What a procedure answers to `caller`; nil for null.
    ///
    /// - Throws: ``Problem``: what it refuses, raised or returned.
    func ask(
        _ call: PreparedRoute.Call, as caller: Caller?, _ values: [PostgresValue]
    ) async throws(Problem) -> [UInt8]? {
        let json = try await run(call, PreparedRoute.Call.context(of: caller) + values)
        try Answer.throwRefusal(json)
        return json
    }

    /// Runs a call with all of its parameters, those of its context too.
    func run(_ call: PreparedRoute.Call, _ values: [PostgresValue]) async throws(Problem) -> [UInt8]? {
        do throws(PostgresError) {
            let result =
                if let transaction {
                    try await transaction.query(call.statement, values)
                } else {
                    try await pool.query(call.statement, values, lane: call.lane, client: client)
                }
            return result.bytes(0, 0)
        } catch {
            throw Problem(error)
        }
    }

    /// The same, read.
    func facts(
        _ call: PreparedRoute.Call, as caller: Caller?, _ values: [PostgresValue]
    ) async throws(Problem) -> JSONDocument? {
        guard let json = try await ask(call, as: caller, values) else { return nil }
        return try JSONDocument(json)
    }
}

/// The handlers over what they share.
///
/// Confined to the event loop's thread: only the API server of that loop has it.
struct Handlers {
    let masterKey: MasterKey
    let publicURL: String
    private let idempotency: Idempotency
    private let events: EventHub
    private let exports = InFlightLimit(
        most: 2, refusal: "Your data is being exported already. Please wait until that is done.")
    private let uploads = InFlightLimit(
        most: 4, refusal: "You are uploading 4 documents already. Please wait for one of them.")
    private let downloads = InFlightLimit(
        most: 16, refusal: "You are downloading 16 documents already. Please wait for one of them.")

    init(masterKey: MasterKey, publicURL: String, idempotency: Idempotency, events: EventHub) {
        self.masterKey = masterKey
        self.publicURL = publicURL
        self.idempotency = idempotency
        self.events = events
    }

    /// Does the work.
    func answer(_ handler: Handler, _ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let mint = TokenMint(statements: request.statements, masterKey: masterKey)
        let codes = OneTimeCodes(statements: request.statements, masterKey: masterKey)
        let sessions = Sessions(statements: request.statements, mint: mint, codes: codes)
        switch handler {
        case .mintToken: return try await mint.answer(request)
        case .requestCode: return try await codes.request(request)
        case .signIn: return try await sessions.begin(request)
        case .refresh: return try await sessions.refresh(request)
        case .signOut: return try await sessions.end(request)
        case .changeMe: return try await codes.changeMe(request)
        case .verifyContact: return try await codes.verifyContact(request)
        case .putChannel(let channel):
            return try await DeliveryProviders(statements: request.statements, masterKey: masterKey).put(
                channel, request)
        case .addKeys: return try await ProviderKeys(statements: request.statements, masterKey: masterKey).add(request)
        case .addWebhook:
            return try await TenantWebhooks(statements: request.statements, masterKey: masterKey).add(request)
        case .rotateWebhook:
            return try await TenantWebhooks(statements: request.statements, masterKey: masterKey).rotate(request)
        case .export:
            let caller = try request.identified()
            let export = UserExport(
                pool: request.statements.pool, caller: caller, now: request.now, place: try exports.enter(caller))
            return try await export.answer()
        case .userImport:
            let users = UserImport(
                statements: request.statements, caller: try request.identified(), request: request.http,
                schema: request.endpoint.body ?? .anyObject)
            return try await users.answer()
        case .connectionInvitation:
            return try await ConnectionInviting(statements: request.statements, publicURL: publicURL).answer(request)
        case .nomineeInvitation:
            return try await NomineeInviting(statements: request.statements, publicURL: publicURL).answer(request)
        case .documentUpload, .documentReplacement:
            let caller = try request.identified()
            let upload = DocumentUpload(
                request: request, caller: caller, masterKey: masterKey, idempotency: idempotency,
                place: try uploads.enter(caller))
            return try await upload.answer(replaces: handler == .documentReplacement)
        case .documentContent:
            let caller = try request.identified()
            let download = DocumentDownload(
                request: request, caller: caller, masterKey: masterKey, place: try downloads.enter(caller))
            return try await download.answer()
        case .vaultHistory: return try await VaultHistory(request).answer()
        case .readNotifications: return try await NotificationReading(request).answer()
        case .events: return try await EventStreaming(hub: events).answer(request)
        }
    }
}
