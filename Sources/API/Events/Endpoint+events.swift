internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The stream of events.
    static let events: [Endpoint] = [
        Endpoint(
            operationID: "streamEvents", method: .get, path: "/v1/events", caller: .user,
            work: .handler(
                EventStreaming.answer,
                arguments: [
                    .query(
                        "last_event_id", .text(.opaque),
                        "For clients that cannot send Last-Event-ID. The header takes precedence.")
                ]),
            summary: "Stream events as they happen",
            details:
                """
                The answer is a stream of server-sent events. The fields of each event form one StreamEvent, whose \
                data is the changed thing as its own call returns it. A client can resume within 7 days. After a \
                longer gap it gets a reset, and must load everything that it shows again. The stream ends when the \
                access token expires. A browser's EventSource sends no token, so browsers read the stream with \
                fetch.
                """,
            area: "Notifications", answer: .component(.streamEvent), answerType: .events,
            headerParameters: [.lastEventID])
    ]
}
