internal import HTTP
internal import Postgres

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
        case key(scope: String)
    }

    /// The procedure or the handler that carries out the call.
    enum Work: Sendable {
        /// A stored procedure. Its JSON is the answer.
        case procedure(Procedure)
        /// A handler in the server, for work that the database cannot do alone, with arguments from path and query.
        case handler(Handler, arguments: [Argument] = [])
        case joinPage
        /// The page that shows an invitation in a browser, and the target of its forms.
        case invitationPage
        case invitationForm
        case appSiteAssociation
        case liveness
        case readiness
        case openAPI
        /// The OpenAPI document as a page.
        case reference
    }

    /// The sign-ins that a call ends. Their access tokens become invalid.
    enum EndedSignIns: Sendable {
        case all
        /// All sign-ins of the user in the path.
        case named
        /// The sign-in of the access token, or all of them if the body says `everywhere`.
        case asked
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
    var body: JSONSchema?
    var bodyType = MediaType.json
    /// The largest body in bytes, where the default does not fit.
    var maximumBody: Int?
    var answer: JSONSchema?
    var answerType = MediaType.json
    /// The second format of the answer, for clients that accept it.
    var otherAnswerType: MediaType?
    var success: HTTPStatus = .ok
    /// The status of the answer if the thing already existed.
    var successIfThere: HTTPStatus?
    /// Whether the answer holds a secret. Such an answer is kept for repeats for minutes instead of a day.
    var answerHoldsSecret = false
    /// The sign-ins that the call ends; nil for none.
    var endedSignIns: EndedSignIns?
    /// The call's own refusals, besides those that any call of its kind can give.
    var problems: [ProblemCode] = []

    /// The headers that the call reads, besides the common ones.
    var headerParameters: [OpenAPIParameter] = []

    /// Whether a handler reads the body while it arrives.
    var streamsBody: Bool { bodyType == .bytes }

    /// Whether the body has one item on each line.
    var isImport: Bool { bodyType == .jsonLines }

    /// Whether the call takes an `Idempotency-Key`, which makes a repeat harmless (A07): every POST by a signed-in caller.
    var takesIdempotencyKey: Bool {
        switch caller {
        case .open, .tenant: false
        case .user, .key: method == .post
        }
    }

    /// Whether the call requests or tries one-time codes. Each client address has a lower limit for such calls.
    var isSignIn: Bool {
        switch (caller, work) {
        case (.tenant, _), (_, .invitationForm): true
        default: false
        }
    }

    /// The arguments from the path and the query.
    var parameters: [Argument] {
        switch work {
        case .procedure(let procedure): procedure.arguments
        case .handler(_, let arguments): arguments
        case .joinPage: JoinPage.parameters
        case .invitationPage, .invitationForm: InvitationPages.parameters
        default: []
        }
    }
}

/// The format of a body.
enum MediaType: String, Sendable {
    case json = "application/json"
    /// One JSON text on each line. The schema describes one line.
    case jsonLines = "application/x-ndjson"
    /// A form sent by a page. The schema describes its fields.
    case form = "application/x-www-form-urlencoded"
    case html = "text/html"
    /// A request body of any type, named by its `Content-Type`.
    case bytes = "application/octet-stream"
    /// A response of any type.
    case content = "*/*"
    /// A table with a header row (RFC 4180).
    case csv = "text/csv"
    /// Server-sent events (HTML Standard, section 9.2).
    case events = "text/event-stream"
    /// A problem document (RFC 9457).
    case problem = "application/problem+json"
}

/// A call of a stored procedure in the `api` schema.
struct Procedure: Sendable {
    let name: String
    /// The connections that run the procedure.
    let lane: PostgresLane
    let arguments: [Argument]
    /// Whether `api.require_caller` runs first. It does not for reads, nor for the check-in, which must be fast and checks the caller
    /// itself.
    let checksCaller: Bool

    static func read(_ name: String, _ arguments: Argument...) -> Procedure {
        Procedure(name: name, lane: .reads, arguments: arguments, checksCaller: false)
    }

    static func write(
        _ name: String, _ arguments: Argument..., lane: PostgresLane = .writes, checksCaller: Bool = true
    ) -> Procedure {
        Procedure(name: name, lane: lane, arguments: arguments, checksCaller: checksCaller)
    }
}

/// An argument of a procedure, and its source in the request.
enum Argument: Sendable {
    /// A segment of the path.
    case path(String, TextFormat)
    /// A query parameter; null if it is absent and not required.
    case query(String, QueryType, String, required: Bool = false)
    /// `limit`, the largest number of items in a list: 1 to 200, by default 50.
    case limit
    /// `cursor`, the `next_cursor` of the previous page.
    case cursor(TextFormat)
    /// The whole body.
    case body
    /// One member of the body, as text.
    case member(String)
    /// The instant at which the server received the request.
    case now
    /// The public URL that the operator configured. Links in answers begin with it.
    case publicURL
    /// A constant of the endpoint.
    case fixed(String)

    /// The type of a query parameter.
    enum QueryType: Sendable {
        case text(TextFormat)
        case line(length: ClosedRange<Int>)
        case oneOf([String])
        /// One of the values of an enumeration.
        case component(JSONComponent)
        case boolean
    }

    /// The schema of the value; nil for an argument from neither path nor query.
    var schema: JSONSchema? {
        switch self {
        case .path(_, let format), .cursor(let format), .query(_, .text(let format), _, _):
            .string(format, length: Self.length(of: format))
        case .query(_, .line(let length), _, _): .string(.line, length: length)
        case .query(_, .oneOf(let values), _, _): .oneOf(values)
        case .query(_, .component(let component), _, _): .component(component)
        case .query(_, .boolean, _, _): .boolean
        case .limit: .integer(1...200)
        case .body, .member, .now, .publicURL, .fixed: nil
        }
    }

    /// The length that a text in the path or query may have, in characters.
    static func length(of format: TextFormat) -> ClosedRange<Int> {
        if case .opaque = format { 1...TextFormat.longestOpaque } else { format.usualLength }
    }

    /// The PostgreSQL type of the parameter.
    var sqlType: String {
        switch self {
        case .path(_, let format), .cursor(let format), .query(_, .text(let format), _, _): Self.sqlType(of: format)
        case .query(_, .line, _, _), .query(_, .oneOf, _, _), .query(_, .component, _, _), .member, .publicURL, .fixed:
            "text"
        case .query(_, .boolean, _, _): "boolean"
        case .limit: "integer"
        case .body: "jsonb"
        case .now: "timestamptz"
        }
    }

    private static func sqlType(of format: TextFormat) -> String {
        switch format {
        case .uuid: "uuid"
        case .date: "date"
        case .instant: "timestamptz"
        case .number: "integer"
        case .timeOfDay, .code, .phone, .email, .opaque, .line, .text, .anything: "text"
        }
    }
}
