internal import HTTP

/// Answers `GET /v1/events`: what happens, when it happens, for as long as the client reads.
struct EventStreaming {
    let hub: EventHub

    /// - Throws: ``Problem``: what is no position, and where there is no room.
    func answer(_ request: HandledRequest) async throws(Problem) -> HTTPResponse {
        let position = try Self.position(in: request)
        // A proxy that gathers an answer before it passes it on would keep everything back (nginx: X-Accel-Buffering).
        let headers: HTTPHeaders = [
            "Content-Type": MediaType.events.rawValue, "Cache-Control": "no-store", "X-Accel-Buffering": "no",
            "X-Content-Type-Options": "nosniff",
        ]
        guard request.http.method != .head else {
            return HTTPResponse(.ok, headers: headers, body: .events { $0.end() })
        }
        let seat = try await hub.enter(try request.identified(), from: request.client, after: position)
        return HTTPResponse(.ok, headers: headers, body: .events { stream in seat.begin(stream) })
    }

    /// After which event the client goes on: what its own header says, which a browser sends by itself, counts before the address.
    private static func position(in request: HandledRequest) throws(Problem) -> EventPosition? {
        let header = request.http.header(OpenAPIParameter.lastEventID.name)
        guard let text = header ?? request.text(0), !text.isEmpty else { return nil }
        guard let position = EventPosition(text) else {
            throw .invalid(
                header == nil ? "last_event_id" : OpenAPIParameter.lastEventID.name, "must be the id of an event")
        }
        return position
    }
}
