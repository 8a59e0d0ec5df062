import Foundation

/// A call of the API as a value. The generated functions make it, and a ``KithCaller`` carries it out.
struct KithCall<Answer: Sendable>: Sendable {
    /// The credential that a call is made with.
    enum Credential: Sendable {
        /// None: the call is open, or names its tenant by `X-Kith-Tenant`.
        case none
        /// `X-Kith-Tenant` only.
        case tenant
        /// The access token of the signed-in user.
        case user
        /// The tenant's secret key.
        case key
    }

    /// The body of a request.
    enum Body: Sendable {
        case json(Data)
        /// Content of another type, such as a document's or lines of JSON.
        case content(Data, type: String)
    }

    /// The name of the call in `openapi.json`.
    let operationID: String
    /// The HTTP method.
    let method: String
    /// The path, with its parameters filled in and percent-encoded.
    let path: String
    /// The parameters of the query that are set, in the order of the description, not yet percent-encoded.
    var query: [(name: String, value: String)] = []
    /// The header parameters that are set, such as `If-Match` or `Range`.
    var headers: [(name: String, value: String)] = []
    var body: Body?
    let credential: Credential
    /// Whether the server takes an `Idempotency-Key` with the call. All tries of the call then share one key.
    var takesIdempotencyKey = false
    /// The media type that the call asks for.
    var accept = "application/json"
    /// The seconds without a byte after which a try is given up; nil for the transport's.
    var timeout: TimeInterval?
    /// Makes the answer from a response that is no refusal.
    let decode: @Sendable (KithAnswer) throws -> Answer
}

/// A response to a call, which is no refusal.
struct KithAnswer: Sendable {
    let status: Int
    /// The header fields, by lower-case name.
    let headers: [String: String]
    let body: Data
}

/// Carries out calls.
protocol KithCaller: Sendable {
    /// The present time, by the server's clock if there is a server.
    var now: Date { get }
    /// The answer to `call`.
    ///
    /// - Throws: ``KithProblem`` for a refusal and for a server that cannot be reached, and `CancellationError` if the
    ///   task is cancelled.
    func answer<Answer>(to call: KithCall<Answer>) async throws -> Answer
}
