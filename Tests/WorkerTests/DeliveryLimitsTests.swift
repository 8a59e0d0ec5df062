import Delivery
import TestThreads
import Testing

@testable import Worker

private let start = ContinuousClock.now

extension DeliveryLimits {
    /// Claims messages to these destinations, none of them urgent.
    fileprivate mutating func begin(
        _ destinations: [Destination], at now: ContinuousClock.Instant
    ) -> [Duration?] {
        begin(destinations.map { Candidate(destination: $0) }, at: now)
    }
}

@Suite(.mayBlock) struct `A circuit breaker` {
    @Test func `opens after five failures in a row, then allows one trial attempt`() {
        var breaker = CircuitBreaker()
        for _ in 0..<4 { breaker.fail(at: start, pause: nil) }
        #expect(breaker.isClosed)
        breaker.fail(at: start, pause: nil)
        #expect(!breaker.isClosed)
        #expect(breaker.room(at: start + .seconds(4)) == 0)
        #expect(breaker.room(at: start + .seconds(5)) == 1)
        breaker.begin()
        #expect(breaker.room(at: start + .seconds(5)) == 0)
        breaker.succeed()
        #expect(breaker.room(at: start + .seconds(5)) == .max)
    }

    @Test func `counts only consecutive failures`() {
        var breaker = CircuitBreaker()
        for _ in 0..<20 {
            for _ in 0..<4 { breaker.fail(at: start, pause: nil) }
            breaker.succeed()
        }
        #expect(breaker.isClosed)
    }

    @Test func `doubles its wait after each failed attempt, up to five minutes`() {
        var breaker = CircuitBreaker()
        for _ in 0..<5 { breaker.fail(at: start, pause: nil) }
        var now = start
        for seconds in [5, 10, 20, 40, 80, 160, 300, 300] {
            #expect(breaker.room(at: now + .seconds(seconds) - .milliseconds(1)) == 0)
            now += .seconds(seconds)
            #expect(breaker.room(at: now) == 1)
            breaker.begin()
            breaker.fail(at: now, pause: nil)
        }
    }

    @Test func `obeys a provider's Retry-After at once, but waits no longer than five minutes`() {
        var breaker = CircuitBreaker()
        breaker.fail(at: start, pause: .seconds(60))
        #expect(breaker.room(at: start + .seconds(59)) == 0)
        #expect(breaker.room(at: start + .seconds(60)) == 1)
        breaker.begin()
        breaker.fail(at: start, pause: .seconds(86400))
        #expect(breaker.room(at: start + .seconds(300)) == 1)
    }

    @Test func `makes other messages wait for the trial attempt no longer than it should take`() {
        var breaker = CircuitBreaker()
        for _ in 0..<5 { breaker.fail(at: start, pause: .seconds(300)) }
        #expect(breaker.wait(at: start) == .seconds(300))
        breaker.begin()
        #expect(breaker.wait(at: start + .seconds(300)) == RouteLimit.slowThreshold)
    }

    @Test func `ignores an attempt that never reached the provider`() {
        var breaker = CircuitBreaker()
        for _ in 0..<10 { breaker.release(at: start) }
        #expect(breaker.isClosed)
        for _ in 0..<5 { breaker.fail(at: start, pause: nil) }
        breaker.begin()
        breaker.release(at: start + .seconds(6))
        #expect(breaker.room(at: start + .seconds(6)) == 1)
    }
}

@Suite(.mayBlock) struct `A tenant's limit` {
    @Test func `doubles with each successful window until something fails`() {
        var limit = RouteLimit(most: 100)
        #expect(limit.value == 4)
        for window in [8, 16, 32, 64, 100, 100] {
            for _ in 0..<limit.value { limit.succeed(inFlight: limit.value) }
            #expect(limit.value == window)
        }
        limit.fail(began: start, at: start)
        #expect(limit.value == 50)
        for _ in 0..<50 { limit.succeed(inFlight: 50) }
        #expect((50...51).contains(limit.value))
    }

    @Test func `halves once for all failures of one window, and never reaches zero`() {
        var limit = RouteLimit(most: 64)
        for _ in 0..<100 { limit.succeed(inFlight: 64) }
        for _ in 0..<64 { limit.fail(began: start, at: start + .seconds(1)) }
        #expect(limit.value == 32)
        for second in 1..<20 { limit.fail(began: start + .seconds(second), at: start + .seconds(second + 1)) }
        #expect(limit.value == 1)
    }

    @Test func `does not grow while it is not used up`() {
        var limit = RouteLimit(most: 100)
        for _ in 0..<100 { limit.succeed(inFlight: 1) }
        #expect(limit.value == 4)
    }
}

@Suite(.mayBlock) struct `The limits of a channel` {
    /// Claims once, gives each tenant of `backlog` the messages that its room allows, as the database would, and
    /// returns the claimed ones.
    private func claim(_ limits: inout DeliveryLimits, _ backlog: [Int: Int], at now: ContinuousClock.Instant) -> [Int]
    {
        guard let claim = limits.claim(at: now) else { return [] }
        var given: [Int] = []
        let order = backlog.keys.sorted()
        for tenant in order.filter({ $0 > claim.after }) + order.filter({ $0 <= claim.after }) {
            let most = claim.tenants.firstIndex(of: tenant).map { claim.room[$0] } ?? claim.share
            let count = min(backlog[tenant] ?? 0, most, claim.batch - given.count)
            given += Array(repeating: tenant, count: count)
        }
        _ = limits.begin(given.map { DeliveryLimits.Destination(tenant: $0) }, at: now)
        return given
    }

    /// Ends `jobs` after `time`.
    private func answer(
        _ limits: inout DeliveryLimits, _ jobs: [Int], _ verdict: DeliveryLimits.Verdict,
        began: ContinuousClock.Instant, after time: Duration
    ) {
        for tenant in jobs { _ = limits.end(.init(tenant: tenant), verdict, began: began, at: began + time) }
    }

    @Test func `never let more messages be in flight than the channel allows`() {
        var limits = DeliveryLimits(capacity: 20)
        let backlog = Dictionary(uniqueKeysWithValues: (1...100).map { ($0, 1000) })
        for _ in 0..<50 { _ = claim(&limits, backlog, at: start) }
        #expect((1...20).contains(limits.inFlight))
        #expect(limits.claim(at: start) == nil)
    }

    @Test func `give one healthy tenant most of the channel, and never all of it`() {
        var limits = DeliveryLimits(capacity: 100)
        var now = start
        for _ in 0..<30 {
            let jobs = claim(&limits, [7: 1000], at: now) + claim(&limits, [7: 1000], at: now)
            answer(&limits, jobs, .works, began: now, after: .milliseconds(10))
            now += .milliseconds(10)
        }
        let jobs = claim(&limits, [7: 1000], at: now) + claim(&limits, [7: 1000], at: now)
        #expect(jobs.count == 75)
        #expect(claim(&limits, [7: 1000, 8: 10], at: now).contains(8))
    }

    @Test func `reserve half of the channel for quick tenants, however many others hang`() {
        var limits = DeliveryLimits(capacity: 40)
        var now = start
        // acme is known to be quick.
        for _ in 0..<10 {
            let jobs = claim(&limits, [1: 1000], at: now)
            answer(&limits, jobs, .works, began: now, after: .milliseconds(10))
            now += .milliseconds(10)
        }
        // Fifty other tenants' providers accept requests and never answer.
        let backlog = Dictionary(uniqueKeysWithValues: (2...51).map { ($0, 1000) })
        for _ in 0..<20 { _ = claim(&limits, backlog, at: now) }
        #expect((15...20).contains(limits.inFlight))
        // acme still gets as much as before.
        let jobs =
            claim(&limits, backlog.merging([1: 1000]) { $1 }, at: now)
            + claim(&limits, backlog.merging([1: 1000]) { $1 }, at: now)
        #expect(jobs.count { $0 == 1 } >= 16)
    }

    @Test func `give a new tenant its turn while failing ones wait behind their breakers`() {
        var limits = DeliveryLimits(capacity: 40)
        var backlog = Dictionary(uniqueKeysWithValues: (2...51).map { ($0, 1000) })
        var now = start
        for _ in 0..<40 {
            let jobs = claim(&limits, backlog, at: now)
            answer(&limits, jobs, .fails(pause: nil), began: now, after: .milliseconds(100))
            now += .milliseconds(100)
        }
        #expect(claim(&limits, backlog, at: now).isEmpty, "every breaker is open")
        backlog[1] = 10
        #expect(claim(&limits, backlog, at: now).filter { $0 == 1 }.count == 4)
    }

    @Test func `report once when a breaker opens and once when it closes`() {
        var limits = DeliveryLimits(capacity: 10)
        var changes: [DeliveryLimits.Change] = []
        var now = start
        func attempt(_ verdict: DeliveryLimits.Verdict) {
            _ = limits.begin([.init(tenant: 1)], at: now)
            changes += limits.end(.init(tenant: 1), verdict, began: now, at: now)
            now += .seconds(400)
        }
        for _ in 0..<8 { attempt(.fails(pause: nil)) }
        attempt(.unknown)
        attempt(.works)
        attempt(.works)
        #expect(changes == [.opened, .closed])
    }

    @Test func `rotate, so that the tenant claimed last comes after the others in the next claim`() {
        var limits = DeliveryLimits(capacity: 8)
        let backlog = [1: 4, 2: 4, 3: 4]
        #expect(claim(&limits, backlog, at: start) == [1, 1, 1, 1])
        answer(&limits, [1, 1, 1, 1], .works, began: start, after: .milliseconds(1))
        #expect(claim(&limits, backlog, at: start).first == 2)
    }

    @Test func `report when a tenant that was held back has room again`() {
        var limits = DeliveryLimits(capacity: 100)
        let jobs = claim(&limits, [1: 1000], at: start)
        #expect(jobs.count == 4)
        #expect(claim(&limits, [1: 1000], at: start).isEmpty)
        #expect(!limits.hasRoomAgain)
        _ = limits.end(.init(tenant: 1), .works, began: start, at: start)
        #expect(limits.hasRoomAgain)
    }

    @Test func `forget a healthy tenant soon and a failing one late`() {
        var limits = DeliveryLimits(capacity: 10)
        _ = limits.begin([.init(tenant: 1), .init(tenant: 2)], at: start)
        _ = limits.end(.init(tenant: 1), .works, began: start, at: start)
        _ = limits.end(.init(tenant: 2), .fails(pause: .seconds(300)), began: start, at: start)
        #expect(limits.claim(at: start + .seconds(40))?.tenants == [2])
        #expect(limits.claim(at: start + .seconds(700))?.tenants == [])
    }
}

@Suite(.mayBlock) struct `The limits of a channel with user-chosen hosts` {
    private typealias Destination = DeliveryLimits.Destination

    /// Sends `count` messages to a host that answers at once, until the tenant has most of the channel.
    private func warmUp(_ limits: inout DeliveryLimits, _ destination: Destination) {
        for _ in 0..<20 {
            let waits = limits.begin(Array(repeating: destination, count: 20), at: start)
            for wait in waits where wait == nil { _ = limits.end(destination, .works, began: start, at: start) }
        }
    }

    /// The number of the `count` messages that may be sent.
    private func begin(
        _ limits: inout DeliveryLimits, _ destination: Destination, _ count: Int,
        at now: ContinuousClock.Instant = start
    ) -> Int {
        limits.begin(Array(repeating: destination, count: count), at: now).count { $0 == nil }
    }

    @Test func `keep a tenant's limit for hosts known to be quick, however many hang`() {
        var limits = DeliveryLimits(capacity: 200)
        let good = Destination(tenant: 1, host: "https://push.example")
        warmUp(&limits, good)
        let room = limits.claim(at: start)?.room.first ?? 0
        var hanging = 0
        for number in 0..<500 {
            hanging += begin(&limits, Destination(tenant: 1, host: "https://evil-\(number).example"), 1)
        }
        #expect(hanging <= room / 2)
        #expect(limits.claim(at: start)?.room == [room], "other tenants' room is unchanged")
        #expect(begin(&limits, good, room) == room)
    }

    @Test func `reserve half of the channel for quick hosts of all tenants`() {
        var limits = DeliveryLimits(capacity: 40)
        for tenant in 1...20 { warmUp(&limits, Destination(tenant: tenant, host: "good")) }
        var hanging = 0
        for tenant in 1...20 { hanging += begin(&limits, Destination(tenant: tenant, host: "evil"), 4) }
        #expect(hanging == 20)
        #expect(begin(&limits, Destination(tenant: 1, host: "good"), 10) == 10)
        // This holds for another tenant too, once the hanging messages have ended.
        for tenant in 1...20 {
            for _ in 0..<4 {
                let evil = Destination(tenant: tenant, host: "evil")
                _ = limits.end(evil, .hostFails(pause: nil), began: start, at: start + .seconds(5))
            }
        }
        #expect(begin(&limits, Destination(tenant: 30, host: "good"), 4) == 4)
    }

    @Test func `try a failing host with one message at a time, and the tenant's other hosts with all`() {
        var limits = DeliveryLimits(capacity: 100)
        let bad = Destination(tenant: 1, host: "bad")
        let good = Destination(tenant: 1, host: "good")
        warmUp(&limits, good)
        var changes: [DeliveryLimits.Change] = []
        for _ in 0..<5 {
            #expect(begin(&limits, bad, 1) == 1)
            changes += limits.end(bad, .hostFails(pause: nil), began: start, at: start)
        }
        #expect(changes == [.hostOpened], "the tenant's own breaker stays closed")
        let waits = limits.begin([bad, bad, good], at: start)
        #expect(waits[0].map { $0 >= CircuitBreaker.shortestWait } == true)
        #expect(waits[2] == nil)
        let later = start + CircuitBreaker.shortestWait
        #expect(begin(&limits, bad, 3, at: later) == 1)
        #expect(limits.end(bad, .works, began: later, at: later) == [.hostClosed])
        #expect(begin(&limits, bad, 3, at: later) == 3)
        // Another tenant's messages to the same host are not affected.
        #expect(begin(&limits, Destination(tenant: 2, host: "bad"), 1) == 1)
    }

    @Test func `delay messages for a slow host in order, spread evenly over a minute`() {
        var limits = DeliveryLimits(capacity: 8)
        let slow = Destination(tenant: 1, host: "slow")
        _ = limits.begin([slow], at: start - .seconds(3))
        _ = limits.end(slow, .works, began: start - .seconds(3), at: start)
        let waits = limits.begin(Array(repeating: slow, count: 1004), at: start).compactMap { $0 }
        #expect(waits.count == 1000)
        #expect(waits[0] == .seconds(1))
        #expect(waits.prefix(100) == waits.prefix(100).sorted()[...])
        #expect(Set(waits.prefix(100)).count == 100)
        for ten in 0..<6 {
            let part = waits.count { $0 >= .seconds(ten * 10) && $0 < .seconds((ten + 1) * 10) }
            #expect((140...180).contains(part), "\(ten)")
        }
        #expect(waits.allSatisfy { $0 <= .seconds(60) })
        // Messages that come back repeatedly without room are not delayed further either.
        for _ in 0..<1000 {
            #expect(limits.begin([slow], at: start)[0].map { $0 <= .seconds(60) } == true)
        }
    }

    @Test func `delay messages that wait for a host's first answer by only a second`() {
        var limits = DeliveryLimits(capacity: 200)
        let cold = Destination(tenant: 1, host: "cold")
        let waits = limits.begin(Array(repeating: cold, count: 100), at: start)
        #expect(waits.count { $0 == nil } == 4)
        #expect(waits.compactMap { $0 } == Array(repeating: .seconds(1), count: 96))
        let answered = start + .milliseconds(200)
        for _ in 0..<4 { _ = limits.end(cold, .works, began: start, at: answered) }
        #expect(begin(&limits, cold, 96, at: start + .seconds(1)) == 96)
    }

    @Test func `delay messages that wait for a host's trial attempt no longer than it should take`() {
        var limits = DeliveryLimits(capacity: 100)
        let host = Destination(tenant: 1, host: "host")
        for _ in 0..<5 {
            _ = limits.begin([host], at: start)
            _ = limits.end(host, .hostFails(pause: .seconds(300)), began: start, at: start)
        }
        var now = start + .seconds(300)
        for _ in 0..<6 {
            #expect(begin(&limits, host, 1, at: now) == 1)
            _ = limits.end(host, .hostFails(pause: nil), began: now, at: now)
            now += .seconds(300)
        }
        let waits = limits.begin([host, host], at: now)
        #expect(waits == [nil, RouteLimit.slowThreshold])
    }

    @Test func `give a slow host more messages at once as long as it answers`() {
        var limits = DeliveryLimits(capacity: 200)
        let slow = Destination(tenant: 1, host: "slow")
        var now = start
        var most = 0
        for _ in 0..<20 {
            let begun = begin(&limits, slow, 100, at: now)
            most = max(most, begun)
            for _ in 0..<begun { _ = limits.end(slow, .works, began: now, at: now + .seconds(3)) }
            now += .seconds(3)
        }
        #expect(most == 25)
        let begun = begin(&limits, slow, 100, at: now)
        for _ in 0..<begun { _ = limits.end(slow, .hostFails(pause: nil), began: now, at: now + .seconds(5)) }
        #expect(begin(&limits, slow, 100, at: now + .seconds(10)) == 1)
    }

    @Test func `keep places for urgent messages even if many of a user's hosts hang`() {
        var limits = DeliveryLimits(capacity: 200)
        var hanging = 0
        for number in 0..<20 { hanging += begin(&limits, Destination(tenant: 1, host: "evil-\(number)"), 1) }
        #expect(hanging == 4)
        let cold = Destination(tenant: 1, host: "cold")
        #expect(begin(&limits, cold, 1) == 0)
        let alarm = DeliveryLimits.Candidate(destination: cold, isUrgent: true)
        #expect(limits.begin([alarm, alarm, alarm], at: start) == [nil, nil, .seconds(1)])
    }

    @Test func `do not blame a push service that refuses one user's subscriptions`() {
        var limits = DeliveryLimits(capacity: 100)
        let service = Destination(tenant: 1, host: "https://fcm.googleapis.com")
        let refusal = DeliveryError("Web Push: 403", .retry(after: .seconds(60)), concernsMessageAlone: true)
        for _ in 0..<5 {
            #expect(begin(&limits, service, 1) == 1)
            _ = limits.end(service, DeliveryLimits.Verdict(refusal, to: service), began: start, at: start)
        }
        #expect(begin(&limits, service, 1) == 1, "another user's message is sent")
    }

    @Test func `recognise a tenant that cannot send at all, as on any other channel`() {
        var limits = DeliveryLimits(capacity: 100)
        let good = Destination(tenant: 1, host: "good")
        var changes: [DeliveryLimits.Change] = []
        for _ in 0..<5 {
            _ = limits.begin([good], at: start)
            changes += limits.end(good, .fails(pause: nil), began: start, at: start)
        }
        #expect(changes == [.opened])
        #expect(limits.claim(at: start)?.room == [0])
    }

    @Test func `count messages in flight correctly, whatever their outcome`() {
        var limits = DeliveryLimits(capacity: 60)
        var random = SystemRandomNumberGenerator()
        var inFlight: [Destination] = []
        var now = start
        let verdicts: [DeliveryLimits.Verdict] = [
            .works, .hostFails(pause: nil), .hostFails(pause: .seconds(1)), .fails(pause: nil), .unknown,
        ]
        for _ in 0..<20_000 {
            now += .milliseconds(Int.random(in: 0...500, using: &random))
            if inFlight.isEmpty || Bool.random(using: &random) {
                guard limits.claim(at: now) != nil else { continue }
                let destination = Destination(
                    tenant: .random(in: 1...5), host: Bool.random(using: &random) ? nil : "\(Int.random(in: 0...3))")
                if limits.begin([destination], at: now) == [nil] { inFlight.append(destination) }
            } else {
                let destination = inFlight.remove(at: .random(in: inFlight.indices, using: &random))
                let time = Duration.milliseconds(Int.random(in: 0...4000))
                _ = limits.end(
                    destination, verdicts.randomElement(using: &random) ?? .works, began: now - time, at: now)
            }
            #expect(limits.inFlight == inFlight.count)
            #expect((0...inFlight.count).contains(limits.doubtful))
        }
        for destination in inFlight { _ = limits.end(destination, .works, began: now, at: now) }
        #expect(limits.inFlight == 0)
        #expect(limits.doubtful == 0)
    }
}

@Suite(.mayBlock) struct `A batch of results` {
    @Test func `waits for more, but not for long and not once it is full`() {
        var batch = ResultBatch<Int>()
        #expect(batch.wait(at: start) == nil)
        batch.append(1, at: start)
        #expect(batch.wait(at: start) == .milliseconds(50))
        #expect(batch.wait(at: start + .milliseconds(60)) == .zero)
        for number in 2...100 { batch.append(number, at: start) }
        #expect(batch.wait(at: start) == .zero)
        #expect(batch.take() == Array(1...100))
        #expect(batch.isEmpty)
    }

    @Test func `keeps everything while the database is down`() {
        var batch = ResultBatch<Int>()
        for number in 1...10 { batch.append(number, at: start) }
        for _ in 0..<100 {
            let taken = batch.take()
            #expect(taken == Array(1...10))
            #expect(batch.fail(taken, isRefused: false, at: start).isEmpty)
        }
    }

    @Test func `finds the one result that the database refuses, and drops it after five attempts`() {
        var batch = ResultBatch<Int>()
        for number in 1...100 { batch.append(number, at: start) }
        var recorded: [Int] = []
        var discarded: [Int] = []
        while !batch.isEmpty {
            let taken = batch.take()
            if taken.contains(37) {
                discarded += batch.fail(taken, isRefused: true, at: start)
            } else {
                recorded += taken
                batch.succeed()
            }
        }
        #expect(discarded == [37])
        #expect(recorded.sorted() == (1...100).filter { $0 != 37 })
    }
}
