import Foundation
import Testing

@testable import KithModel

@Suite struct `The API's model types` {
    @Test func `decode an answer as the server writes it`() throws {
        let text = """
            {"id" : "0190163d-8694-739b-aea5-966c26f8ad91", "role" : "sender", "status" : "active",
             "counterpart" : {"id" : "0190163d-8694-739b-aea5-966c26f8ad92", "display_name" : "Bob"},
             "sender_id" : "0190163d-8694-739b-aea5-966c26f8ad93", "receiver_id" : "0190163d-8694-739b-aea5-966c26f8ad92",
             "created_at" : "2026-11-21T09:00:00.123456Z", "updated_at" : "2026-11-21T09:00:00Z",
             "today_ping" : null, "last_check_in_at" : null, "added_later" : 1}
            """
        let connection = try JSONDecoder.kith.decode(Connection.self, from: Data(text.utf8))
        #expect(connection.status == .active)
        #expect(connection.counterpart.displayName == "Bob")
        #expect(abs(connection.createdAt.timeIntervalSince1970 - 1_795_251_600.123456) < 0.001)
    }

    @Test func `decode a status that is newer than this library`() throws {
        let status = try JSONDecoder.kith.decode([Ping.Status].self, from: Data(#"["snoozed"]"#.utf8))
        #expect(status == [Ping.Status(rawValue: "snoozed")])
    }
}
