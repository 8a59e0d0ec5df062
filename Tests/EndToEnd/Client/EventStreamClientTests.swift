import Foundation
import TestThreads
import Testing

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Person {
    /// Reads this person's events as KithClient does, with the person's token.
    func reader(after position: String? = nil, at base: URL? = nil) -> EventReader {
        let (base, token) = (base ?? client.base, token)
        return EventReader(
            after: position,
            EventReader.Surroundings(
                connect: { position in
                    var request = URLRequest(url: base.appending(path: "v1/events"))
                    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                    if let position { request.setValue(position, forHTTPHeaderField: "Last-Event-ID") }
                    return try await EventConnection.open(StreamSession.send(request))
                },
                now: { .zero }, sleep: { try await Task.sleep(for: $0) }, random: { 0 }, wakeUps: WakeUps()))
    }
}

@Suite(.mayBlock, .timeLimit(.minutes(10))) struct `KithClient's stream of events` {
    private static func next(_ type: String, _ reader: EventReader) async throws -> ServerSentEvent {
        while let event = try await reader.next() {
            if String(decoding: event.data, as: UTF8.self).contains("\"\(type)\"") { return event }
        }
        throw KithProcess.Failure(description: "the stream ended")
    }

    @Test func `reads from the real server, and goes on when it is killed and comes back`() async throws {
        let installation = try Installation()
        let (server, client) = try installation.serve()
        let pair = try await Pair(installation.acme, client)
        let stream = try await pair.bob.listen()
        _ = try await stream.block()
        let bob = pair.bob.reader(after: stream.lastEventID)
        async let first = Self.next("connection_paused", bob)
        try await pair.pause()
        let paused = try await first
        #expect(paused.type == "notification")
        server.signal(SIGKILL)
        server.wait()
        let port = try #require(client.base.port)
        let (again, _) = try installation.serve(["KITH_LISTEN": "127.0.0.1:\(port)"])
        defer { again.signal(SIGTERM) }
        try await pair.resume()
        let resumed = try await Self.next("connection_resumed", bob)
        #expect(resumed.id != paused.id)
    }

    @Test func `a refused connection neither hangs nor crashes, also when it is cancelled`() async throws {
        let nowhere = try #require(URL(string: "http://127.0.0.1:1"))
        for wait in [0, 0, 1, 2, 5] {
            let stream = StreamSession.send(URLRequest(url: nowhere))
            if wait == 0 {
                await #expect(throws: URLError.self) { try await stream.response() }
            } else {
                let task = Task { try await stream.response() }
                try await Task.sleep(for: .milliseconds(wait))
                task.cancel()
                _ = await task.result
            }
        }
    }
}
