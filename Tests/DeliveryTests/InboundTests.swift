import Crypto
import Foundation
import Testing

@testable import Delivery

@Suite struct `What a provider forwards` {
    private func settings(_ inbound: [String: Any], channel: String = "sms") throws -> InboundSettings {
        let json = try settingsJSON([
            "url": "https://sms.example.com", "from": "Kith",
            "inbound": inbound.merging(["secret": "a secret of 16 bytes"]) { given, _ in given },
        ])
        return try #require(try ChannelSettings(channel: channel, json: json).inbound)
    }

    private func request(
        _ headers: [String: String], body: String = "", form: [(name: String, value: String)] = []
    ) -> InboundRequest {
        InboundRequest(url: "https://kith.example/v1/inbound/sms/1-2", body: Array(body.utf8), form: form) { name in
            headers.first { $0.key.lowercased() == name.lowercased() }?.value
        }
    }

    /// The example of Twilio's documentation and libraries.
    @Test func `in Twilio's example is signed as Twilio signs it`() throws {
        let request = InboundRequest(
            url: "https://mycompany.com/myapp.php?foo=1&bar=2", body: [],
            form: [
                ("To", "+18005551212"), ("CallSid", "CA1234567890ABCDE"), ("Digits", "1234"), ("From", "+14158675309"),
                ("Caller", "+14158675309"),
            ]
        ) { _ in nil }
        let code = try hmac(
            .sha1, key: Array("12345".utf8), message: Array(InboundSettings.twilioText(request).utf8))
        #expect(Data(code).base64EncodedString() == "RSOYDt4T1cUTdK1PDd93/VVr8B8=")
    }

    @Test func `is taken with Twilio's signature over address and fields, and not when one is altered`() throws {
        let settings = try settings(["signature": "twilio"])
        let form = [(name: "Body", value: "OK"), (name: "From", value: "+49")]
        let text = "https://kith.example/v1/inbound/sms/1-2BodyOKFrom+49"
        let code = try hmac(.sha1, key: Array("a secret of 16 bytes".utf8), message: Array(text.utf8))
        let signature = Data(code).base64EncodedString()
        #expect(settings.isSigned(request(["X-Twilio-Signature": signature], form: form), at: 0))
        #expect(!settings.isSigned(request(["X-Twilio-Signature": signature], form: form + [("Body", "no")]), at: 0))
        #expect(!settings.isSigned(request(["X-Twilio-Signature": "?"], form: form), at: 0))
        #expect(!settings.isSigned(request([:], form: form), at: 0))
        // The address alone is signed, as for a form without fields, and the body is anybody's.
        let address = try hmac(
            .sha1, key: Array("a secret of 16 bytes".utf8),
            message: Array("https://kith.example/v1/inbound/sms/1-2".utf8))
        let json = InboundRequest(
            url: "https://kith.example/v1/inbound/sms/1-2", body: Array(#"{"Body":"OK"}"#.utf8), form: [],
            header: { _ in Data(address).base64EncodedString() })
        #expect(!settings.isSigned(json, at: 0))
    }

    @Test func `is no call of Twilio without a form, because its signature would not cover the body`() throws {
        let settings = try settings(["signature": "twilio"])
        let url = "https://kith.example/v1/inbound/sms/1-2"
        let code = try hmac(.sha1, key: Array("a secret of 16 bytes".utf8), message: Array(url.utf8))
        let headers = ["X-Twilio-Signature": Data(code).base64EncodedString()]
        #expect(!settings.isSigned(request(headers, body: #"{"Body":"SOS","From":"+49"}"#), at: 0))
    }

    @Test func `is known by what Twilio signed, however its fields are cut`() throws {
        let twilio = try settings(["signature": "twilio"])
        let sent = request([:], form: [("Body", "OK"), ("From", "+49"), ("MessageSid", "SM1"), ("NumMedia", "0")])
        let cut = request([:], form: [("Body", "OK"), ("From", "+49"), ("MessageSid", "SM1NumMedia0")])
        #expect(twilio.textOfManyForms(sent) == twilio.textOfManyForms(cut))
        #expect(twilio.textOfManyForms(sent) != nil)
        #expect(try settings(["signature": "bearer"]).textOfManyForms(sent) == nil, "others sign every byte, or none")
    }

    @Test func `is taken by a bearer secret, in the header that is set`() throws {
        let usual = try settings(["signature": "bearer"])
        #expect(usual.isSigned(request(["authorization": "bearer a secret of 16 bytes"]), at: 0))
        #expect(!usual.isSigned(request(["Authorization": "a secret of 16 bytes"]), at: 0))
        #expect(!usual.isSigned(request(["Authorization": "Bearer a secret of 16 byte"]), at: 0))
        let own = try settings(["signature": "bearer", "signature_header": "X-Secret"])
        #expect(own.isSigned(request(["X-Secret": "a secret of 16 bytes"]), at: 0))
        #expect(!own.isSigned(request(["Authorization": "Bearer a secret of 16 bytes"]), at: 0))
    }

    @Test func `is taken by an HMAC of the body, with a time of these five minutes`() throws {
        func code(_ text: String) throws -> String {
            Hex.encode(try hmac(.sha256, key: Array("a secret of 16 bytes".utf8), message: Array(text.utf8)))
        }
        let plain = try settings(["signature": "hmac_sha256"])
        #expect(plain.isSigned(request(["X-Signature": try code("{}")], body: "{}"), at: 0))
        #expect(plain.isSigned(request(["X-Signature": "sha256=" + (try code("{}"))], body: "{}"), at: 0))
        #expect(plain.isSigned(request(["X-Signature": try code("{}").uppercased()], body: "{}"), at: 0))
        #expect(!plain.isSigned(request(["X-Signature": try code("{}")], body: "{ }"), at: 0))
        let timed = try settings(["signature": "hmac_sha256", "timestamp_header": "X-Time"])
        let signed = ["X-Signature": try code("1000.{}"), "X-Time": "1000"]
        #expect(timed.isSigned(request(signed, body: "{}"), at: 1300))
        #expect(timed.isSigned(request(signed, body: "{}"), at: 700))
        #expect(!timed.isSigned(request(signed, body: "{}"), at: 1301))
        #expect(!timed.isSigned(request(signed, body: "{}"), at: 699))
        #expect(!timed.isSigned(request(["X-Signature": try code("{}")], body: "{}"), at: 1000))
        // Anybody can send a time, and some of them have no distance from now that is an integer.
        for time in [Int.max, Int.min, Int.min + 1000, Int.max - 1000, 0] {
            let request = request(signed.merging(["X-Time": "\(time)"]) { $1 }, body: "{}")
            #expect(!timed.isSigned(request, at: 1000))
        }
    }

    @Test func `has settings that show no secret, and can be read again`() throws {
        let json = try settingsJSON([
            "url": "https://sms.example.com", "from": "Kith",
            "inbound": ["signature": "twilio", "secret": "a secret of 16 bytes", "id_field": "Id"],
        ])
        let settings = try ChannelSettings(channel: "sms", json: json)
        let summary = String(decoding: settings.summary, as: UTF8.self)
        #expect(!summary.contains("a secret"))
        #expect(summary.contains(#""id_field":"Id""#) && summary.contains(#""from_field":"From""#))
        let again = try ChannelSettings(channel: "sms", json: settings.json)
        #expect(again.json == settings.json)
        #expect(again.inbound?.speaksTwiML == true)
    }

    @Test(arguments: [
        (#"{"secret":"a secret of 16 bytes"}"#, ["inbound.signature"]),
        (#"{"signature":"bearer"}"#, ["inbound.secret"]),
        (#"{"signature":"bearer","secret":"short"}"#, ["inbound.secret"]),
        (#"{"signature":"md5","secret":"a secret of 16 bytes"}"#, ["inbound.signature"]),
        (
            #"{"signature":"twilio","secret":"a secret of 16 bytes","timestamp_header":"T"}"#,
            ["inbound.timestamp_header"]
        ),
        (
            #"{"signature":"bearer","secret":"a secret of 16 bytes","signature_header":"a b"}"#,
            ["inbound.signature_header"]
        ),
        (#"{"signature":"bearer","secret":"a secret of 16 bytes","id_field":"From"}"#, ["inbound.id_field"]),
        (#"{"signature":"bearer","secret":"a secret of 16 bytes","key_field":"K"}"#, ["inbound.key_field"]),
        ("7", ["inbound"]),
    ])
    func `is refused with settings that cannot be used`(inbound: String, fields: [String]) {
        let json = #"{"url":"https://sms.example.com","from":"Kith","inbound":\#(inbound)}"#
        do throws(ChannelSettingsError) {
            _ = try ChannelSettings(channel: "sms", json: Array(json.utf8))
            Issue.record("it was taken")
        } catch {
            #expect(error.errors.map(\.field) == fields)
        }
    }

    @Test func `has values in a form and in JSON, by names and paths`() throws {
        let form = InboundValues(form: [("Body", "OK"), ("Body", "no")])
        #expect(form.value(at: "Body") == "OK")
        #expect(form.value(at: "From") == nil)
        let json = try #require(InboundValues(json: Array(#"{"message":{"text":"OK","parts":["a",2]}}"#.utf8)))
        #expect(json.value(at: "message.text") == "OK")
        #expect(json.value(at: "message.parts.1") == "2")
        #expect(json.value(at: "message.none") == nil)
        #expect(InboundValues(json: Array("[1]".utf8)) == nil)
        #expect(InboundValues(json: Array("{".utf8)) == nil)
    }
}

@Suite struct `A call` {
    @Test func `is one request with the text, its language and the address for keys`() throws {
        let json = try settingsJSON([
            "url": "https://voice.example.com/calls", "from": "+1500", "callback_field": "Url",
            "inbound": ["signature": "twilio", "secret": "a secret of 16 bytes"],
        ])
        guard case .voice(let settings) = try ChannelSettings(channel: "voice", json: json) else {
            Issue.record("it is no voice channel")
            return
        }
        #expect(settings.languageField == "language")
        let again = try ChannelSettings(channel: "voice", json: try ChannelSettings(channel: "voice", json: json).json)
        #expect(again.inbound != nil)
    }

    @Test(arguments: [
        ("twilio", "https://kith.example/call", true), ("twilio", nil, false),
        ("bearer", "https://kith.example/call", false),
    ])
    func `asks Twilio whether somebody answers, and no other provider`(
        signature: String, callback: String?, asks: Bool
    ) async throws {
        let json = try settingsJSON([
            "url": "https://voice.example.com/calls", "from": "+1500", "callback_field": "Url",
            "inbound": ["signature": signature, "secret": "a secret of 16 bytes"],
        ])
        guard case .voice(let settings) = try ChannelSettings(channel: "voice", json: json) else {
            Issue.record("it is no voice channel")
            return
        }
        let message = Message(
            id: "1", channel: "voice", purpose: "notification", address: "+4915100000001", subject: nil,
            text: "Press 1", language: "de", callback: callback)
        let body = try await withTransfers { transfers in
            VoiceChannel(settings: settings, transfers: transfers).request(message).body
        }
        let text = String(decoding: body, as: UTF8.self)
        #expect(text.hasSuffix("&MachineDetection=Enable") == asks)
        #expect(text.contains("&StatusCallback=") == asks)
    }

    @Test func `needs signed reports where it asks for any`() {
        let json = #"{"url":"https://voice.example.com","from":"+1500","callback_field":"Url"}"#
        #expect(throws: ChannelSettingsError.self) { try ChannelSettings(channel: "voice", json: Array(json.utf8)) }
        let same = #"{"url":"https://voice.example.com","from":"+1500","language_field":"to"}"#
        #expect(throws: ChannelSettingsError.self) { try ChannelSettings(channel: "voice", json: Array(same.utf8)) }
    }
}

@Suite struct `The token of a check-in link` {
    private let key = MasterKey.generate()

    @Test func `is the same for a sender, a date and a contact, and no other`() throws {
        let user = "0a11ce00-0000-7000-8000-000000000001"
        let purpose = MessageLink.Purpose.checkIn(user: user, date: "2027-03-10")
        let link = try MessageLink(tenant: 12, purpose, address: "+4915112345678", key)
        #expect(try link == MessageLink(tenant: 12, purpose, address: "+4915112345678", key))
        #expect(
            try link
                != MessageLink(tenant: 12, .checkIn(user: user, date: "2027-03-11"), address: "+4915112345678", key))
        #expect(try link != MessageLink(tenant: 13, purpose, address: "+4915112345678", key))
        #expect(try link != MessageLink(tenant: 12, purpose, address: "+4915112345679", key))
        #expect(try link != MessageLink(tenant: 12, purpose, address: "+4915112345678", MasterKey.generate()))
        #expect(link.token.hasPrefix("12-") && link.token.utf8.count == 19)
        #expect(MessageLink(link.token)?.hash == link.hash)
    }

    @Test func `goes on with a new master key, whose links are others`() throws {
        let user = "0a11ce00-0000-7000-8000-000000000001"
        let new = key.renewed()
        let links = try [key, new].map {
            try MessageLink(tenant: 1, .checkIn(user: user, date: "2027-03-10"), address: "+4915112345678", $0)
        }
        #expect(links[0] != links[1])
    }

    @Test(arguments: [
        "", "12", "12-", "-AAAAAAAAAAAAAAAA", "012-AAAAAAAAAAAAAAAA", "12-AAAAAAAAAAAAAAA", "12-AAAAAAAAAAAAAAAAA",
        "12-AAAAAAAAAAAAAAA+", "12-AAAAAAAAAAAAAAÄ", "2147483648-AAAAAAAAAAAAAAAA", "+12-AAAAAAAAAAAAAAAA",
        "12_AAAAAAAAAAAAAAAA",
    ])
    func `is refused in any other form, before the database is asked`(text: String) {
        #expect(MessageLink(text) == nil)
    }
}
