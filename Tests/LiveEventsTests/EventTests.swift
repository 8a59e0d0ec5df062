import NetworkAddresses
import Problems
import Testing

@testable import LiveEvents

private let event = "019aa5c4-2d31-7a90-b6c2-5e1f0a9d8b74"
private let time: Int64 = 0x019a_a5c4_2d31

@Suite struct `The size of a batch` {
    @Test func `shrinks with each failure down to one event, and grows after quick reads alone`() {
        var size = BatchSize(most: 1000)
        var counts: [Int] = []
        for _ in 0..<6 {
            size.noteFailure()
            counts.append(size.count)
        }
        #expect(counts == [250, 62, 15, 10, 1, 1])
        for _ in 0..<6 { size.note(success: .seconds(4)) }
        #expect(size.count == 16)
        for _ in 0..<12 { size.note(success: .milliseconds(20)) }
        #expect(size.count == 1000)
    }
}

@Suite struct `The pulse of the feed` {
    @Test func `stops when reads fail, and while the end of the feed stands still`() {
        let start = ContinuousClock.now
        var pulse = FeedPulse()
        #expect(pulse.isAlive(at: start, beats: true))
        pulse.note(horizon: 7, at: start)
        pulse.note(horizon: 7, at: start + .seconds(29))
        #expect(pulse.isAlive(at: start + .seconds(29), beats: true))
        #expect(!pulse.isAlive(at: start + .seconds(30), beats: true))
        #expect(pulse.lag(at: start + .seconds(30)) == .seconds(30))
        // Without heartbeats, a database in which nothing happens looks the same.
        #expect(pulse.isAlive(at: start + .seconds(30), beats: false))
        pulse.note(horizon: 8, at: start + .seconds(31))
        #expect(pulse.isAlive(at: start + .seconds(31), beats: true))
        pulse.noteFailure()
        #expect(!pulse.isAlive(at: start + .seconds(31), beats: true))
        #expect(!pulse.isAlive(at: start + .seconds(31), beats: false))
        pulse.note(horizon: 8, at: start + .seconds(32))
        #expect(pulse.isAlive(at: start + .seconds(32), beats: true))
    }
}

@Suite struct `An event position` {
    @Test func `is read as it was written`() throws {
        for position in [
            EventPosition(transaction: 48213, id: event), EventPosition(milliseconds: 1, transaction: 0),
            EventPosition(milliseconds: 999_999_999_999_999, transaction: 9_999_999_999_999_999_999, id: event),
        ] {
            #expect(EventPosition(position.text) == position)
        }
        #expect(EventPosition(transaction: 48213, id: event).text == "\(time)-48213-\(event)")
        #expect(EventPosition("1-2-" + event.uppercased())?.id == event)
    }

    @Test(arguments: [
        "", "1", "-", "1-", "-1", "1-2-", "1-2-3", "1-2-\(event)-", "1-2-\(event)0", " 1-2", "1-2 ", "+1-2", "1-+2",
        "1-2\n",
        "1-12345678901234567890", "1234567890123456-2", "１-2", "1--2", "1-2-\(event.dropLast())g",
    ])
    func `has no other form`(text: String) {
        #expect(EventPosition(text) == nil)
    }
}

@Suite struct `The tail of the event feed` {
    private func piece(_ horizon: UInt64, _ last: (UInt64, String)? = nil, isFull: Bool = false) -> EventTail.Piece {
        EventTail.Piece(horizon: horizon, last: last, isFull: isFull)
    }

    @Test func `begins at the horizon and follows it`() {
        var tail = EventTail(horizon: 10)
        #expect(tail.position(at: 5) == EventPosition(milliseconds: 5, transaction: 10))
        #expect(tail.take(piece(10)) == .isDone)
        #expect(tail.take(piece(17, (12, event))) == .isDone)
        #expect(tail.position(at: 6) == EventPosition(milliseconds: 6, transaction: 17))
    }

    @Test func `stops at the last event of a full page and then continues`() {
        var tail = EventTail(horizon: 10)
        #expect(tail.take(piece(50, (30, event), isFull: true)) == .goesOn)
        #expect(tail.position(at: 0) == EventPosition(milliseconds: 0, transaction: 30, id: event))
        #expect(tail.take(piece(50, (40, event))) == .isDone)
        #expect(tail.position(at: 0) == EventPosition(milliseconds: 0, transaction: 50))
    }

    @Test func `notices that the database has lost transactions`() {
        var tail = EventTail(horizon: 10)
        #expect(tail.take(piece(50, (30, event), isFull: true)) == .goesOn)
        // Behind the horizon just read, though not behind the earlier position.
        #expect(tail.take(piece(49, (45, event))) == .wentBack)
        #expect(tail.position(at: 0) == EventPosition(milliseconds: 0, transaction: 49))
        #expect(tail.take(piece(49)) == .isDone)
    }
}

@Suite struct `The backlog of a client that is catching up` {
    private func place(_ transaction: UInt64) -> EventPosition {
        EventPosition(milliseconds: 0, transaction: transaction)
    }

    @Test func `keeps the events that the client has not read from the database`() {
        var backlog = EventBacklog()
        for number in [3, 5, 5, 4, 9] as [UInt8] { backlog.append([number], at: place(UInt64(number))) }
        #expect(backlog.events(from: 5).map(\.bytes) == [[5], [5], [9]])
        #expect(backlog.events(from: 0).map(\.bytes) == [[3], [5], [5], [4], [9]])
        #expect(backlog.events(from: 10).isEmpty)
        #expect(!backlog.hasOverflowed)
    }

    @Test func `is limited in size`() {
        var backlog = EventBacklog()
        let piece = [UInt8](repeating: 0, count: EventBacklog.room / 4)
        for _ in 0..<4 { backlog.append(piece, at: place(1)) }
        #expect(!backlog.hasOverflowed)
        backlog.append([0], at: place(1))
        #expect(backlog.hasOverflowed)
        backlog.append([0], at: place(1))
        #expect(backlog.events(from: 0).isEmpty)
    }
}

@Suite struct `A server-sent event` {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    private let position = EventPosition(milliseconds: 7, transaction: 8)

    @Test func `has an id, a type and its data on one line`() {
        #expect(
            text(ServerSentEvent.event(position, type: "ping", data: Array("{\"a\":\r\n[1,\n2]}".utf8)))
                == "id: 7-8\nevent: ping\ndata: {\"a\":  [1, 2]}\n\n")
    }

    @Test func `says why everything has to be fetched again`() {
        #expect(
            text(ServerSentEvent.reset(position, reason: "too_old"))
                == "id: 7-8\nevent: reset\ndata: {\"reason\":\"too_old\"}\n\n")
    }

    @Test func `may be a comment that advances the client's position`() {
        #expect(text(ServerSentEvent.comment(position)) == "id: 7-8\n:\n\n")
    }
}

@Suite struct `Open event streams` {
    private let alice = EventReader(tenantID: 1, user: "alice")
    private let bob = EventReader(tenantID: 1, user: "bob")
    private let home = NetworkAddress("192.0.2.1")
    private let office = NetworkAddress("198.51.100.1")

    private func code(_ body: () throws -> Void) -> ProblemCode? {
        do { try body() } catch let problem as Problem { return problem.code } catch {}
        return nil
    }

    @Test func `are limited per user, separately in each tenant`() throws {
        let limits = StreamLimits(most: 100, mostOfUser: 2, mostFromAddress: nil)
        try limits.enter(alice, from: home)
        try limits.enter(alice, from: office)
        #expect(code { try limits.enter(alice, from: nil) } == .tooManyRequests)
        try limits.enter(bob, from: home)
        try limits.enter(EventReader(tenantID: 2, user: "alice"), from: home)
        limits.leave(alice, from: home)
        try limits.enter(alice, from: home)
        #expect(limits.count == 4)
    }

    @Test func `leave room for other tenants`() throws {
        let limits = StreamLimits(most: 8, mostOfUser: 2, mostFromAddress: nil)
        for number in 1...6 { try limits.enter(EventReader(tenantID: 1, user: "\(number)"), from: nil) }
        #expect(code { try limits.enter(alice, from: nil) } == .tooManyRequests)
        try limits.enter(EventReader(tenantID: 2, user: "alice"), from: nil)
        limits.leave(EventReader(tenantID: 1, user: "1"), from: nil)
        try limits.enter(alice, from: nil)
    }

    @Test func `are limited per address`() throws {
        let limits = StreamLimits(most: 100, mostFromAddress: 2)
        try limits.enter(alice, from: home)
        try limits.enter(bob, from: home)
        #expect(code { try limits.enter(bob, from: home) } == .tooManyRequests)
        try limits.enter(bob, from: office)
        limits.leave(alice, from: home)
        try limits.enter(bob, from: home)
    }

    @Test func `are limited in total`() throws {
        let limits = StreamLimits(most: 1, mostFromAddress: nil)
        try limits.enter(alice, from: home)
        #expect(code { try limits.enter(bob, from: office) } == .unavailable)
        limits.leave(alice, from: home)
        try limits.enter(bob, from: office)
    }
}
