import EventLoop
import Foundation
import Synchronization
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(10))) struct `A reader of a body` {
    @Test func `ends its read if asking for more finds that the client is gone`() async throws {
        let loop = try EventLoop()
        let thread = Thread { loop.run() }
        thread.start()
        defer { loop.stop() }
        let outcome = Mutex<String?>(nil)
        await loop.spawn {
            var failing: HTTPBodyReader?
            // As when the connection sends `100 Continue`, and the client has reset it.
            let reader = HTTPBodyReader(loop: loop) { failing?.fail(.interrupted) }
            failing = reader
            do throws(HTTPBodyError) {
                let piece = try await reader.next()
                outcome.withLock { $0 = "\(piece?.count ?? 0) bytes" }
            } catch {
                outcome.withLock { $0 = "\(error)" }
            }
        }.value
        #expect(outcome.withLock { $0 } == "\(HTTPBodyError.interrupted)")
    }
}
