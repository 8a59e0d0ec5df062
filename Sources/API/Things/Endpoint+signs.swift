internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The secret addresses of a person's things: a button, a phone's shortcut, a sensor (J04).
    static let signs: [Endpoint] = [
        Endpoint(
            operationID: "listSigns", method: .get, path: "/v1/me/signs", caller: .user,
            work: .procedure(.read("api.list_signs")),
            summary: "List my things that can report", details: "Their addresses are not shown again.", area: area,
            answer: .list(of: .sign)),
        Endpoint(
            operationID: "createSign", method: .post, path: "/v1/me/signs", caller: .user,
            work: .procedure(.write("api.create_sign", .body, .publicURL, .now)),
            summary: "Create a secret address for a thing",
            details:
                """
                A report to the address of kind check_in is a check-in. One of kind activity never is: it only shows \
                that something moved, to the receivers with whom I share it.
                """,
            area: area, bound: "\(Bound.changes) 10 things per user.",
            body: .object([
                .init("name", .string(.line, length: 1...80), required: true, example: .text("Kitchen button")),
                .init("kind", .component(.signKind), required: true),
                .init(
                    "allow_get", .boolean,
                    """
                    Whether a GET counts too, for things that can send nothing else. Anything that follows links can \
                    then trigger it. The default is false.
                    """
                ),
            ]),
            answer: .component(.newSign), success: .created, answerHoldsSecret: true, repeatRight: .sight,
            problems: [.quotaExceeded]),
        Endpoint(
            operationID: "deleteSign", method: .delete, path: "/v1/me/signs/{id}", caller: .user,
            work: .procedure(.write("api.delete_sign", .path("id", .uuid), .now)),
            summary: "End the address of a thing", area: area, bound: Bound.ending, success: .noContent,
            problems: [.notFound]),
        Endpoint(
            operationID: "reportSign", method: .post, path: SignReport.path, caller: .open,
            work: .resource(SignReport.post, parameters: SignReport.parameters),
            summary: "Report that a thing was used",
            details:
                """
                Any headers and any body of up to 1 MiB will do; none is read. An activity counts once a minute. A \
                check-in counts once in each minute of the clock, and whenever it changes something. The others are \
                merged and answered alike. After twenty that counted, without six hours of silence, a check-in is \
                refused: the button is stuck.
                """,
            area: area,
            bound: "None. A thing keeps the instant of its newest report, and a check-in has its own bound.",
            maximumBody: 1 << 20,
            answer: .string(.text, length: 2...10), answerType: .text, problems: [.notFound, .invalidTransition],
            worksWhileSuspended: true),
        Endpoint(
            operationID: "reportSignByGet", method: .get, path: SignReport.path, caller: .open,
            work: .resource(SignReport.get, parameters: SignReport.parameters),
            summary: "Report that a thing was used, by a GET",
            details: "Only where the owner allows it, otherwise the answer is method_not_allowed. A HEAD never counts.",
            area: area, answer: .string(.text, length: 2...10), answerType: .text,
            problems: [.notFound, .methodNotAllowed, .invalidTransition], worksWhileSuspended: true),
    ]

    private static let area = "Things"
}
