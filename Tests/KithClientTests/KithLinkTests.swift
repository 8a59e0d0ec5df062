import Foundation
import Testing

@testable import KithClient

@Suite("Links that open the app") struct KithLinkTests {
    private static let token = "019aa5c4-2d31-4a90-b6c2-5e1f0a9d8b11"

    private static func read(_ text: String) -> KithLink? {
        URL(string: text).flatMap { KithLink($0, scheme: "khandoba", hosts: ["Link.example.com"]) }
    }

    @Test(arguments: [
        "khandoba://nominee/invite?token=\(token)&vault=Papers&status=accepted",
        "KHANDOBA://NOMINEE/invite?status=revoked&token=\(token.uppercased())",
        "khandoba://transfer/invite?token=\(token)&fbclid=1", "https://link.example.com/i/\(token)",
        "https://LINK.example.com/i/\(token)/?utm_source=x#top",
    ])
    func `reads an invitation, and nothing of it but the token`(link: String) {
        #expect(Self.read(link) == .invitation(token: Self.token))
    }

    @Test func `reads what a notification is about`() {
        let id = "019aa5c4-2d31-4a90-b6c2-5e1f0a9d8b11"
        let link = "https://link.example.com/open?type=emergency_request&id=\(id)"
        #expect(Self.read(link) == UUID(uuidString: id).map { .notification(type: "emergency_request", id: $0) })
        #expect(Self.read("https://link.example.com/open?type=Emergency&id=\(id)") == nil)
        #expect(Self.read("https://link.example.com/open?type=emergency_request&id=1") == nil)
        #expect(Self.read("https://link.example.com/open/x?type=emergency_request&id=\(id)") == nil)
    }

    @Test func `reads a code to connect by, and opens the screen without one that is none`() {
        #expect(Self.read("https://link.example.com/join?code=012345") == .connect(code: "012345"))
        #expect(Self.read("https://link.example.com/join?t=acme&code=012345") == .connect(code: "012345"))
        for query in ["", "?code=", "?code=12345", "?code=1234567", "?code=१२३४५६", "?code=123456&code=654321"] {
            #expect(Self.read("https://link.example.com/join\(query)") == .connect(code: nil), "\(query)")
        }
    }

    @Test(arguments: [
        "khandoba://nominee/invite", "khandoba://nominee/invite?token=1", "khandoba://other/invite?token=\(token)",
        "khandoba://nominee/other?token=\(token)", "khandoba://nominee/invite?token=\(token)&token=\(token)",
        "acme://nominee/invite?token=\(token)", "http://link.example.com/i/\(token)",
        "https://evil.example/i/\(token)", "https://link.example.com.evil.example/i/\(token)",
        "https://link.example.com@evil.example/i/\(token)", "https://link.example.com/i/\(token)/accept",
        "https://link.example.com/i/", "https://link.example.com/i/../\(token)", "https://link.example.com/",
        "https://link.example.com/join/other?code=123456", "khandoba:", "mailto:alice@example.com",
    ])
    func `reads no other link`(link: String) {
        #expect(Self.read(link) == nil)
    }

    @Test(arguments: ["Papers", "Zoë's 100 % & co?token=1#", "🔐 Haus", "a\"b<c>"])
    func `makes the link that the server makes, and reads it back`(name: String) throws {
        let url = try #require(KithLink.invitation(token: Self.token, vault: name, scheme: "khandoba"))
        #expect(url.absoluteString.hasPrefix("khandoba://nominee/invite?token=\(Self.token)&vault="))
        #expect(URLComponents(string: url.absoluteString)?.queryItems?.first { $0.name == "vault" }?.value == name)
        #expect(KithLink(url, scheme: "khandoba") == .invitation(token: Self.token))
        #expect(KithLink.invitation(token: "1&x=2", vault: name, scheme: "khandoba") == nil)
    }
}

@Suite("A text message that is ready to be sent") struct ComposedMessageTests {
    private static let body = "Alice & Bob: 100 % safe? https://pruuf.app/join"

    @Test func `has the link that each system takes`() {
        let message = ComposedMessage(to: ["+4915112345678", "+44 7700 900123"], body: Self.body)
        let encoded = "Alice%20%26%20Bob%3A%20100%20%25%20safe%3F%20https%3A%2F%2Fpruuf.app%2Fjoin"
        #expect(
            message.link(.iOS)?.absoluteString
                == "sms:/open?addresses=+4915112345678,+447700900123&body=\(encoded)")
        #expect(message.link(.other)?.absoluteString == "sms:+4915112345678,+447700900123?&body=\(encoded)")
    }

    @Test func `has no link for nobody and for more people than a message takes`() {
        let numbers = (0...30).map { "+49151123456\($0 + 10)" }
        #expect(ComposedMessage(to: [], body: Self.body).link() == nil)
        #expect(ComposedMessage(to: Array(numbers.prefix(30)), body: Self.body).link() != nil)
        #expect(ComposedMessage(to: numbers, body: Self.body).link() == nil)
    }
}
