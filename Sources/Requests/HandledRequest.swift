package import EventLoop
package import HTTP
package import JSON
package import NetworkAddresses
package import Postgres
package import Problems

/// A request for a handler. Its limits, credential and body have been checked.
package struct HandledRequest {
    package let http: HTTPRequest
    /// The client's address, as seen by the trusted proxies.
    package let client: NetworkAddress?
    /// The status of a successful answer.
    package let success: HTTPStatus
    /// The body, valid according to the endpoint's schema.
    package let body: JSONDocument?
    /// The caller; nil if a secret in the body identifies the user.
    package let caller: Caller?
    /// The endpoint's arguments from the path and the query, by name.
    package let arguments: Arguments
    package let statements: Statements
    /// Identifies the form of a page that makes the call, and the browser; nil for any other call. A form that is sent
    /// twice has the same.
    package let formKey: FormKey?
    /// Whether a page of the web client makes the call.
    package let isFromPage: Bool

    /// Puts together what a handler gets.
    package init(
        http: HTTPRequest, client: NetworkAddress?, success: HTTPStatus, body: JSONDocument?, caller: Caller?,
        arguments: Arguments, statements: Statements, formKey: FormKey? = nil, isFromPage: Bool = false
    ) {
        self.http = http
        self.client = client
        self.success = success
        self.body = body
        self.caller = caller
        self.arguments = arguments
        self.statements = statements
        self.formKey = formKey
        self.isFromPage = isFromPage
    }

    /// When the server received the request, in microseconds since 1970.
    package var now: Int64 { http.receivedAt }
    /// The clock, for decisions made after the request's arrival.
    package var clock: WallClock { statements.pool.loop.clock }

    /// The caller of an endpoint that requires one.
    package func identified() throws(Problem) -> Caller {
        guard let caller else { throw Problem(fault: "a handler without a caller") }
        return caller
    }
}

/// The arguments of a call, read from its path and query.
package struct Arguments {
    private let names: [String]
    /// The values in the endpoint's order, which is that of the procedure's parameters.
    package let values: [PostgresValue]

    /// Creates arguments of `names` with `values` in the same order.
    package init(names: [String], values: [PostgresValue]) {
        self.names = names
        self.values = values
    }

    /// The argument `name`; null if it was not sent.
    package subscript(name: String) -> PostgresValue {
        zip(names, values).first { $0.0 == name }?.1 ?? .null
    }

    /// The text of the argument `name`; nil if it was not sent.
    package func text(_ name: String) -> String? {
        if case .text(let text) = self[name] { text } else { nil }
    }
}
