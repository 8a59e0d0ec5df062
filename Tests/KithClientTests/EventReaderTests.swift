import Foundation
import Testing

@testable import KithClient

/// A network and a clock of a test. Each connection is a script.
private actor Network {
    enum Step: Sendable {
        case bytes(String)
        case end
        case fail
        /// The reader was too slow.
        case overrun
        /// Nothing arrives any more.
        case silence
        /// The rest of a day's events arrives until the connection is cut after this many bytes.
        case cut(Int)
    }

    final class Source: EventSource, @unchecked Sendable {
        private let lock = NSLock()
        private var steps: [Step]

        init(_ steps: [Step]) { self.steps = steps }

        func next() async throws -> Data? {
            let step = lock.withLock { steps.isEmpty ? Step.silence : steps.removeFirst() }
            switch step {
            case .bytes(let text): return Data(text.utf8)
            case .end: return nil
            case .fail, .cut: throw URLError(.networkConnectionLost)
            case .overrun: throw ByteStream.Overrun()
            case .silence:
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
        }

        func cancel() {}
    }

    private var scripts: [Result<[Step], any Error>]
    private(set) var positions: [String?] = []
    private(set) var waits: [Duration] = []
    let wakeSignal = WakeSignal()

    init(_ scripts: [Result<[Step], any Error>]) { self.scripts = scripts }

    private func connect(_ position: String?) throws -> any EventSource {
        positions.append(position)
        return Source(try scripts.isEmpty ? [] : scripts.removeFirst().get())
    }

    private func waited(_ wait: Duration) { waits.append(wait) }

    /// A reader on this network, whose time passes at once except where it would end a connection that still has
    /// something to say.
    nonisolated func reader(after position: String? = nil, silenceEnds: Bool = false) -> EventReader {
        EventReader(
            after: position,
            EventReader.Surroundings(
                connect: { try await self.connect($0) },
                now: { .zero },
                sleep: { duration in
                    if duration == EventReconnection.silence, !silenceEnds { try await Task.sleep(for: .seconds(3600)) }
                    await self.waited(duration)
                },
                random: { 1 }, wakeSignal: wakeSignal))
    }
}

@Suite("A reader of events") struct EventReaderTests {
    private static func event(_ number: Int) -> String { "id: 1-\(number)\nevent: ping\ndata: {\"n\":\(number)}\n\n" }

    private static func ids(_ reader: EventReader, _ count: Int) async throws -> [String] {
        var ids: [String] = []
        while ids.count < count, let event = try await reader.next() { ids.append(event.id) }
        return ids
    }

    @Test func `gives no event after the sign-in has ended, though the server goes on`() async throws {
        let source = Network.Source([.bytes(Self.event(1) + Self.event(2))])
        let isSignedIn = Locked(true)
        let reader = EventReader(
            after: nil,
            EventReader.Surroundings(
                connect: { _ in source }, now: { .zero }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) },
                random: { 1 }, wakeSignal: WakeSignal(), isSignedIn: { isSignedIn.withLock { $0 } }))
        #expect(try await reader.next()?.id == "1-1")
        isSignedIn.withLock { $0 = false }
        await #expect(throws: KithProblem.self) { try await reader.next() }
        #expect(try await reader.next() == nil)
    }

    @Test func `goes on after the last event when a connection ends, fails or falls silent`() async throws {
        let network = Network([
            .success([.bytes(Self.event(1) + "id: 1-2\nevent: pi"), .end]),
            .success([.bytes(Self.event(2)), .fail]),
            .failure(URLError(.notConnectedToInternet)),
            .success([.bytes(Self.event(3)), .silence]),
            .success([.bytes(Self.event(4))]),
        ])
        let reader = network.reader(silenceEnds: true)
        #expect(try await Self.ids(reader, 4) == ["1-1", "1-2", "1-3", "1-4"])
        #expect(await network.positions == [nil, "1-1", "1-2", "1-2", "1-3"])
    }

    @Test func `connects again without a wait when it was too slow`() async throws {
        let network = Network([
            .success([.bytes(Self.event(1)), .overrun]), .success([.bytes(Self.event(2)), .overrun]),
            .success([.bytes(Self.event(3))]),
        ])
        #expect(try await Self.ids(network.reader(), 3) == ["1-1", "1-2", "1-3"])
        #expect(await network.positions == [nil, "1-1", "1-2"])
        #expect(await network.waits.isEmpty)
    }

    @Test func `resumes from a keep-alive, and tells an event that comes twice once`() async throws {
        let network = Network([
            .success([.bytes("id: 5-5\n:\n\n"), .end]),
            .success([.bytes(Self.event(1)), .bytes(Self.event(1) + Self.event(2))]),
        ])
        #expect(try await Self.ids(network.reader(), 2) == ["1-1", "1-2"])
        #expect(await network.positions == [nil, "5-5"])
    }

    @Test func `a cut anywhere loses nothing and doubles nothing`() async throws {
        let whole = (1...3).map(Self.event).joined()
        for cut in 0...whole.utf8.count {
            let before = String(decoding: whole.utf8.prefix(cut), as: UTF8.self)
            let complete = before.components(separatedBy: "\n\n").count - 1
            let rest = (complete + 1..<5).map(Self.event).joined()
            let network = Network([.success([.bytes(before), .fail]), .success([.bytes(rest)])])
            #expect(try await Self.ids(network.reader(after: "1-0"), 4) == ["1-1", "1-2", "1-3", "1-4"])
            #expect(await network.positions.last == "1-\(complete)")
        }
    }

    @Test func `starts anew when the server refuses the position`() async throws {
        let refusal = KithProblem(
            code: .init(rawValue: "validation_failed"), status: 422, detail: "", retryable: false, retryAfter: nil,
            requestID: nil, errors: [])
        let network = Network([.failure(refusal), .success([.bytes(Self.event(1))])])
        let reader = network.reader(after: "nonsense")
        #expect(try await reader.next()?.type == "reset")
        #expect(try await reader.next()?.id == "1-1")
        #expect(await network.positions == ["nonsense", nil])
    }

    @Test func `ends with the refusal when the sign-in is over, and stays ended`() async throws {
        let refusal = KithProblem(
            code: .init(rawValue: "unauthenticated"), status: 401, detail: "", retryable: false, retryAfter: nil,
            requestID: nil, errors: [])
        let reader = Network([.failure(refusal)]).reader()
        await #expect(throws: refusal) { try await reader.next() }
        #expect(try await reader.next() == nil)
    }

    @Test func `is cancelled while it waits for events and while it waits to connect`() async throws {
        for network in [Network([.success([.silence])]), Network([.failure(URLError(.timedOut))])] {
            let task = Task { try await network.reader().next() }
            while await network.positions.isEmpty { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}

@Suite("An event") struct KithEventTests {
    @Test func `keeps an id and a type that need quotes in JSON`() {
        let (id, type) = (#"1"-\2"#, #"new"\thing"#)
        let event = KithEvent(ServerSentEvent(id: id, type: type, data: Data(#"{"a":1}"#.utf8)))
        #expect(event.id == id)
        #expect(event.content == .unknown(["id": .string(id), "event": .string(type), "data": ["a": 1]]))
    }
}
