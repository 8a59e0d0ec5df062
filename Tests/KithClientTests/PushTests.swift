import Foundation
import Testing

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(10))) struct `A button of a push` {
    private let alice = UUID()

    private func push(for recipient: UUID? = nil) throws -> KithPush {
        var kith: [String: Any] = ["notification_id": Made.bob, "type": "ping_due"]
        kith["recipient_id"] = recipient?.uuidString.lowercased()
        return try #require(KithPush(["aps": ["category": "kith.check_in"], "kith": kith]))
    }

    @Test(arguments: KithPush.Category.checkIn.actions)
    func `sends nothing for another person than the one who is signed in`(action: KithPush.Action) async throws {
        let server = AnsweringServer { _ in .received }
        let kith = try server.launch(as: alice)
        let push = try push(for: UUID())
        await #expect { try await kith.perform(action, for: push, within: .seconds(3600)) } throws: {
            ($0 as? KithProblem)?.code == .otherRecipient
        }
        #expect(server.calls.isEmpty && kith.keptCheckIns.isEmpty)
    }

    @Test func `waits until the server has the check-in`() async throws {
        let server = AnsweringServer { _ in .received }
        let kith = try server.launch(as: alice)
        for recipient in [alice, nil] {
            let outcome = try await kith.perform(.checkIn, for: push(for: recipient), within: .seconds(3600))
            #expect(outcome == .checkIn(.received(.init(completed: 1, late: 0, pings: []))))
            #expect(outcome.sentence() == KithTexts.english.checkInReceived)
        }
    }

    @Test func `says that the check-in is not sent yet, or refused`() async throws {
        let server = AnsweringServer { _ in throw URLError(.notConnectedToInternet) }
        let kith = try server.launch(as: alice)
        let outcome = try await kith.perform(.checkIn, for: push(), within: .seconds(3600))
        #expect(outcome == .checkIn(.delayed))
        #expect(outcome.sentence() == KithTexts.english.checkInKept)
        server.behave { _ in .problem("not_a_sender", 422) }
        #expect(
            try await kith.perform(.checkIn, for: push(), within: .seconds(3600)).sentence()
                == KithTexts.english.checkInRefused)
    }

    @Test func `says how many a call for help has told, and what to do if nobody`() async throws {
        let server = AnsweringServer { _ in .json(Made.called(told: 2)) }
        let kith = try server.launch(as: alice)
        #expect(
            try await kith.perform(.help, for: push(), within: .seconds(3600)).sentence()
                == KithTexts.english.alarmCallTold(count: 2))
        server.behave { _ in .json(Made.called(told: 0, advice: "Call 112.")) }
        #expect(try await kith.perform(.help, for: push(), within: .seconds(3600)).sentence() == "Call 112.")
        server.behave { _ in throw URLError(.notConnectedToInternet) }
        let push = try push()
        await #expect { try await kith.perform(.help, for: push, within: .seconds(3600)) } throws: {
            ($0 as? KithProblem)?.code == .unreachable
        }
        #expect(server.calls.count == 3, "it is not sent later")
        #expect(kith.ownCall.isOpen, "it may have arrived")
    }

    @Test func `a token for pushes is sent as hexadecimal text`() async throws {
        let server = AnsweringServer { _ in .problem("internal", 500) }
        let kith = try server.launch(as: alice)
        _ = try? await kith.registerForPushes(token: Data([0x0a, 0xb2]), environment: .sandbox)
        let body = server.requests.first?.httpBody.map { String(decoding: $0, as: UTF8.self) } ?? ""
        #expect(body.contains(#""token":"0ab2""#) && body.contains("sandbox"))
    }
}
