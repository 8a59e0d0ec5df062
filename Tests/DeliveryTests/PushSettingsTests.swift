import Crypto
import Foundation
import Testing

@testable import Delivery

/// `members` as JSON.
func settingsJSON(_ members: [String: Any?]) throws -> [UInt8] {
    try Array(JSONSerialization.data(withJSONObject: members.compactMapValues { $0 }))
}

/// The faults in settings: the fields, and the message for each.
private func complaints(_ channel: String, _ members: [String: Any?]) throws -> [String: String] {
    let json = try settingsJSON(members)
    do throws(ChannelSettingsError) {
        _ = try ChannelSettings(channel: channel, json: json)
        return [:]
    } catch {
        return Dictionary(error.errors.map { ($0.field, $0.message) }) { "\($0), \($1)" }
    }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

@Suite struct `A tenant's settings for APNs` {
    private let key = try! PrivateKey.generate()

    private var members: [String: Any?] {
        ["team_id": "TEAM123456", "key_id": "KEY1234567", "topic": "example.acme.app", "private_key": key.pem]
    }

    @Test func `are shown without the key, and sealed with it`() throws {
        let settings = try ChannelSettings(channel: "apns", json: settingsJSON(members))
        #expect(settings.channel == "apns")
        #expect(
            text(settings.summary) == #"{"key_id":"KEY1234567","team_id":"TEAM123456","topic":"example.acme.app"}"#)
        let again = try ChannelSettings(channel: "apns", json: settings.json)
        #expect(again.json == settings.json)
        #expect(text(again.json).contains("PRIVATE KEY"))
    }

    @Test(
        arguments: [
            ("team_id", "team123456"), ("team_id", "TEAM12345"), ("team_id", "TEAM1234567"), ("team_id", ""),
            ("key_id", "KEY-123456"), ("topic", ""), ("topic", "a b"), ("topic", "a\r\nauthorization: x"),
            ("private_key", "nonsense"), ("private_key", ""), ("team_id", nil), ("key_id", nil), ("topic", nil),
            ("private_key", nil),
        ])
    func `name the invalid field`(field: String, value: String?) throws {
        #expect(try complaints("apns", members.merging([field: value]) { $1 }).keys.sorted() == [field])
    }

    @Test func `name all invalid fields`() throws {
        #expect(try complaints("apns", [:]).keys.sorted() == ["key_id", "private_key", "team_id", "topic"])
        #expect(try complaints("apns", [:])["private_key"] == "is required")
        #expect(try complaints("apns", members.merging(["tpoic": "x"]) { $1 }).keys.sorted() == ["tpoic"])
    }
}

@Suite struct `A tenant's settings for web push` {
    private let subject = "mailto:ops@acme.example"

    @Test func `include a generated key pair, whose private half is sealed and whose public half is shown`() throws {
        let settings = try ChannelSettings(channel: "web_push", json: settingsJSON(["subject": subject]))
        guard case .webPush(let read) = settings else {
            Issue.record("\(settings)")
            return
        }
        #expect(settings.channel == "web_push")
        #expect(Base64URL.decode(read.publicKey)?.count == 65)
        #expect(text(settings.summary) == #"{"public_key":"\#(read.publicKey)","subject":"\#(subject)"}"#)
        let again = try ChannelSettings(channel: "web_push", json: settings.json)
        #expect(again.summary == settings.summary)
        // Each tenant has its own key pair.
        let other = try ChannelSettings(channel: "web_push", json: settingsJSON(["subject": subject]))
        #expect(other.summary != settings.summary)
    }

    @Test func `keep the key when they are set again, unless another is given`() throws {
        let first = try ChannelSettings(channel: "web_push", json: settingsJSON(["subject": subject]))
        let second = try ChannelSettings(channel: "web_push", json: settingsJSON(["subject": "https://acme.example/"]))
        let kept = second.keeping(first)
        #expect(text(kept.json).contains("https://acme.example/"))
        #expect(text(kept.summary) == text(first.summary).replacing(subject, with: "https://acme.example/"))
        let brought = try PrivateKey.generate()
        let given = try ChannelSettings(
            channel: "web_push", json: settingsJSON(["subject": subject, "private_key": brought.pem]))
        #expect(text(given.keeping(first).summary).contains(Base64URL.encode(brought.point)))
        // Another channel has no key to keep.
        let email = try ChannelSettings(
            channel: "email", json: settingsJSON(["host": "mail.acme.example", "from": "a@acme.example"]))
        #expect(first.keeping(email).json == first.json)
        #expect(email.keeping(first).json == email.json)
    }

    @Test(
        arguments: [
            nil, "", "ops@acme.example", "mailto:", "mailto:nobody", "http://acme.example/", "https://",
            "https://u@acme.example/",
            "mailto:a@b.example\r\n",
        ])
    func `require a contact for push services`(subject: String?) throws {
        #expect(try complaints("web_push", ["subject": subject]).keys.sorted() == ["subject"])
    }

    @Test func `refuse an invalid key`() throws {
        let members = ["subject": subject, "private_key": "nonsense"]
        #expect(try complaints("web_push", members).keys.sorted() == ["private_key"])
    }
}
