internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Breaks: dates on which a sender has no pings.
    static let breaks: [Endpoint] = [
        Endpoint(
            operationID: "getBreak", method: .get, path: "/v1/me/break", caller: .user,
            work: .procedure(.read("api.get_break", .now)),
            summary: "Get my current or upcoming break", area: "Breaks", answer: .component(.break),
            problems: [.notFound]),
        Endpoint(
            operationID: "setBreak", method: .put, path: "/v1/me/break", caller: .user,
            work: .procedure(.write("api.put_break", .body, .now)),
            summary: "Start or change a break",
            details: "I have no pings from the first local date to the last, at most 90 days.",
            area: "Breaks",
            bound: "\(Bound.broadcasts) 10 breaks begun or changed per hour. One break is kept for each day.",
            body: .object([
                .init(
                    "from", .string(.date), required: true,
                    "At most a year ahead. An earlier date than today counts as today."),
                .init(
                    "until", .string(.date), required: true, "The last date without a ping. It must not be in the past."
                ),
            ]),
            answer: .component(.break), problems: [.profileRequired]),
        Endpoint(
            operationID: "deleteBreak", method: .delete, path: "/v1/me/break", caller: .user,
            work: .procedure(.write("api.delete_break", .now)),
            summary: "End my current break or cancel my upcoming one", area: "Breaks", bound: Bound.ending,
            success: .noContent,
            problems: [.notFound]),
    ]
}
