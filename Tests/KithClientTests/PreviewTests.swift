import Foundation
import Testing

@testable import KithClient

@Suite("A client without a server") struct PreviewTests {
    private struct Answer: Codable, Equatable { var name: String }

    private static let call = KithCall(
        operationID: "getThing", method: "GET", path: "/v1/thing", credential: .bearer,
        decode: { try JSONDecoder().decode(Answer.self, from: $0.body) })

    private func problem(_ kith: Kith) async -> KithProblem? {
        do {
            _ = try await kith.caller.answer(to: Self.call)
            return nil
        } catch {
            return error as? KithProblem
        }
    }

    @Test func `gives the prepared answer each time`() async throws {
        let kith = Kith.preview(["getThing": .json(#"{"name":"Papers"}"#)])
        for _ in 0..<2 { #expect(try await kith.caller.answer(to: Self.call) == Answer(name: "Papers")) }
    }

    @Test func `names the call that has no answer, and the one whose answer cannot be read`() async {
        #expect(await problem(.preview())?.detail == "The preview has no answer to getThing: give Kith.preview one.")
        let unreadable = await problem(.preview(["getThing": .json("{}")]))
        #expect(unreadable?.code == .notPrepared)
        #expect(unreadable?.detail.hasPrefix("The preview's answer to getThing cannot be read: ") == true)
    }

    @Test func `refuses as the server does`() async {
        let locked = KithProblem.Code(rawValue: "vault_locked")
        let refusal = await problem(
            .preview(["getThing": .problem(locked, status: 423, detail: "This vault is locked.", retryAfter: 30)]))
        #expect(refusal?.code == locked)
        #expect(refusal?.status == 423)
        #expect(refusal?.retryAfter == 30)
    }

    @Test @MainActor func `says on every screen which call lacks an answer`() async throws {
        let values = MadeUpValues(now: Date(timeIntervalSince1970: 1_800_000_000), ahead: 3600)
        var names: Set<String> = []
        for reading in try ScreenReading.all(.preview(), values) {
            await reading.load()
            guard let text = reading.screen.state.problem?.text else { continue }
            #expect(text.contains("The preview has no answer to "), "\(reading.name): \(text)")
            names.insert(reading.name)
        }
        // The others wait for something that the person does, or show what they were given.
        #expect(names.count >= 20, "\(names.sorted())")
    }

    @Test @MainActor func `says on a screen that it has no events`() async throws {
        let screen = CheckInScreen(.preview(["getHome": .json(Made.home())]), texts: .english)
        await screen.follow()
        #expect(screen.state.isLoaded)
        #expect(screen.state.problem?.text == "The preview has no answer to streamEvents: give Kith.preview one.")
    }

    @Test @MainActor func `says which call an event asks for`() async throws {
        let page = """
            {"role":"sender","date":"2026-11-21","items":[\(Made.connection())],"next_cursor":null,"open_pings":0,
            "deadline_at":null}
            """
        let screen = DashboardScreen(
            .preview(["getDashboard": .json(page), "streamEvents": .events([("ping", Made.ping("due"))])]), as: .sender,
            texts: .english)
        let following = Task { await screen.follow() }
        while screen.state.problem == nil { await Task.yield() }
        following.cancel()
        await following.value
        #expect(screen.state.problem?.text.contains("getConnection") == true)
    }

    @Test func `has events, and then waits until it is cancelled`() async throws {
        let kith = Kith.preview([
            "streamEvents": .events([("reset", "{\"reason\":\n\"unknown\"}"), ("new", #"{"a":1}"#)])
        ])
        var seen: [KithEvent] = []
        for try await event in kith.events() {
            seen.append(event)
            if seen.count == 2 { break }
        }
        #expect(seen.map(\.isReset) == [true, false])
        #expect(seen.map(\.id) == ["preview-1", "preview-2"])
        if case .unknown(let json) = seen[1].content {
            #expect(try String(decoding: JSONEncoder().encode(json), as: UTF8.self).contains(#""a":1"#))
        } else {
            Issue.record("\(seen[1].content)")
        }
        let waiting = Task {
            for try await _ in kith.events(after: "preview-2") {}
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `gives a document's content to a download`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-preview-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let kith = Kith.preview(["downloadDocument": .content(Data("Will".utf8))])
        try await kith.vaults[UUID()].documents.download(UUID(), to: file)
        #expect(try Data(contentsOf: file) == Data("Will".utf8))
    }
}
