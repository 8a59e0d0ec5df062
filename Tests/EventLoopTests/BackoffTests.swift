import EventLoop
import Testing

@Suite struct `A back-off` {
    @Test func `doubles up to the longest delay, and starts over after a success`() {
        var backoff = Backoff(from: .milliseconds(50), to: .milliseconds(500))
        let delays = (0..<6).map { _ in backoff.fail(jitter: 1) }
        #expect(delays == [50, 100, 200, 400, 500, 500].map { .milliseconds($0) })
        #expect(backoff.failures == 6)
        backoff.succeed()
        #expect(backoff.failures == 0)
        #expect(backoff.fail(jitter: 1) == .milliseconds(50))
    }

    @Test func `is at least half of its delay`() {
        var backoff = Backoff(from: .milliseconds(100), to: .seconds(1))
        #expect(backoff.fail(jitter: 0) == .milliseconds(50))
        #expect(backoff.fail(jitter: 0.5) == .milliseconds(150))
    }
}
