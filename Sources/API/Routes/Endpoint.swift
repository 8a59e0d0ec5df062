internal import HTTP

/// One call of the API: what serves it and what documents it, in one value.
struct Endpoint: Sendable {
    /// Who may call.
    enum Caller: Sendable {
        /// Anybody.
        case open
        /// Anybody who names a tenant in `X-Kith-Tenant`.
        case tenant
        /// A user, by access token.
        case user
        /// A tenant's server, by a secret key with this scope.
        case key(scope: String)
    }

    /// What does the work.
    enum Work: Sendable {
        /// A stored procedure, whose JSON is the answer.
        case procedure(Procedure)
        /// A handler of the server's own, for what the database cannot do by itself, with what it is given of path and query.
        case handler(Handler, arguments: [Argument] = [])
        case joinPage
        /// What a browser shows of an invitation, and what its forms are sent to.
        case invitationPage
        case invitationForm
        case appSiteAssociation
        case liveness
        case readiness
        case openAPI
        /// The page with what the OpenAPI document says.
        case reference
    }

    /// Sign-ins whose access tokens are void.
    enum EndedSignIns: Sendable {
        case all
        /// All of the user whom the path names.
        case named
        /// The one that the access token came from, or all where the body says `everywhere`.
        case asked
    }

    let method: HTTPMethod
    let path: String
    let caller: Caller
    let work: Work
    let summary: String
    /// The area of the product, under which documents list it.
    let area: String
    var body: JSONSchema?
    var bodyType = MediaType.json
    /// The longest body, where it is another than of the rest.
    var maximumBody: Int?
    var answer: JSONSchema?
    var answerType = MediaType.json
    /// In which other format it answers whoever asks for it.
    var otherAnswerType: MediaType?
    var success: HTTPStatus = .ok
    /// The status of the same answer where what is asked for was there already.
    var successIfThere: HTTPStatus?
    /// Whether the answer holds a secret: then it is kept for repeats for minutes instead of a day.
    var answerHoldsSecret = false
    /// Which sign-ins are over afterwards; nil for none.
    var endedSignIns: EndedSignIns?
    /// The refusals that are this call's own, beside those that any call can meet.
    var problems: [ProblemCode] = []

    /// What it takes of the request's head beside its own parameters.
    var headerParameters: [OpenAPIParameter] = []

    /// Whether a handler reads the body while it comes.
    var streamsBody: Bool { bodyType == .bytes }

    /// Whether it takes many things at once, a line each.
    var isImport: Bool { bodyType == .jsonLines }

    /// Whether an `Idempotency-Key` makes a repeat harmless (A07): every POST of somebody who is signed in.
    var takesIdempotencyKey: Bool {
        switch caller {
        case .open, .tenant: false
        case .user, .key: method == .post
        }
    }

    /// Whether it asks for one-time codes or tries them, of which one address may do less.
    var isSignIn: Bool {
        switch (caller, work) {
        case (.tenant, _), (_, .invitationForm): true
        default: false
        }
    }

    /// The arguments that come with the path and the query.
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

/// What a body is written in.
enum MediaType: String, Sendable {
    case json = "application/json"
    /// A JSON text a line; a schema then describes one line.
    case jsonLines = "application/x-ndjson"
    /// What a form of a page sends; a schema then describes its fields.
    case form = "application/x-www-form-urlencoded"
    case html = "text/html"
    /// A body of any type, which its own header names.
    case bytes = "application/octet-stream"
    /// An answer of any type.
    case content = "*/*"
    /// A table with a head (RFC 4180).
    case csv = "text/csv"
    /// What happens, when it happens (HTML Standard, section 9.2).
    case events = "text/event-stream"
    /// A refusal (RFC 9457).
    case problem = "application/problem+json"
}

/// A call of one of the database's API procedures.
struct Procedure: Sendable {
    /// How the database is asked: reads share few connections deeply, writes many shallowly.
    enum Access: Sendable {
        case read, write
    }

    let name: String
    let access: Access
    let arguments: [Argument]
    /// Whether `api.require_caller` runs first: not before what only reads, nor before the check-in, which must be quick and refuses by itself.
    let checksCaller: Bool

    static func read(_ name: String, _ arguments: Argument...) -> Procedure {
        Procedure(name: name, access: .read, arguments: arguments, checksCaller: false)
    }

    static func write(
        _ name: String, _ arguments: Argument..., checksCaller: Bool = true
    ) -> Procedure {
        Procedure(name: name, access: .write, arguments: arguments, checksCaller: checksCaller)
    }
}

/// One argument of a procedure, and where in the request it comes from.
enum Argument: Sendable {
    /// A segment of the path.
    case path(String, TextFormat)
    /// A parameter of the query; null where it is not given and need not be.
    case query(String, QueryType, String, required: Bool = false)
    /// `limit`, how many items a list gives at most: 1 to 200, 50 where it is not given.
    case limit
    /// `cursor`, where a list goes on: what `next_cursor` said.
    case cursor(TextFormat)
    /// The whole body.
    case body
    /// One member of the body, as text.
    case member(String)
    /// The instant at which the server received the request.
    case now
    /// Where clients reach the server, as its operator says: what links in answers begin with.
    case publicURL
    /// A text that follows from the endpoint, not from the request.
    case fixed(String)

    /// The type of a query parameter.
    enum QueryType: Sendable {
        case text(TextFormat)
        case line(length: ClosedRange<Int>)
        case oneOf([String])
        case boolean
    }

    /// What the value may be; nil for what does not stand in the address.
    var schema: JSONSchema? {
        switch self {
        case .path(_, let format), .cursor(let format), .query(_, .text(let format), _, _):
            .string(format, length: Self.length(of: format))
        case .query(_, .line(let length), _, _): .string(.line, length: length)
        case .query(_, .oneOf(let values), _, _): .oneOf(values)
        case .query(_, .boolean, _, _): .boolean
        case .limit: .integer(1...200)
        case .body, .member, .now, .publicURL, .fixed: nil
        }
    }

    /// How long a text in the address may be, in characters.
    static func length(of format: TextFormat) -> ClosedRange<Int> {
        if case .opaque = format { 1...TextFormat.longestOpaque } else { format.usualLength }
    }

    /// The type that PostgreSQL gives the parameter.
    var sqlType: String {
        switch self {
        case .path(_, let format), .cursor(let format), .query(_, .text(let format), _, _): Self.sqlType(of: format)
        case .query(_, .line, _, _), .query(_, .oneOf, _, _), .member, .publicURL, .fixed: "text"
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
