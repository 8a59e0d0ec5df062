import TestThreads
import Testing

@testable import Postgres

/// The pool's decisions, tested with numbers as requests and a clock that the test sets.
@Suite(.mayBlock) struct PostgresLaneStateTests {
    typealias State = PostgresLaneState<Int>
    let start = ContinuousClock.now

    private func lane(
        connections: Int = 2, depth: Int = 2, waiting: Int = 3, cancels: Bool = false, connected: Int = 0
    ) -> State {
        var state = State(
            settings: PostgresLaneSettings(
                connections: connections, depth: depth, waitingLimit: waiting, deadline: .seconds(2),
                cancelsOverdue: cancels), now: start)
        for slot in 0..<connected { _ = state.connected(slot, now: start) }
        return state
    }

    private func submit(
        _ state: inout State, _ request: Int, of client: Int? = nil, at now: Double = 0, deadline: Double = 2
    ) -> String {
        let decision = state.submit(
            request, client: client, deadline: start + .seconds(deadline), now: start + .seconds(now))
        switch decision {
        case .send(let slot): return "send \(slot)"
        case .wait: return "wait"
        case .refuse(let refusal): return "refuse: \(refusal.rawValue)"
        }
    }

    @Test func `the least loaded connection gets the next request`() {
        var state = lane(connected: 2)
        #expect(submit(&state, 1) == "send 0")
        #expect(submit(&state, 2) == "send 1")
        #expect(submit(&state, 3) == "send 0")
        _ = state.finished(1, now: start)
        #expect(submit(&state, 4) == "send 1")
    }

    @Test func `the pipeline depth and the queue length are limited`() {
        var state = lane(connected: 2)
        for request in 1...4 { #expect(submit(&state, request).hasPrefix("send")) }
        for request in 5...7 { #expect(submit(&state, request) == "wait") }
        #expect(submit(&state, 8) == "refuse: too many requests wait")
        #expect(state.inFlight == 4)
        #expect(state.waitingCount == 3)
    }

    @Test func `waiting requests are sent in order of arrival`() {
        var state = lane(connections: 1, depth: 1, connected: 1)
        for request in 1...4 { _ = submit(&state, request) }
        var answered: [Int?] = []
        var sent: [Int?] = []
        for _ in 1...4 {
            let finish = state.finished(0, now: start)
            answered.append(finish.answered)
            sent.append(finish.next)
        }
        #expect(answered == [1, 2, 3, 4])
        #expect(sent == [2, 3, 4, nil])
        #expect(!state.isBusy)
    }

    @Test func `one client's requests leave a quarter of the connections to the others`() {
        var state = lane(connections: 4, depth: 2, waiting: 100, connected: 4)
        for request in 1...6 { #expect(submit(&state, request, of: 7).hasPrefix("send")) }
        #expect(submit(&state, 8, of: 7) == "wait")
        #expect(submit(&state, 9, of: 8) == "send 3")
        // The process itself has no bulkhead.
        #expect(submit(&state, 10) == "send 3")
        // One client's place on a connection is free for its next request, but not for other clients.
        let finish = state.finished(0, now: start)
        #expect(finish.answered == 1)
        #expect(finish.next == 8)
        #expect(state.waitingCount == 0)
    }

    @Test func `no other request is queued behind a client with many requests in flight`() {
        var state = lane(connections: 4, depth: 2, waiting: 100, connected: 4)
        for request in 1...6 { _ = submit(&state, request, of: 7) }
        for request in 11...12 { #expect(submit(&state, request, of: 8) == "send 3") }
        #expect(submit(&state, 13, of: 9) == "wait")
        // The heavy client's connection has room again, but behind a statement of unknown duration.
        #expect(state.finished(0, now: start).next == nil)
        #expect(submit(&state, 14, of: 9) == "wait")
        #expect(state.finished(3, now: start).next == 13)
        #expect(state.further(3, now: start) == nil)
        // With few requests in flight the client is like any other.
        for slot in 0...2 { _ = state.finished(slot, now: start) }
        for slot in 1...2 { _ = state.finished(slot, now: start) }
        #expect(submit(&state, 15, of: 10) == "send 1")
    }

    @Test func `waiting clients take turns`() {
        var state = lane(connections: 1, depth: 1, waiting: 100, connected: 1)
        _ = submit(&state, 1, of: 7)
        for request in 2...4 { #expect(submit(&state, request, of: 7) == "wait") }
        #expect(submit(&state, 50, of: 8) == "wait")
        #expect(submit(&state, 60) == "wait")
        let sent = (1...5).map { _ in state.finished(0, now: start).next }
        #expect(sent == [2, 50, 60, 3, 4])
        #expect(state.finished(0, now: start).next == nil)
        #expect(!state.isBusy)
    }

    @Test func `one client's queue does not cause the refusal of others`() {
        var state = lane(connections: 1, depth: 1, waiting: 4, connected: 1)
        _ = submit(&state, 1, of: 7)
        for request in 2...3 { #expect(submit(&state, request, of: 7) == "wait") }
        #expect(submit(&state, 4, of: 7) == "refuse: too many requests wait")
        for request in 5...6 { #expect(submit(&state, request, of: 8) == "wait") }
        #expect(submit(&state, 9, of: 9) == "refuse: too many requests wait")
    }

    @Test func `a client regains its full share once its connections are lost or its requests answered`() {
        var state = lane(connections: 4, depth: 1, waiting: 100, connected: 4)
        for request in 1...3 { #expect(submit(&state, request, of: 7) == "send \(request - 1)") }
        #expect(submit(&state, 4, of: 7) == "wait")
        #expect(state.lost(0, now: start, jitter: 0).failed == [1])
        #expect(state.finished(1, now: start).next == 4)
        #expect(submit(&state, 5, of: 7) == "send 3")
        #expect(submit(&state, 6, of: 7) == "wait")
        let expired = state.tick(now: start + .seconds(2)).expired
        #expect(expired == [6])
        #expect(state.waitingCount == 0)
    }

    @Test func `requests wait up to a second for the first connection`() {
        var state = lane()
        #expect(submit(&state, 1) == "wait")
        #expect(submit(&state, 2, at: 0.9) == "wait")
        #expect(state.tick(now: start + .milliseconds(999)).refused.isEmpty)
        #expect(state.tick(now: start + .seconds(1)).refused == [1, 2])
        #expect(submit(&state, 3, at: 1.1) == "refuse: there is no connection")
    }

    @Test func `a new connection takes waiting requests, up to the depth`() {
        var state = lane()
        for request in 1...3 { _ = submit(&state, request) }
        #expect(state.connected(1, now: start).sent == [1, 2])
        #expect(state.connected(0, now: start).sent == [3])
    }

    @Test func `a lost connection fails its requests in flight and nothing else`() {
        var state = lane(connected: 2)
        for request in 1...5 { _ = submit(&state, request) }
        let loss = state.lost(0, now: start + .seconds(5), jitter: 0)
        #expect(loss.failed == [1, 3])
        #expect(loss.refused.isEmpty)
        #expect(state.finished(1, now: start).next == 5)
    }

    @Test func `losing the last connection fails waiting requests too`() {
        var state = lane(connections: 1, depth: 1, connected: 1)
        for request in 1...3 { _ = submit(&state, request) }
        let loss = state.lost(0, now: start + .seconds(5), jitter: 0)
        #expect(loss.failed == [1])
        #expect(loss.refused == [2, 3])
        #expect(submit(&state, 4, at: 5) == "refuse: there is no connection")
    }

    @Test func `the reconnect delay is 50 ms, doubles up to 500 ms, and resets after success`() {
        var state = lane(connections: 1)
        let waits = (1...6).map { _ in state.lost(0, now: start, jitter: 1).retryAfter }
        #expect(waits == [50, 100, 200, 400, 500, 500].map { .milliseconds($0) })
        _ = state.connected(0, now: start)
        #expect(state.lost(0, now: start, jitter: 1).retryAfter == .milliseconds(50))
        _ = state.connected(0, now: start)
        #expect(state.lost(0, now: start, jitter: 0).retryAfter == .milliseconds(25))
    }

    @Test func `while there is no connection, one slot tries for all`() {
        var none = lane(connections: 0)
        #expect(none.start(now: start) == nil)
        var state = lane(connections: 3)
        #expect(state.start(now: start) == 0)
        #expect(state.lost(0, now: start, jitter: 1).retryAfter == .milliseconds(50))
        #expect(state.connected(0, now: start).open == [1, 2])
        // Those that fail beside a connection try again themselves.
        #expect(state.lost(2, now: start, jitter: 1).retryAfter == .milliseconds(50))
        #expect(state.lost(1, now: start, jitter: 1).retryAfter == .milliseconds(50))
        #expect(state.lost(0, now: start, jitter: 1).retryAfter == .milliseconds(50))
        #expect(state.lost(1, now: start, jitter: 1).retryAfter == nil)
        #expect(state.lost(2, now: start, jitter: 1).retryAfter == nil)
        #expect(state.lost(0, now: start, jitter: 1).retryAfter == .milliseconds(100))
        #expect(state.connected(0, now: start).open == [1, 2])
        #expect(state.connected(1, now: start).open == [])
    }

    @Test func `a slot that was on its way when the last connection went opens the others too`() {
        var state = lane(connections: 2, connected: 2)
        // The first tries again. The second, lost after it, tries for both.
        #expect(state.lost(0, now: start, jitter: 1).retryAfter == .milliseconds(50))
        #expect(state.lost(1, now: start, jitter: 1).retryAfter == .milliseconds(50))
        #expect(state.connected(0, now: start).open == [])
        #expect(state.lost(1, now: start, jitter: 1).retryAfter == .milliseconds(100))
        #expect(state.connected(1, now: start).open == [])
    }

    @Test func `the longer a server is away, the longer the delay, up to 5 s`() {
        var state = lane(connections: 1)
        let delays = [0, 10, 50, 100, 500].map {
            state.lost(0, now: start + .seconds($0), jitter: 1).retryAfter
        }
        #expect(delays == [50, 200, 1000, 2000, 5000].map { .milliseconds($0) })
    }

    @Test func `a waiting request is dropped at its deadline, and the others keep their order`() {
        var state = lane(connections: 1, depth: 1, connected: 1)
        _ = submit(&state, 1, deadline: 10)
        _ = submit(&state, 2, deadline: 3)
        _ = submit(&state, 3, deadline: 1)
        _ = submit(&state, 4, deadline: 3)
        let overdue = state.tick(now: start + .seconds(1))
        #expect(overdue.expired == [3])
        #expect(overdue.timedOut.isEmpty)
        #expect(state.finished(0, now: start).next == 2)
        #expect(state.finished(0, now: start).next == 4)
    }

    @Test func `a request in flight is answered once, at its deadline, and its late result is dropped`() {
        var state = lane(connections: 1, depth: 2, connected: 1)
        _ = submit(&state, 1, deadline: 1)
        _ = submit(&state, 2, deadline: 9)
        #expect(state.tick(now: start + .seconds(1)).timedOut == [1])
        #expect(state.tick(now: start + .seconds(1.5)).timedOut.isEmpty)
        #expect(state.finished(0, now: start + .seconds(1.6)).answered == nil)
        #expect(state.finished(0, now: start + .seconds(1.7)).answered == 2)
    }

    @Test func `a connection silent for a second after its front statement's deadline is closed`() {
        var state = lane(connections: 1, depth: 2, connected: 1)
        _ = submit(&state, 1, deadline: 1)
        _ = submit(&state, 2, deadline: 1)
        #expect(state.tick(now: start + .seconds(1.9)).close.isEmpty)
        // The front moves on: the second statement has its own second from then.
        _ = state.finished(0, now: start + .seconds(1.9))
        #expect(state.tick(now: start + .seconds(2.8)).close.isEmpty)
        #expect(state.tick(now: start + .seconds(2.9)).close == [0])
    }

    @Test func `an overdue slow statement is cancelled, and nothing is sent behind it until the cancel has landed`() {
        var state = lane(connections: 1, depth: 1, cancels: true, connected: 1)
        _ = submit(&state, 1, deadline: 1)
        _ = submit(&state, 2, deadline: 9)
        let overdue = state.tick(now: start + .seconds(1))
        #expect(overdue.timedOut == [1])
        #expect(overdue.cancel == [0])
        #expect(state.tick(now: start + .seconds(1.1)).cancel.isEmpty)
        #expect(state.finished(0, now: start + .seconds(1.2)).next == nil)
        #expect(submit(&state, 3, at: 1.3) == "wait")
        #expect(state.cancelled(0, now: start + .seconds(1.4)) == 2)
    }

    @Test func `a closing lane refuses new requests and finishes its own`() {
        var state = lane(connections: 1, depth: 1, connected: 1)
        _ = submit(&state, 1)
        _ = submit(&state, 2)
        state.close()
        #expect(submit(&state, 3) == "refuse: the pool is closing")
        #expect(state.finished(0, now: start).next == 2)
        #expect(state.finished(0, now: start).answered == 2)
        #expect(!state.isBusy)
    }

    @Test func `every request is answered exactly once, whatever happens`() {
        for seed in 1...200 {
            var chance = SplitMix(seed: UInt64(seed))
            var state = lane(connections: 3, depth: 2, waiting: 5, cancels: false)
            var now = 0.0
            var open: Set<Int> = []
            var answers: [Int: Int] = [:]
            var inFlight: [Int: [Int]] = [0: [], 1: [], 2: []]
            var live: Set<Int> = []
            func answer(_ requests: [Int]) { for request in requests { answers[request, default: 0] += 1 } }
            for request in 1...300 {
                now += Double.random(in: 0...0.1, using: &chance)
                let slot = Int.random(in: 0..<3, using: &chance)
                switch Int.random(in: 0..<10, using: &chance) {
                case 0 where live.contains(slot):
                    let loss = state.lost(slot, now: start + .seconds(now), jitter: 0)
                    answer(loss.failed + loss.refused)
                    live.remove(slot)
                    inFlight[slot] = []
                case 1, 2:
                    guard !live.contains(slot) else { break }
                    inFlight[slot] = state.connected(slot, now: start + .seconds(now)).sent
                    live.insert(slot)
                case 3...6:
                    guard live.contains(slot), !inFlight[slot]!.isEmpty else { break }
                    inFlight[slot]!.removeFirst()
                    let finish = state.finished(slot, now: start + .seconds(now))
                    answer([finish.answered].compactMap(\.self))
                    if let next = finish.next { inFlight[slot]!.append(next) }
                default: break
                }
                open.insert(request)
                switch state.submit(
                    request, deadline: start + .seconds(now + Double.random(in: 0...2, using: &chance)),
                    now: start + .seconds(now))
                {
                case .send(let slot): inFlight[slot]!.append(request)
                case .wait: break
                case .refuse: answer([request])
                }
                let overdue = state.tick(now: start + .seconds(now))
                answer(overdue.timedOut + overdue.expired + overdue.refused)
                #expect(inFlight.values.allSatisfy { $0.count <= 2 })
                #expect(state.waitingCount <= 5)
            }
            for slot in live {
                let loss = state.lost(slot, now: start + .seconds(now + 10), jitter: 0)
                answer(loss.failed + loss.refused)
            }
            answer(state.tick(now: start + .seconds(now + 10)).refused)
            #expect(answers.count == open.count)
            #expect(answers.values.allSatisfy { $0 == 1 })
        }
    }
}

/// A seeded generator, so that a failure can be reproduced.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
