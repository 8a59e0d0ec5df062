internal import HTTP
internal import LiveEvents
internal import OpenAPI
internal import Problems
internal import Requests

/// Answers `GET /v1/events` with a stream of events that lasts for as long as the client reads.
enum EventStreaming {
    /// - Throws: ``Problem`` for an invalid position, or if a limit is reached.
    static func answer(_ request: HandledRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        let position = try Self.position(in: request)
        // Turns off response buffering in proxies (nginx: X-Accel-Buffering), which would hold events back.
        let headers: HTTPHeaders = [
            "Content-Type": MediaType.events.rawValue, "Cache-Control": "no-store", "X-Accel-Buffering": "no",
            "X-Content-Type-Options": "nosniff",
        ]
        guard request.http.method != .head else {
            return HTTPResponse(.ok, headers: headers, body: .events { $0.end() })
        }
        let seat = try await services.events.enter(
            try request.identified(), in: request.http.id, from: request.client, after: position)
        return HTTPResponse(.ok, headers: headers, body: .events { stream in seat.begin(stream) })
    }

    /// The position from which the client continues. Last-Event-ID, which browsers send themselves, takes precedence
    /// over the query.
    private static func position(in request: HandledRequest) throws(Problem) -> EventPosition? {
        let header = request.http.header(OpenAPIParameter.lastEventID.name)
        guard let text = header ?? request.arguments.text("last_event_id"), !text.isEmpty else { return nil }
        guard let position = EventPosition(text) else {
            throw .invalid(
                header == nil ? "last_event_id" : OpenAPIParameter.lastEventID.name, "must be the id of an event")
        }
        return position
    }
}
