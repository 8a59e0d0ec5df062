internal import HTTP

extension Endpoint {
    /// The stream of events.
    static let events: [Endpoint] = [
        Endpoint(
            method: .get, path: "/v1/events", caller: .user,
            work: .handler(
                .events,
                arguments: [
                    .query(
                        "last_event_id", .text(.opaque),
                        "For clients that cannot send Last-Event-ID. The header takes precedence.")
                ]),
            summary:
                "What changes for me, as it does (server-sent events): the fields of each are one StreamEvent, whose data is the changed thing as its own call gives it; a reset says that more was missed than the 7 days that are kept, so everything shown has to be asked for anew. Ends when the access token does. A browser's EventSource sends no token: read it with fetch",
            area: "Notifications", answer: .component(.streamEvent), answerType: .events,
            headerParameters: [.lastEventID])
    ]
}
