import Foundation
import Testing

@testable import KithClient

@Suite(.timeLimit(.minutes(10))) @MainActor struct `The screens of alarms` {
    private static let id = "019aa5c2-6a40-7d3b-9c11-0000000000a1"

    /// An alarm of Alice's as the API has it.
    private func alarm(
        _ status: String, role: String = "receiver", kind: String = "missed", takenBy: String? = nil,
        byMe: Bool = false,
        outcome: String? = nil, hasCard: Bool = true, declined: Bool = false
    ) -> String {
        let taker = takenBy.map { #"{"id":null,"display_name":"\#($0)"}"# } ?? "null"
        let until = takenBy == nil ? "null" : #""2026-11-21T10:30:00Z""#
        return """
            {"id":"\(Self.id)","kind":"\(kind)","status":"\(status)","role":"\(role)",
             "state":\(Made.state(kind, "alarm", "Alice has not checked in.", takenBy.map { "\($0) looks after it." })),
             "sender":{"id":"\(Made.alice)","display_name":"Alice"},"opened_at":"2026-11-21T09:30:00Z","taken_by":\(taker),
             "taken_by_me":\(byMe),"taken_at":\(until),"taken_until":\(until),"resolved_at":null,"resolved_by":null,
             "outcome":\(outcome.map { "\"\($0)\"" } ?? "null"),"next_at":null,"has_care_card":\(hasCard),"told":2,
             "connection_id":null,"call":null,"has_place":false,"last_sign":null,
             "declined_by_me":\(declined),"last_check_in_at":null,"last_check_in_source":null,"time_zone":null,"timeline":[]}
            """
    }

    private func made(_ text: String) throws -> Kith.Alarm { try Made.value(text) }

    @Test func `offer a receiver what the alarm's status allows`() throws {
        #expect(try made(alarm("open")).actions().map(\.id) == [.take, .safe, .helpCalled, .release])
        #expect(try made(alarm("open", declined: true)).actions().map(\.id) == [.take, .safe, .helpCalled])
        #expect(try made(alarm("open")).actions().last?.label == "I can’t")
        #expect(try made(alarm("taken", takenBy: "Bob")).actions().map(\.id) == [.safe, .helpCalled])
        let mine = try made(alarm("taken", takenBy: "Me", byMe: true)).actions()
        #expect(mine.map(\.id) == [.take, .safe, .helpCalled, .release])
        #expect(mine.first?.label == "I’m still looking after it")
        #expect(mine.first?.dialog == nil, "to look after somebody asks nothing first")
        #expect(mine[1].dialog?.title == "Is Alice safe?")
        #expect(try made(alarm("resolved", outcome: "safe")).actions().map(\.id) == [.reopen])
        #expect(try made(alarm("resolved", outcome: "checked_in")).actions().isEmpty)
        #expect(try made(alarm("open", role: "sender")).actions().map(\.id) == [.falseAlarm])
        #expect(try made(alarm("open", role: "desk")).actions().isEmpty)
    }

    @Test func `show who was faster, and why the tap did nothing`() async throws {
        let server = PreparedServer()
        let screen = AlarmScreen(server.kith, try #require(UUID(uuidString: Self.id)))
        server.on("getAlarm", .json(alarm("open")))
        await screen.load()
        #expect(screen.maySeeCard)
        server.on("takeAlarm", refuse: "alarm_taken", 409, "Somebody else is looking after it.")
        server.on("getAlarm", .json(alarm("taken", takenBy: "Bob")))
        await screen.choose(.take)
        #expect(screen.state.problem?.text == "Somebody else is looking after it.")
        #expect(screen.alarm?.state.sentence == "Alice has not checked in. Bob looks after it.")
        await screen.choose(.take)
        #expect(server.calls.filter { $0 == "takeAlarm" }.count == 1, "what is not offered is not done")
        await screen.choose(.safe)
        #expect(screen.asking?.id == .safe)
        screen.cancel()
        await screen.confirm()
        #expect(!server.calls.contains("resolveAlarm"), "a cancelled dialog ends nothing")
    }

    @Test func `forget the card and the alarm of which the person is no longer told`() async throws {
        let server = PreparedServer()
        let screen = AlarmScreen(server.kith, try #require(UUID(uuidString: Self.id)))
        server.on("getAlarm", .json(alarm("open")))
        await screen.load()
        server.on("getAlarmCareCard", .json(#"{"sections":[{"title":"Keys","body":"Bob"}],"location":null}"#))
        await screen.showCard()
        #expect(screen.card?.sections.first?.title == "Keys")
        #expect(screen.state.announcement == "Alice sees that you have looked at the care card.")
        server.on("getAlarm", refuse: "not_found", 404, "There is no such alarm.")
        await screen.load()
        #expect(screen.alarm == nil && screen.card == nil && screen.actions.isEmpty)
    }

    @Test func `ask before a call for help, and say what to do where nobody could be told`() async throws {
        let server = PreparedServer()
        let screen = HelpScreen(server.kith)
        await screen.confirm()
        #expect(server.calls.isEmpty)
        screen.ask()
        #expect(screen.dialog?.title == "Call for help?")
        let called = alarm("open", role: "sender", kind: "help")
        server.on("callForHelp", .json(String(called.dropLast()) + #","advice":"Call your local emergency number."}"#))
        await screen.confirm()
        #expect(screen.result == "Call your local emergency number.")
    }

    @Test(arguments: [
        ("unauthenticated", 401, "Please sign in first."), ("unavailable", 503, "The service is busy."),
        ("unreachable", nil, ""), ("cancelled", nil, ""),
    ])
    func `say first that nobody has been told, and whom to call, if a call for help is not sent`(
        code: String, status: Int?, detail: String
    ) async throws {
        let server = PreparedServer()
        let screen = HelpScreen(server.kith)
        let first = "Nobody has been told. Call \(Kith.emergencyNumber) if you need help now."
        screen.note = "I fell"
        screen.ask()
        if code == "cancelled" {
            server.on("callForHelp", .cancelled)
        } else {
            server.on("callForHelp", refuse: code, status, detail)
        }
        await screen.confirm()
        let problem = try #require(screen.state.problem)
        #expect(problem.title == "Nobody Has Been Told" && problem.style == .alert)
        #expect(problem.text.hasPrefix(first) && problem.text.hasSuffix(detail))
        #expect(screen.state.announcement?.hasPrefix(first) == true)
        #expect(screen.isUnsent && screen.result?.hasPrefix(first) == true)
        #expect(screen.emergencyCall?.absoluteString == "tel:\(Kith.emergencyNumber)")
        #expect(screen.note == "I fell", "what was typed is kept")

        screen.ask()
        server.on("callForHelp", .json(Made.called()))
        await screen.confirm()
        #expect(screen.result == "2 people are being told that you need help.")
        #expect(screen.state.problem == nil && !screen.isUnsent)
    }

    @Test func `say so also to somebody who is signed out, and where no answer comes in time`() async throws {
        let nowhere = AnsweringServer()
        let screen = HelpScreen(try nowhere.launch())
        screen.ask()
        await screen.confirm()
        #expect(screen.state.problem?.text.hasPrefix("Nobody has been told.") == true)
        #expect(screen.state.problem?.text.hasSuffix("You are signed out. Sign in again.") == true)
        #expect(nowhere.calls.isEmpty)

        let server = PreparedServer()
        _ = server.hold("callForHelp")
        let slow = HelpScreen(server.kith)
        slow.limit = .zero
        slow.ask()
        await slow.confirm()
        #expect(slow.isUnsent)
    }

    @Test func `ask before an alarm opens again, so that no button that reverses it takes a second tap`() async throws {
        let server = PreparedServer()
        let screen = AlarmScreen(server.kith, try #require(UUID(uuidString: Self.id)))
        server.on("getAlarm", .json(alarm("taken", takenBy: "Bob")))
        await screen.load()
        #expect(screen.actions.first?.id == .safe)
        await screen.choose(.safe)
        server.on("resolveAlarm", .json(alarm("resolved", outcome: "safe")))
        await screen.confirm()
        #expect(screen.actions.map(\.id) == [.reopen])
        for _ in 0..<2 { await screen.choose(.reopen) }
        #expect(screen.asking?.dialog?.title == "Open the alarm again?")
        #expect(server.calls == ["getAlarm", "resolveAlarm"])
        server.on("reopenAlarm", .json(alarm("open")))
        await screen.confirm()
        #expect(screen.state.announcement == "The alarm is open again.")
    }

    @Test func `accept no plan whose tiers do not ascend, and no card with an empty section`() async throws {
        let server = PreparedServer()
        let plan = AlarmPlanScreen(server.kith)
        plan.tiers = [
            .init(afterMinutes: 10, receivers: [], desk: false), .init(afterMinutes: 10, receivers: [], desk: true),
        ]
        await plan.save()
        #expect(plan.state.problem?.style == .inline)
        plan.holdDrill()
        plan.cancel()
        await plan.confirm()
        let card = CareCardScreen(server.kith)
        card.sections = [.init(title: "Keys", body: " ")]
        await card.save()
        #expect(card.complaint == "There can be up to 8 sections. Each needs a title and a text.")
        #expect(server.calls.isEmpty)
    }
}

@Suite struct `A push` {
    private let alarm = "019aa5c2-6a40-7d3b-9c11-0000000000a1"

    private func push(_ type: String, category: String?, alarm: String?) -> KithPush? {
        var kith: [String: Any] = ["notification_id": Made.alice, "type": type]
        kith["alarm_id"] = alarm
        var aps: [String: Any] = [:]
        aps["category"] = category
        return KithPush(["aps": aps, "kith": kith])
    }

    @Test func `that asks a receiver to look has the actions of an alarm`() async throws {
        let made = try #require(push("ping_missed", category: "kith.alarm", alarm: alarm))
        #expect(made.category?.actions.map { $0.label() } == ["I’m looking after it", "I reached them, they’re safe"])
        #expect(made.alarmID?.uuidString.lowercased() == alarm)
        let server = PreparedServer()
        #expect(try await server.kith.perform(.checkIn, for: made) == .nothing)
        #expect(server.calls.isEmpty, "an action of another question does nothing")
        await #expect(throws: (any Error).self) { try await server.kith.perform(.take, for: made) }
        #expect(server.calls == ["takeAlarm"])
    }

    @Test func `that only tells something has none`() {
        #expect(push("alarm_resolved", category: nil, alarm: alarm)?.category == nil)
        #expect(push("ping_missed", category: "kith.alarm", alarm: nil)?.category == nil)
        #expect(push("x", category: "another.app", alarm: nil)?.category == nil)
        #expect(KithPush(["aps": [:]]) == nil)
    }
}
