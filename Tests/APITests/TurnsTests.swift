import EventLoop
import Foundation
import Testing

@testable import API

@Suite struct `A user's turns` {
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

    @Test func `are four at once, and who waits comes next in order`() async throws {
        try await onLoop { loop in
            let turns = Turns(loop: loop)
            nonisolated(unsafe) var order: [Int] = []  // touched on the loop's thread only
            for _ in 0..<Turns.atOnce { try? await turns.take(for: "alice") }
            let waiters = (0..<3).map { number in
                loop.spawn {
                    guard (try? await turns.take(for: "alice")) != nil else { return }
                    order.append(number)
                }
            }
            try? await loop.sleep(for: .milliseconds(20))
            #expect(order.isEmpty)
            for _ in 0..<3 { turns.give(back: "alice") }
            for waiter in waiters { await waiter.value }
            #expect(order == [0, 1, 2])
        }
    }

    @Test func `take nothing from another's`() async throws {
        try await onLoop { loop in
            let turns = Turns(loop: loop)
            for _ in 0..<Turns.atOnce { try? await turns.take(for: "alice") }
            #expect((try? await turns.take(for: "bob")) != nil)
        }
    }

    @Test func `that do not come are refused, and leave nothing behind`() async throws {
        try await onLoop { loop in
            let turns = Turns(loop: loop)
            for _ in 0..<Turns.atOnce { try? await turns.take(for: "alice") }
            do throws(Problem) {
                try await turns.take(for: "alice")
                Issue.record("there were no turns left")
            } catch {
                #expect(error.code == .tooManyRequests)
                #expect(error.retryAfter == 1)
            }
            for _ in 0..<Turns.atOnce { turns.give(back: "alice") }
            for _ in 0..<Turns.atOnce { try? await turns.take(for: "alice") }
        }
    }
}
