import Foundation
import Testing

@testable import KithClient

@Suite("The reconnection of a reader of events") struct EventReconnectionTests {
    private static func problem(_ code: String, retryAfter: TimeInterval? = nil) -> KithProblem {
        KithProblem(
            code: .init(rawValue: code), status: 400, detail: "", retryable: false, retryAfter: retryAfter,
            requestID: nil, errors: [])
    }

    private static func waits(_ count: Int, random: Double, retry: Int? = 1000) -> [Duration] {
        var reconnection = EventReconnection()
        reconnection.received(retry: retry)
        return (0..<count).map { _ in
            guard case .connect(let wait) = reconnection.ended(.lost, random: random) else { return .zero }
            return wait
        }
    }

    @Test func `waits twice as long after each failure, up to a minute, for ever`() {
        #expect(Self.waits(9, random: 1).map(\.components.seconds) == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        #expect(Self.waits(1000, random: 1).last == .seconds(60))
        #expect(Self.waits(9, random: 0).map { $0 * 2 } == Self.waits(9, random: 1))
    }

    @Test func `the server sets the first wait, but not a senseless one`() {
        #expect(Self.waits(1, random: 1, retry: 3000) == [.seconds(3)])
        #expect(Self.waits(1, random: 1, retry: nil) == [.seconds(2)])
        #expect(Self.waits(1, random: 1, retry: 86_400_000) == [.seconds(60)])
        #expect(Self.waits(1, random: 1, retry: 0) == [.milliseconds(100)])
    }

    @Test func `begins with the first wait again once something has arrived`() {
        var reconnection = EventReconnection()
        for _ in 0..<5 { _ = reconnection.ended(.lost, random: 1) }
        reconnection.received(retry: nil)
        #expect(reconnection.ended(.closed, random: 1) == .connect(after: .seconds(2)))
    }

    @Test func `obeys Retry-After, and lets many clients come one after the other`() {
        var reconnection = EventReconnection()
        let busy = Self.problem("too_many_requests", retryAfter: 30)
        #expect(reconnection.ended(.refused(busy), random: 0) == .connect(after: .seconds(30)))
        #expect(reconnection.ended(.refused(busy), random: 1) == .connect(after: .seconds(37.5)))
    }

    @Test func `ends only when the sign-in is over, and starts anew when the position is refused`() {
        var reconnection = EventReconnection()
        for code in ["unauthenticated", "forbidden"] {
            #expect(reconnection.ended(.refused(Self.problem(code)), random: 0) == .fail(Self.problem(code)))
        }
        #expect(reconnection.ended(.refused(Self.problem("validation_failed")), random: 0) == .startAnew)
        for code in ["tenant_suspended", "unavailable", "internal", "a_new_one"] {
            guard case .connect = reconnection.ended(.refused(Self.problem(code)), random: 0) else {
                Issue.record("\(code) ended the sequence")
                continue
            }
        }
    }

    @Test func `connects at once when the app comes to the front and has missed a keep-alive`() {
        var reconnection = EventReconnection()
        for _ in 0..<5 { _ = reconnection.ended(.lost, random: 1) }
        #expect(reconnection.ended(.abandoned, random: 1) == .connect(after: .zero))
        #expect(!EventReconnection.abandons(after: .seconds(15)))
        #expect(EventReconnection.abandons(after: .seconds(21)))
    }
}
