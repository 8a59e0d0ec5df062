import EventLoop
import Foundation
import Problems
import Testing

@testable import Requests

@Suite struct `The concurrency limiter` {
    /// Runs `body` on an event loop of its own.
    private func onLoop(_ body: @escaping @Sendable (EventLoop) async -> Void) async throws {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread {
                guard let loop = try? EventLoop() else { preconditionFailure("no descriptors left") }
                loop.spawn {
                    await body(loop)
                    loop.stop()
                }
                loop.run()
                continuation.resume()
            }.start()
        }
    }

    private let limiter = ConcurrencyLimiter(limit: 4, queueLimit: 3, timeout: .milliseconds(100))

    @Test func `runs four requests of a user at a time, and starts waiting ones in order`() async throws {
        try await onLoop { loop in
            nonisolated(unsafe) var order: [Int] = []  // used on the loop's thread only
            for _ in 0..<4 { try? await limiter.enter("alice", on: loop) }
            let waiters = (0..<3).map { number in
                loop.spawn {
                    guard (try? await limiter.enter("alice", on: loop)) != nil else { return }
                    order.append(number)
                }
            }
            try? await loop.sleep(for: .milliseconds(20))
            #expect(order.isEmpty)
            for _ in 0..<3 { limiter.leave("alice") }
            for waiter in waiters { await waiter.value }
            #expect(order == [0, 1, 2])
        }
    }

    @Test func `takes no capacity from other users`() async throws {
        try await onLoop { loop in
            for _ in 0..<4 { try? await limiter.enter("alice", on: loop) }
            #expect((try? await limiter.enter("bob", on: loop)) != nil)
        }
    }

    @Test func `refuses requests that waited too long, and leaves nothing behind`() async throws {
        try await onLoop { loop in
            for _ in 0..<4 { try? await limiter.enter("alice", on: loop) }
            do throws(Problem) {
                try await limiter.enter("alice", on: loop)
                Issue.record("there was no room")
            } catch {
                #expect(error.code == .tooManyRequests)
                #expect(error.retryAfter == 1)
            }
            for _ in 0..<4 { limiter.leave("alice") }
            for _ in 0..<4 { try? await limiter.enter("alice", on: loop) }
        }
    }

    @Test func `refuses at once if too many are waiting`() async throws {
        try await onLoop { loop in
            let limiter = ConcurrencyLimiter(limit: 1, queueLimit: 1, timeout: .seconds(3600))
            try? await limiter.enter("alice", on: loop)
            nonisolated(unsafe) var began = false  // used on the loop's thread only
            let waiter = loop.spawn { began = (try? await limiter.enter("alice", on: loop)) != nil }
            try? await loop.sleep(for: .zero)
            do throws(Problem) {
                try await limiter.enter("alice", on: loop)
                Issue.record("the queue was full")
            } catch {
                #expect(error.code == .tooManyRequests)
            }
            limiter.leave("alice")
            await waiter.value
            #expect(began)
        }
    }

    @Test func `holds over several loops, and lets a request on another loop begin`() async throws {
        let limiter = ConcurrencyLimiter(limit: 1, queueLimit: 1, timeout: .seconds(3600))
        let (first, second) = (try LoopThread(), try LoopThread())
        defer {
            first.stop()
            second.stop()
        }
        for _ in 0..<200 {
            try await Task(executorPreference: first.loop) { try await limiter.enter("alice", on: first.loop) }.value
            let waiter = Task(executorPreference: second.loop) {
                try await limiter.enter("alice", on: second.loop)
                return second.loop.isCurrent
            }
            // It leaves before, while or after the other one begins to wait.
            await Task(executorPreference: first.loop) { limiter.leave("alice") }.value
            #expect(try await waiter.value)
            limiter.leave("alice")
        }
    }
}
