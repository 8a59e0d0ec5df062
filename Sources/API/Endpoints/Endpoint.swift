internal import HTTP
internal import JSON
internal import OpenAPI
internal import Problems
internal import Requests

/// One call of the API. The server routes by it, and the documentation is generated from it.
struct Endpoint: Sendable {
    /// The callers that are allowed.
    enum Caller: Sendable {
        /// Anybody.
        case open
        /// Anybody who names a tenant in `X-Kith-Tenant`.
        case tenant
        /// A user with an access token.
        case user
        /// A tenant's server with a secret key of this scope.
        case key(scope: KeyScope)
    }

    /// The procedure or the handler that carries out the call.
    enum Work: Sendable {
        /// A stored procedure. Its JSON is the answer.
        case procedure(Procedure)
        /// A handler in the server, for work that is more than one procedure call: it needs a key that the database
        /// does not have, or runs while the client reads. Its arguments come from path and query.
        case handler(Handler, arguments: [Argument] = [])
        /// A page, or a fact about the server. It is answered before a caller is identified or an argument is
        /// validated: links get decorated on their way, so pages accept unknown parameters.
        case resource(Resource, parameters: [Argument] = [])
        /// A page of the web client. It is answered as a resource is, by ``SiteServer``, and is no part of the
        /// documented API.
        case site(SiteRoute)
    }

    /// Answers a request whose limits, caller and body have been checked.
    typealias Handler = @Sendable (HandledRequest, Services) async throws(Problem) -> HTTPResponse

    /// Answers a request for a page or a fact about the server.
    typealias Resource = @Sendable (ResourceRequest, Services) async throws(Problem) -> HTTPResponse

    /// The sign-ins or the secret key that a call ends. Their credentials become invalid.
    enum EndedSignIns: Sendable {
        case all
        /// All sign-ins of the user in the path.
        case named
        /// No sign-in, but the secret key in the path.
        case key
        /// The sign-in of the access token, or all of them if the body says `everywhere`.
        case asked
    }

    /// Which limits on requests apply to a call.
    enum Urgency: Sendable {
        /// Those of its address, its person and its tenant.
        case ordinary
        /// A limit of its own for each address, which no other requests use up. It is for a check-in and the answer to
        /// an alarm, by an app, by the page of a link, or by a page of the web client that has the button.
        case safety
        /// A limit of its own for each person, which no other requests use up: "I need help" (K05).
        case help
    }

    /// The name of the call in generated clients: camel case, verb first. It is unique, and stable for clients.
    let operationID: String
    let method: HTTPMethod
    let path: String
    let caller: Caller
    let work: Work
    /// A summary of the call: an imperative phrase without a full stop.
    let summary: String
    /// Further facts for clients, in whole sentences.
    var details: String?
    /// The OpenAPI tag: the area of the product that documents list the call under.
    let area: String
    /// What bounds the growth of data by the call; nil for calls that only read. See ``Bound``.
    var bound: String?
    var body: JSONSchema?
    var bodyType = MediaType.json
    /// Whether nothing in the form of the request refuses the call: what of its body is as described is used, and the
    /// rest is ignored, as are unknown parameters and the fields of the header that a call otherwise refuses. A call
    /// for help does not fail for its note.
    var isForgiving = false
    /// The largest body in bytes, where the default does not fit.
    var maximumBody: Int?
    /// The most values in the body's JSON text, where the schema does not say which members it has.
    var maximumBodyValues: Int?
    var answer: JSONSchema?
    var answerType = MediaType.json
    /// The second format of the answer, for clients that accept it.
    var otherAnswerType: MediaType?
    var success: HTTPStatus = .ok
    /// The status of the answer if the thing already existed.
    var successIfThere: HTTPStatus?
    /// Whether the answer may lead elsewhere instead, by 302.
    var mayRedirect = false
    /// Whether the answer holds a secret. Such an answer is kept for repeats for minutes instead of a day.
    var answerHoldsSecret = false
    /// The right that a caller must still have to get a kept answer again. Every call that takes an `Idempotency-Key`
    /// declares it; without one, no answer is given twice.
    var repeatRight: RepeatRight?
    /// The sign-ins that the call ends; nil for none.
    var endedSignIns: EndedSignIns?
    /// The call's own refusals, besides those that any call of its kind can give.
    var problems: [ProblemCode] = []

    /// Whether the call compares `If-Match` and `If-None-Match` with the version of what it changes.
    var checksVersions = false

    /// The headers that the call reads, besides the common ones.
    var headerParameters: [OpenAPIParameter] = []

    /// Whether the call works while the tenant is suspended, because a person needs it to be safe (A02).
    var worksWhileSuspended = false
    /// Whether the limit on requests of an address applies. It does not to the liveness check, which supervisors ask
    /// often.
    var isRateLimited = true
    /// Whether the call requests or tries one-time codes. Each client address has a lower limit for such calls.
    var triesOneTimeCodes = false
    var urgency = Urgency.ordinary

    /// Whether things call it, which choose neither their headers nor their body, and show no error to anybody (J04).
    var isForThings: Bool { path == SignReport.path }

    /// Whether a request is refused for what its header asks for and the call does not do.
    var checksHeader: Bool { !isForThings && !isForgiving }

    /// Whether a handler reads the body while it arrives.
    var streamsBody: Bool { bodyType == .bytes || bodyType == .files }

    /// Whether the body has one item on each line.
    var isImport: Bool { bodyType == .jsonLines }

    /// Whether the call takes an `Idempotency-Key`, which makes a repeat harmless (A07): every POST by a signed-in
    /// caller.
    var takesIdempotencyKey: Bool {
        switch caller {
        case .open, .tenant: false
        case .user, .key: method == .post
        }
    }

    /// The arguments from the path and the query.
    var parameters: [Argument] {
        switch work {
        case .procedure(let procedure): procedure.arguments
        case .handler(_, let arguments): arguments
        case .resource(_, let parameters): parameters
        case .site: []
        }
    }
}
