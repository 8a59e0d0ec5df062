import Foundation
import Testing

@testable import EventLoop

@Suite struct `A thread with a loop` {
    private struct Refusal: Error {}

    @Test func `runs what is given to it, and returns the result or throws the error`() throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        #expect(try thread.perform { thread.loop.isCurrent })
        #expect(!thread.loop.isCurrent)
        #expect(throws: Refusal.self) { try thread.perform { throw Refusal() } }
    }

    @Test func `gets no signals, so that they arrive where they are awaited`() throws {
        let thread = try LoopThread()
        defer { thread.stop() }
        let status = try thread.perform { try String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8) }
        let blocked = try #require(status.firstMatch(of: /SigBlk:\s*([0-9a-f]+)/)?.1)
        // SIGTERM is the fifteenth bit, SIGINT the second.
        let mask = try #require(UInt64(blocked, radix: 16))
        #expect(mask & (1 << 14) != 0)
        #expect(mask & (1 << 1) != 0)
    }

    @Test func `lets async code change to its loop and back`() async throws {
        let (first, second) = (try LoopThread(), try LoopThread())
        defer {
            first.stop()
            second.stop()
        }
        let places = await Task(executorPreference: first.loop) {
            let before = first.loop.isCurrent
            let there = await withTaskExecutorPreference(second.loop) { second.loop.isCurrent }
            return [before, there, first.loop.isCurrent]
        }.value
        #expect(places == [true, true, true])
    }
}
