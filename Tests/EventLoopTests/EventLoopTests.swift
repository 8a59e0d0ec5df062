import Foundation
import Glibc
import Synchronization
import Testing

@testable import EventLoop

/// Runs a loop on a thread of its own for as long as `body` takes.
private func withRunningLoop<Value>(_ body: (EventLoop) async throws -> Value) async throws -> Value {
    let loop = try EventLoop()
    let thread = Thread { loop.run() }
    thread.start()
    defer { loop.stop() }
    return try await body(loop)
}

@Suite struct `An event loop` {
    @Test func `runs work from other threads on its own thread`() async throws {
        try await withRunningLoop { loop in
            let onLoop = await withCheckedContinuation { continuation in
                loop.execute { continuation.resume(returning: loop.isCurrent) }
            }
            #expect(onLoop)
            #expect(!loop.isCurrent)
        }
    }

    @Test func `keeps async code on its thread across every suspension`() async throws {
        try await withRunningLoop { loop in
            let strayed = Atomic(0)
            let task = loop.spawn {
                for _ in 0..<100 {
                    await Task.yield()
                    try? await loop.sleep(for: .microseconds(100))
                    await nonisolatedStep()
                    if !loop.isCurrent { strayed.add(1, ordering: .relaxed) }
                }
            }
            await task.value
            let count = strayed.load(ordering: .relaxed)
            #expect(count == 0)
        }
    }

    @Test func `starts no thread besides its own`() async throws {
        try await withRunningLoop { loop in
            func threads() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
            }
            await loop.spawn { try? await loop.sleep(for: .milliseconds(1)) }.value
            var started = Int.max
            // Other tests of this process have threads too, so repeat until they leave the count alone. The test's own
            // tasks may grow the shared thread pool up to the number of cores.
            for _ in 0..<200 where started > ProcessInfo.processInfo.activeProcessorCount {
                let before = try threads()
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<200 {
                        group.addTask { await loop.spawn { try? await loop.sleep(for: .milliseconds(5)) }.value }
                    }
                }
                started = try threads() - before
            }
            #expect(started <= ProcessInfo.processInfo.activeProcessorCount)
        }
    }

    @Test func `fires timers in the order of their deadlines, and never a cancelled one`() async throws {
        try await withRunningLoop { loop in
            let order = await withCheckedContinuation { (continuation: CheckedContinuation<[Int], Never>) in
                loop.execute {
                    let fired = Fired()
                    loop.schedule(after: .milliseconds(30)) { fired.numbers.append(3) }
                    loop.schedule(after: .milliseconds(10)) { fired.numbers.append(1) }
                    let cancelled = loop.schedule(after: .milliseconds(15)) { fired.numbers.append(99) }
                    loop.schedule(after: .milliseconds(20)) { fired.numbers.append(2) }
                    loop.schedule(after: .milliseconds(40)) { continuation.resume(returning: fired.numbers) }
                    cancelled.cancel()
                }
            }
            #expect(order == [1, 2, 3])
        }
    }

    @Test func `ends a sleep at once when its task is cancelled`() async throws {
        try await withRunningLoop { loop in
            let cancelled = Atomic(false)
            let task = loop.spawn {
                do { try await loop.sleep(for: .seconds(3600)) } catch { cancelled.store(true, ordering: .relaxed) }
            }
            task.cancel()
            await task.value
            let wasCancelled = cancelled.load(ordering: .relaxed)
            #expect(wasCancelled)
        }
    }

    @Test func `reports readable descriptors until the watch is cancelled`() async throws {
        try await withRunningLoop { loop in
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            let (reading, writing) = (ends[0], ends[1])
            let read = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
                loop.execute {
                    var watch: Watch?
                    watch = loop.watch(reading, for: .readable) { ready in
                        #expect(ready == .readable)
                        var bytes = [UInt8](repeating: 0, count: 16)
                        let count = Glibc.read(reading, &bytes, 16)
                        watch?.cancel()
                        continuation.resume(returning: count)
                    }
                    _ = write(writing, "hello", 5)
                }
            }
            #expect(read == 5)
            close(reading)
            close(writing)
        }
    }

    @Test func `watches a descriptor as soon as the kernel has room for it`() async throws {
        try await withRunningLoop { loop in
            let seen = await withCheckedContinuation { (continuation: CheckedContinuation<[Int], Never>) in
                loop.execute {
                    var ends: [Int32] = [0, 0]
                    pipe(&ends)
                    _ = write(ends[1], "x", 1)
                    let refused = Fired()
                    let room = loop.controlEpoll
                    loop.controlEpoll = { poll, operation, descriptor, event in
                        guard refused.numbers.count < 2 else {
                            return room(poll, operation, descriptor, event)
                        }
                        refused.numbers.append(Int(descriptor))
                        errno = ENOSPC
                        return -1
                    }
                    let watches = Watches()
                    let cancelled = loop.watch(ends[1], for: .writable) { _ in refused.numbers.append(-1) }
                    watches.all = [
                        loop.watch(ends[0], for: []) { ready in
                            watches.all.forEach { $0.cancel() }
                            ends.forEach { close($0) }
                            continuation.resume(returning: refused.numbers + [ready == .readable ? 1 : 0])
                        }
                    ]
                    watches.all[0].update(.readable)
                    cancelled.cancel()
                }
            }
            #expect(seen.count == 3 && seen.last == 1)
        }
    }

    @Test func `gives a reused slot no event of the previous descriptor`() async throws {
        try await withRunningLoop { loop in
            let stale = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                loop.execute {
                    var first: [Int32] = [0, 0]
                    var second: [Int32] = [0, 0]
                    pipe(&first)
                    pipe(&second)
                    let (one, other) = (first[0], second[0])
                    let called = Fired()
                    let watches = Watches()
                    // Both become ready in one batch; the first to be handled replaces the other's registration.
                    func replaceOther(of descriptor: Int32) -> (Interest) -> Void {
                        { _ in
                            called.numbers.append(Int(descriptor))
                            watches.all.forEach { $0.cancel() }
                            watches.all = [
                                loop.watch(descriptor == one ? other : one, for: []) { _ in called.numbers.append(-1) }
                            ]
                        }
                    }
                    watches.all = [
                        loop.watch(one, for: .readable, replaceOther(of: one)),
                        loop.watch(other, for: .readable, replaceOther(of: other)),
                    ]
                    _ = write(first[1], "x", 1)
                    _ = write(second[1], "x", 1)
                    loop.schedule(after: .milliseconds(20)) {
                        watches.all.forEach { $0.cancel() }
                        continuation.resume(returning: called.numbers.contains(-1) || called.numbers.count != 1)
                        for end in first + second { close(end) }
                    }
                }
            }
            #expect(!stale)
        }
    }

    @Test func `asks its hooks before it waits, and waits no longer than they allow`() async throws {
        let loop = try EventLoop()
        let asked = Fired()
        loop.beforeWaiting {
            asked.numbers.append(1)
            if asked.numbers.count == 10 { loop.stop() }
            return .milliseconds(1)
        }
        loop.run()
        #expect(asked.numbers.count >= 10)
    }

    @Test func `delivers signals to ordinary code`() async throws {
        let loop = try EventLoop()
        let seen = Fired()
        let watch = try loop.onSignal([SIGUSR2]) { signal in
            seen.numbers.append(Int(signal))
            loop.stop()
        }
        pthread_kill(pthread_self(), SIGUSR2)
        loop.run()
        watch.cancel()
        #expect(seen.numbers == [Int(SIGUSR2)])
    }
}

/// `@unchecked Sendable`: used on one loop's thread only.
private final class Fired: @unchecked Sendable {
    var numbers: [Int] = []
}

/// `@unchecked Sendable`: used on one loop's thread only.
private final class Watches: @unchecked Sendable {
    var all: [Watch] = []
}

private func nonisolatedStep() async {
    await Task.yield()
}

@Suite struct `The timer heap` {
    @Test func `returns timers in order of their deadlines`() {
        var heap = TimerHeap()
        let start = ContinuousClock.now
        var generator = SystemRandomNumberGenerator()
        let delays = (0..<500).map { _ in Int.random(in: 0..<1000, using: &generator) }
        for delay in delays { heap.insert(LoopTimer(at: start + .milliseconds(delay)) {}) }
        var out: [ContinuousClock.Instant] = []
        while let timer = heap.popDue(at: start + .seconds(2)) { out.append(timer.deadline) }
        #expect(out.count == delays.count)
        #expect(out == out.sorted())
    }

    @Test func `returns no timer early`() {
        var heap = TimerHeap()
        let start = ContinuousClock.now
        heap.insert(LoopTimer(at: start + .seconds(1)) {})
        #expect(heap.popDue(at: start) == nil)
        #expect(heap.popDue(at: start + .seconds(1)) != nil)
        #expect(heap.next == nil)
    }
}

@Suite struct `The clock of an event loop` {
    @Test func `is the machine's unless it is set`() throws {
        let machine = try EventLoop().clock
        #expect(!machine.isSet)
        let before = WallClock.machine.now
        let asked = machine.now
        #expect((before...WallClock.machine.now).contains(asked))
    }

    @Test func `starts at a given instant and runs on, or is ahead of the machine's`() throws {
        let instant: Int64 = 1_804_584_000_000_000
        let moved = try EventLoop(clock: .starting(at: instant)).clock
        #expect(moved.isSet)
        let first = moved.now
        #expect(first >= instant)
        #expect(moved.now >= first)

        let ahead = WallClock.ahead(by: -3_600_000_000)
        #expect(ahead.isSet)
        let before = WallClock.machine.now
        let asked = ahead.now
        #expect((before...WallClock.machine.now).contains(asked + 3_600_000_000))
    }

    @Test func `stands still at an instant until it is moved`() {
        let stopped = WallClock.stopped(at: 1_804_584_000_000_000)
        let copy = stopped
        #expect(stopped.isSet)
        #expect(stopped.now == 1_804_584_000_000_000)
        stopped.advance(by: 1000)
        #expect(stopped.now == 1_804_584_000_001_000)
        #expect(copy.now == stopped.now)
    }
}
