package import Foundation

/// A call of the API as a value. The generated functions make it, and a client or a server carries it out.
package struct KithCall<Answer: Sendable>: Sendable {
    /// The credential that a call is made with.
    package enum Credential: Sendable {
        /// None: the call is open, or names its tenant by `X-Kith-Tenant`.
        case none
        /// `X-Kith-Tenant` only.
        case tenant
        /// The caller's token: of an app the access token of the person who is signed in, of a tenant's server its
        /// secret key.
        case bearer
    }

    /// The body of a request.
    package enum Body: Sendable {
        case json(Data)
        /// Content of another type, such as a document's or lines of JSON.
        case content(Data, type: String)
    }

    /// The name of the call in `openapi.json`.
    package let operationID: String
    /// The HTTP method.
    package let method: String
    /// The path, with its parameters filled in and percent-encoded.
    package let path: String
    /// The parameters of the query that are set, in the order of the description, not yet percent-encoded.
    package var query: [(name: String, value: String)]
    /// The header parameters that are set, such as `If-Match` or `Range`.
    package var headers: [(name: String, value: String)]
    package var body: Body?
    package let credential: Credential
    /// Whether the server takes an `Idempotency-Key` with the call. All tries of the call then share one key.
    package let takesIdempotencyKey: Bool
    /// The media type that the call asks for.
    package let accept: String
    /// The seconds without a byte after which a try is given up; nil for the transport's.
    package let timeout: TimeInterval?
    /// Makes the answer from a response that is no refusal.
    package let decode: @Sendable (KithAnswer) throws -> Answer

    /// Describes a call.
    package init(
        operationID: String, method: String, path: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [], body: Body? = nil, credential: Credential,
        takesIdempotencyKey: Bool = false, accept: String = "application/json", timeout: TimeInterval? = nil,
        decode: @escaping @Sendable (KithAnswer) throws -> Answer
    ) {
        self.operationID = operationID
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.credential = credential
        self.takesIdempotencyKey = takesIdempotencyKey
        self.accept = accept
        self.timeout = timeout
        self.decode = decode
    }

    /// The answer in a response that is no refusal.
    ///
    /// - Throws: ``KithProblem`` if this library cannot read it.
    package func read(_ answer: KithAnswer) throws -> Answer {
        do {
            return try decode(answer)
        } catch is DecodingError {
            throw KithProblem(unreadable: answer)
        }
    }
}

/// A response to a call, which is no refusal.
package struct KithAnswer: Sendable {
    package let status: Int
    /// The header fields, by lower-case name.
    package let headers: [String: String]
    package let body: Data

    /// Creates a response.
    package init(status: Int, headers: [String: String], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
