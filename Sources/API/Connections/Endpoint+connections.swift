internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Connections between senders and receivers.
    static let connections: [Endpoint] = [
        Endpoint(
            operationID: "previewCode", method: .get, path: "/v1/codes/{code}", caller: .user,
            work: .procedure(.write("api.preview_code", .path("code", .code), .now)),
            summary: "Preview the connection that a code makes",
            details: "Each call counts as an attempt to use a code.", area: "Connections", bound: Bound.codes,
            answer: .component(.codePreview), problems: redemption),
        Endpoint(
            operationID: "createConnection", method: .post, path: "/v1/connections", caller: .user,
            work: .procedure(.write("api.create_connection", .member("code"), .now)),
            summary: "Connect by code", details: "If the code brings back a removed connection, the answer is 200.",
            area: "Connections", bound: "\(Bound.codes) 10,000 connections per user and role, including removed ones.",
            body: .object([.init("code", .string(.code), required: true)]),
            answer: .component(.connection), success: .created, successIfThere: .ok,
            repeatRight: .sight, problems: redemption + [.connectionExists, .subscriptionInactive, .quotaExceeded]),
        Endpoint(
            operationID: "listConnections", method: .get, path: "/v1/connections", caller: .user,
            work: .procedure(
                .read(
                    "api.list_connections",
                    .query("role", .component(.role), "Only connections in which I have this role."),
                    .query("status", .component(.liveConnectionStatus), "Only connections with this status."),
                    .limit, .cursor(.uuid), .now)),
            summary: "List my connections", area: "Connections", answer: .list(of: .connection),
            worksWhileSuspended: true),
        Endpoint(
            operationID: "getConnection", method: .get, path: "/v1/connections/{id}", caller: .user,
            work: .procedure(.read("api.get_connection", .path("id", .uuid), .now)),
            summary: "Get a connection", area: "Connections", answer: .component(.connection), problems: [.notFound],
            worksWhileSuspended: true),
        Endpoint(
            operationID: "updateConnection", method: .patch, path: "/v1/connections/{id}", caller: .user,
            work: .procedure(.write("api.update_connection", .path("id", .uuid), .body, .now)),
            summary: "Set my own name for the other side of a connection, or what I share there",
            details: "My lists, notifications and pushes use the name. Nobody else sees it.", area: "Connections",
            bound: Bound.changes,
            body: .object([
                .init("alias", .nullable(.string(.line, length: 1...100)), "Null removes it."),
                .init(
                    "share_activity", .boolean,
                    """
                    Whether the receiver sees the newest activity of my things. For the sender only; at first it is \
                    false.
                    """
                ),
                .init(
                    "may_ask", .boolean,
                    "Whether the receiver may ask \"Are you OK?\". For the sender only; at first it is true."),
                .init(
                    "always_care_card", .boolean,
                    """
                    Whether the receiver sees my care card and place without an alarm too. For the sender only; at \
                    first it is false.
                    """
                ),
            ]),
            answer: .component(.connection), problems: [.notFound]),
        change(
            "pauseConnection", "pause", "api.pause_connection", "Pause a connection",
            bound: "\(Bound.changes) 20 times per connection per hour.",
            details: "There are no pings until it is resumed."),
        change(
            "resumeConnection", "resume", "api.resume_connection", "Resume a paused connection",
            bound: "\(Bound.changes) 20 times per connection per hour."),
        change(
            "consentToConnection", "consent", "api.consent_connection", "Consent to a pending connection",
            bound: Bound.once,
            details: "The connection was made with my code."),
        Endpoint(
            operationID: "testConnection", method: .post, path: "/v1/connections/{id}/test", caller: .user,
            work: .procedure(.write("api.test_connection", .path("id", .uuid), .now)),
            summary: "Send the receiver a test message",
            details:
                """
                For the sender of an active connection, while they have no alarm. It goes out on the channels of a \
                missed check-in, and asks the receiver whether it reached them.
                """,
            area: "Connections", bound: "\(Bound.changes) 3 per connection in 24 hours, one an hour.",
            answer: .component(.connection), repeatRight: .sight,
            problems: [.notFound, .forbidden, .invalidTransition, .tooManyRequests]),
        Endpoint(
            operationID: "answerConnectionTest", method: .post, path: "/v1/connections/{id}/test/answer", caller: .user,
            work: .procedure(
                .write("api.answer_connection_test", .path("id", .uuid), .flag("reached"), .member("sent_at"), .now)),
            summary: "Say whether a test message reached me",
            details: "For the receiver, within two days. The sender sees the answer, which can be corrected.",
            area: "Connections",
            bound: Bound.changes,
            body: .object([
                .init("reached", .boolean, required: true, "Whether it reached me by itself, outside the app's lists."),
                .init(
                    "sent_at", .string(.instant), required: true,
                    "Which test message the answer is about, as test.sent_at of the connection has it."),
            ]),
            answer: .component(.connection), repeatRight: .sight,
            problems: [.notFound, .forbidden, .invalidTransition]),
        Endpoint(
            operationID: "deleteConnection", method: .delete, path: "/v1/connections/{id}", caller: .user,
            work: .procedure(.write("api.remove_connection", .path("id", .uuid), .now)),
            summary: "Remove a connection", details: "The same code brings it back.", area: "Connections",
            bound: Bound.ending,
            success: .noContent,
            problems: [.notFound]),
        Endpoint(
            operationID: "listConnectionPings", method: .get, path: "/v1/connections/{id}/pings", caller: .user,
            work: .procedure(
                .read(
                    "api.list_connection_pings", .path("id", .uuid),
                    .query("from", .text(.date), "The first local date. The default is 31 days ago."),
                    .query("until", .text(.date), "The last local date."), .limit, .cursor(.date), .now)),
            summary: "List a connection's pings, newest first", area: "Pings", answer: .list(of: .ping),
            problems: [.notFound]),
        Endpoint(
            operationID: "getDashboard", method: .get, path: "/v1/dashboard", caller: .user,
            work: .procedure(
                .read(
                    "api.get_dashboard", .query("role", .component(.role), "My role.", required: true),
                    .query(
                        "order", .component(.dashboardOrder),
                        """
                        missed lists those whose ping of today was missed first; connection, the default, lists the \
                        oldest connection first.
                        """
                    ),
                    .optionalLimit, .cursor(.opaque), .now)),
            summary: "Get my dashboard for a role",
            details:
                """
                It lists everybody I am connected with in that role, with today's pings. open_pings and deadline_at \
                concern all of them, whatever the page.
                """,
            area: "Connections",
            answer: .component(.dashboard)),
    ]

    private static let redemption: [ProblemCode] = [
        .invalidCode, .expiredCode, .selfConnection, .profileRequired, .conflict, .tooManyRequests,
    ]

    private static func change(
        _ operationID: String, _ verb: String, _ procedure: String, _ summary: String, bound: String,
        details: String? = nil
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: .post, path: "/v1/connections/{id}/\(verb)", caller: .user,
            work: .procedure(.write(procedure, .path("id", .uuid), .now)),
            summary: summary, details: details, area: "Connections", bound: bound, answer: .component(.connection),
            repeatRight: .sight, problems: [.notFound, .forbidden, .invalidTransition])
    }
}
