internal import Crypto
internal import EventLoop
internal import HTTP
internal import Postgres

/// Work that is more than one procedure call: it needs a key that the database does not have, or runs while the client reads.
enum Handler: Sendable, Equatable {
    case mintToken
    case requestCode
    case signIn
    case refresh
    case signOut
    case changeMe
    case verifyContact
    case addKeys
    /// Creates a webhook. The server generates its secret.
    case addWebhook
    case rotateWebhook
    /// Validates and seals the settings of a channel's provider.
    case putChannel(String)
    /// Exports a user's data, one procedure call after another while the client reads.
    case export
    /// Imports many users, one on each line.
    case userImport
    /// Parses phone numbers, which the database cannot do, and invites the people.
    case connectionInvitation
    /// Parses phone numbers and invites nominees, with a result for each.
    case nomineeInvitation
    /// Stores a new document. The server seals the content's chunks as they arrive.
    case documentUpload
    case documentReplacement
    /// Sends a document's content. The server opens its chunks as they are sent.
    case documentContent
    /// Lists a vault's history: one page as JSON, or all of it as a table.
    case vaultHistory
    /// Marks all notifications as read, in batches.
    case readNotifications
    /// Streams events.
    case events
}

/// A request for a handler. Its limits, credential and body have been checked.
struct HandledRequest {
    let http: HTTPRequest
    /// The client's address, as seen by the trusted proxies.
    let client: NetworkAddress?
    let endpoint: Endpoint
    /// The body, valid according to the endpoint's schema.
    let body: JSONDocument?
    /// The caller; nil if a secret in the body identifies the user.
    let caller: Caller?
    /// The parameters of a procedure call: the context's parameters, then the endpoint's path and query arguments.
    let values: [PostgresValue]
    let statements: Statements

    /// When the server received the request, in microseconds since 1970.
    var now: Int64 { http.receivedAt }
    /// The clock, for decisions made after the request's arrival.
    var clock: WallClock { statements.pool.loop.clock }
    var success: HTTPStatus { endpoint.success }

    /// The path or query argument at index `place`, as text; nil if it is absent.
    func text(_ place: Int) -> String? {
        if case .text(let text) = values[PreparedRoute.Call.contextSize + place] { text } else { nil }
    }

    /// The caller of an endpoint that requires one.
    func identified() throws(Problem) -> Caller {
        guard let caller else { throw Problem(fault: "a handler without a caller") }
        return caller
    }
}

/// Runs a request's statements: each in its own transaction, or all in the transaction that an `Idempotency-Key` began.
struct Statements {
    let pool: PostgresPool
    /// The client id for the pool's per-client limits, from ``Caller/client(of:)``.
    let client: Int
    let transaction: PostgresTransaction?

    /// A copy that runs each statement in its own transaction.
    var independent: Statements { Statements(pool: pool, client: client, transaction: nil) }

    /// A copy that runs all statements in `transaction`.
    func within(_ transaction: PostgresTransaction) -> Statements {
        Statements(pool: pool, client: client, transaction: transaction)
    }

    /// Calls a procedure for `caller` and returns its JSON; nil for null.
    ///
    /// - Throws: ``Problem`` if the procedure refuses, whether by an error or by its result.
    func ask(
        _ call: PreparedRoute.Call, as caller: Caller?, _ values: [PostgresValue]
    ) async throws(Problem) -> [UInt8]? {
        let json = try await run(call, PreparedRoute.Call.context(of: caller) + values)
        try Answer.throwRefusal(json)
        return json
    }

    /// Runs a call whose `values` include the context's parameters.
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

    /// Calls a procedure for `caller` and returns its parsed JSON; nil for null.
    func facts(
        _ call: PreparedRoute.Call, as caller: Caller?, _ values: [PostgresValue]
    ) async throws(Problem) -> JSONDocument? {
        guard let json = try await ask(call, as: caller, values) else { return nil }
        return try JSONDocument(json)
    }
}

/// The handlers, with the state that they share.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
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

    /// Answers a request with its handler.
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
