import EventLoop
import HTTP
import Testing

/// The sender alone chooses the framing of a chunked body (RFC 9112, section 7.1). It must cost the server no more than
/// its bytes.
@Suite(.timeLimit(.minutes(5))) struct `A chunked body` {
    /// A part of the framing that never ends.
    enum Endless: String, CaseIterable {
        case `extension`, extensions, zeros, trailer, trailers

        var text: String {
            switch self {
            case .extension: "1;" + String(repeating: "x", count: 60_000)
            case .extensions: String(repeating: "1;extension\r\nx\r\n", count: 5_000)
            case .zeros: String(repeating: "0", count: 60_000)
            case .trailer: "0\r\nX-Long: " + String(repeating: "x", count: 60_000)
            case .trailers: "0\r\n" + String(repeating: "X: y\r\n", count: 10_000)
            }
        }
    }

    @Test(arguments: Endless.allCases, [false, true])
    func `is refused at once if its framing does not end, and the loop stays idle`(
        endless: Endless, isStreamed: Bool
    ) async throws {
        try await withServer {
            $0.bodyRule = { _, _ in HTTPBodyRule(maximum: 1 << 20, isStreamed: isStreamed) }
        } handler: { request in
            while let reader = request.reader, let piece = try? await reader.next() { _ = piece }
            return await echo(request)
        } _: { server in
            let turns = TurnCounter()
            await server.onLoop { turns.count(on: server.loop) }
            let attacker = try server.connect()
            try attacker.request("POST", "/", "Transfer-Encoding: chunked")
            try attacker.send(endless.text)
            #expect(try attacker.answer().status == 400)
            // The attacker keeps the connection open, and another client is served.
            let other = try server.connect()
            try other.request("GET", "/other")
            #expect(try other.answer().status == 200)
            try await server.waits { $0.openConnections == 1 && $0.requestsInFlight == 0 }
            // A spinning loop would run some hundred iterations in each millisecond. An idle one runs some at the
            // beginning, and then one for each sweep. On a busy machine the pause takes longer than asked for, so its
            // length counts.
            for _ in 0..<2 {
                let (before, began) = (await server.onLoop { turns.turns }, ContinuousClock.now)
                try await Task.sleep(for: .milliseconds(30))
                let ran = await server.onLoop { turns.turns } - before
                #expect(ran < 30 + Int((ContinuousClock.now - began) / .milliseconds(10)))
                attacker.close()
            }
        }
    }
}

/// Counts the iterations of a loop.
///
/// `@unchecked Sendable`: used on the loop's thread only.
private final class TurnCounter: @unchecked Sendable {
    private(set) var turns = 0

    func count(on loop: EventLoop) {
        loop.beforeWaiting {
            self.turns += 1
            return nil
        }
    }
}
