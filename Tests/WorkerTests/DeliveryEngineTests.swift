import EventLoop
import Foundation
import Postgres
import Synchronization
import TestThreads
import Testing

@testable import Worker

/// Work for a test: numbers, each of which takes a moment; a negative one never ends.
private final class Numbers: DeliverySource {
    struct State {
        var left: [Int]
        var inFlight = 0
        var most = 0
        var performed: [Int] = []
        var recorded: [Int] = []
        var statements = 0
        var outages = 0
        /// The number that the database refuses to record.
        var refused: Int?
    }

    let name = "numbers"
    let capacity: Int
    let hasRoomAgain = false
    let state: Mutex<State>
    private let loop: EventLoop

    init(_ numbers: [Int], capacity: Int, loop: EventLoop, outages: Int = 0) {
        self.capacity = capacity
        self.loop = loop
        state = Mutex(State(left: numbers, outages: outages))
    }

    var seen: State { state.withLock { $0 } }

    func claim() async throws(PostgresError) -> [Int]? {
        let claimed = state.withLock { state in
            let room = capacity - state.inFlight
            guard room > 0 else { return [Int]?.none }
            let claimed = Array(state.left.prefix(room))
            state.left.removeFirst(claimed.count)
            state.inFlight += claimed.count
            state.most = max(state.most, state.inFlight)
            return claimed
        }
        return claimed
    }

    func perform(_ number: Int) async -> Int {
        try? await loop.sleep(for: number < 0 ? .seconds(600) : .milliseconds(number % 3))
        state.withLock { state in
            state.performed.append(number)
            state.inFlight -= 1
        }
        return number
    }

    func finish(_ numbers: [Int]) async throws(PostgresError) {
        let error: PostgresError? = state.withLock { state in
            state.statements += 1
            state.outages -= 1
            guard state.outages < 0 else { return .unavailable(reason: "it is away") }
            if let refused = state.refused, numbers.contains(refused) {
                return .server(PostgresServerError(sqlState: .characterNotInRepertoire, message: ""))
            }
            state.recorded += numbers
            return nil
        }
        if let error { throw error }
    }
}

/// Runs `body` on a loop of its own.
private func onLoop(_ body: @escaping @Sendable (EventLoop) async throws -> Void) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        Thread {
            do {
                let loop = try EventLoop()
                loop.spawn {
                    do { try await body(loop) } catch { Issue.record(error) }
                    loop.stop()
                }
                loop.run()
            } catch {
                Issue.record(error)
            }
            continuation.resume()
        }.start()
    }
}

@Suite(.mayBlock) struct `A delivery engine` {
    @Test func `processes everything once, within its limit, and records results in batches`() async {
        await onLoop { loop in
            let source = Numbers(Array(0..<1000), capacity: 50, loop: loop)
            let engine = DeliveryEngine(source, loop: loop)
            let running = loop.spawn { await engine.run() }
            while source.seen.recorded.count < 1000 { try? await loop.sleep(for: .milliseconds(5)) }
            engine.stop()
            await running.value
            #expect(source.seen.performed.sorted() == Array(0..<1000))
            #expect(source.seen.recorded.sorted() == Array(0..<1000))
            #expect(source.seen.most == 50)
            #expect(source.seen.statements < 200)
        }
    }

    @Test func `keeps unrecorded results while the database is down`() async {
        await onLoop { loop in
            let source = Numbers(Array(0..<100), capacity: 20, loop: loop, outages: 3)
            let engine = DeliveryEngine(source, loop: loop)
            let running = loop.spawn { await engine.run() }
            while source.seen.recorded.count < 100 { try? await loop.sleep(for: .milliseconds(5)) }
            engine.stop()
            await running.value
            #expect(source.seen.recorded.sorted() == Array(0..<100))
            #expect(source.seen.performed.count == 100, "nothing is done twice")
        }
    }

    @Test func `finishes the work in progress when it is stopped, and begins nothing more`() async {
        await onLoop { loop in
            let source = Numbers(Array(0..<100_000), capacity: 20, loop: loop)
            let engine = DeliveryEngine(source, loop: loop)
            let running = loop.spawn { await engine.run() }
            try? await loop.sleep(for: .milliseconds(20))
            engine.stop()
            await running.value
            let seen = source.seen
            #expect(!seen.performed.isEmpty && seen.left.count > 0)
            #expect(seen.recorded.sorted() == seen.performed.sorted())
            #expect(seen.inFlight == 0)
        }
    }

    @Test func `ends an attempt before its lease expires`() async {
        await onLoop { loop in
            let source = Numbers([-1] + Array(0..<100), capacity: 20, loop: loop)
            let done = try? await DeliveryEngine(source, loop: loop, longest: .milliseconds(200)).runOnce()
            #expect(done == 101)
            #expect(source.seen.recorded.count == 101)
        }
    }

    @Test func `can process the available work once and end`() async {
        await onLoop { loop in
            let source = Numbers(Array(0..<100), capacity: 20, loop: loop)
            let done = try? await DeliveryEngine(source, loop: loop).runOnce()
            #expect(done == 100)
            #expect(source.seen.recorded.count == 100)
        }
    }

    @Test func `that processes the available work once keeps unrecorded results while the database is down`() async {
        await onLoop { loop in
            let source = Numbers(Array(0..<100), capacity: 20, loop: loop, outages: 3)
            let engine = DeliveryEngine(source, loop: loop, recordingBackoff: Self.quick)
            let done = try await engine.runOnce()
            #expect(done == 100)
            #expect(source.seen.recorded.sorted() == Array(0..<100))
        }
    }

    @Test func `that fails because the database stays down records its results the next time`() async {
        await onLoop { loop in
            let source = Numbers(Array(0..<20), capacity: 20, loop: loop, outages: 100)
            let engine = DeliveryEngine(source, loop: loop, recordingBackoff: Self.quick)
            await #expect(throws: PostgresError.self) { try await engine.runOnce() }
            #expect(source.seen.performed.count == 20 && source.seen.recorded.isEmpty)
            source.state.withLock { $0.outages = 0 }
            let done = try await engine.runOnce()
            #expect(done == 0)
            #expect(source.seen.recorded.sorted() == Array(0..<20))
            #expect(source.seen.performed.count == 20, "nothing is done twice")
        }
    }

    @Test func `that processes the available work once loses only a result that the database refuses`() async {
        await onLoop { loop in
            let source = Numbers(Array(0..<100), capacity: 100, loop: loop)
            source.state.withLock { $0.refused = 37 }
            let engine = DeliveryEngine(source, loop: loop, recordingBackoff: Self.quick)
            let done = try await engine.runOnce()
            #expect(done == 100)
            #expect(source.seen.recorded.sorted() == (0..<100).filter { $0 != 37 })
        }
    }

    private static let quick = Backoff(from: .milliseconds(1), to: .milliseconds(2))

    @Test func `looks for work at once when it is woken`() async {
        await onLoop { loop in
            let source = Numbers([], capacity: 20, loop: loop)
            let engine = DeliveryEngine(source, loop: loop)
            let running = loop.spawn { await engine.run() }
            for number in 0..<20 {
                try? await loop.sleep(for: .milliseconds(1))
                source.state.withLock { $0.left.append(number) }
                engine.wake()
            }
            while source.seen.recorded.count < 20 { try? await loop.sleep(for: .milliseconds(1)) }
            engine.stop()
            await running.value
            #expect(source.seen.recorded.sorted() == Array(0..<20))
        }
    }
}
