import EventLoop
import Testing

@testable import HTTP

@Suite struct `The field Date` {
    @Test func `follows the clock from second to second, and back`() {
        var field = DateField()
        #expect(field.value(at: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(field.value(at: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(field.value(at: 784_111_778) == "Sun, 06 Nov 1994 08:49:38 GMT")
        #expect(field.value(at: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func `has the time of the server's own clock`() async throws {
        let clock = WallClock.stopped(at: 784_111_777_999_999)
        try await withServer(clock: clock) { server in
            let client = try server.connect()
            try client.request("GET", "/")
            #expect(try client.answer()["Date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
            clock.advance(by: 1)
            try client.request("GET", "/")
            #expect(try client.answer()["Date"] == "Sun, 06 Nov 1994 08:49:38 GMT")
        }
    }
}
