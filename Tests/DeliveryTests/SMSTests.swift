import Counterparts
import Foundation
import Testing

@testable import Delivery

@Suite(.timeLimit(.minutes(5))) struct `A text message` {
    private static func message(_ id: String = UUID().uuidString) -> Message {
        Message(
            id: id, channel: "sms", purpose: "notification", address: "+4915100000001", subject: nil,
            text: "Älter & weiser=100%\n+1")
    }

    /// Settings for the sink at `path`, with `more` members.
    private static func settings(_ path: String, _ more: String = "") throws -> SMSSettings {
        let settings = try ChannelSettings(
            channel: "sms", json: Array(#"{"url":"\#(try Servers.sink(path))","from":"Kith"\#(more)}"#.utf8))
        guard case .sms(let sms) = settings else { throw ChannelSettingsError([]) }
        return sms
    }

    private static func send(_ message: Message, _ settings: SMSSettings) async throws -> Result<String?, DeliveryError>
    {
        try await withTransfers { transfers in
            do throws(DeliveryError) {
                return .success(try await SMSChannel(settings: settings, transfers: transfers).send(message))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func arrived(_ id: String) throws -> [String: Any] {
        try #require(
            try Servers.sink.get().log.last { ($0["headers"] as? [String: String])?["idempotency-key"] == id })
    }

    @Test func `is sent as a form, with basic credentials`() async throws {
        let message = Self.message()
        let settings = try Self.settings(
            #"/answer/{"sid":"SM1"}"#,
            #","to_field":"To","from_field":"From","text_field":"Body","username":"AC1","password":"pass","id_field":"sid""#
        )
        #expect(try await Self.send(message, settings) == .success("SM1"))
        let request = try Self.arrived(message.id)
        let headers = try #require(request["headers"] as? [String: String])
        #expect(headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(headers["authorization"] == "Basic \(Data("AC1:pass".utf8).base64EncodedString())")
        #expect(
            request["body"] as? String
                == "To=%2B4915100000001&From=Kith&Body=%C3%84lter%20%26%20weiser%3D100%25%0A%2B1")
    }

    @Test func `is sent as JSON, with a token`() async throws {
        let message = Self.message()
        let settings = try Self.settings(
            #"/answer/{"messages":[{"id":7}]}"#, #","format":"json","token":"t0ken","id_field":"messages.0.id""#)
        #expect(try await Self.send(message, settings) == .success("7"))
        let request = try Self.arrived(message.id)
        let headers = try #require(request["headers"] as? [String: String])
        #expect(headers["content-type"] == "application/json")
        #expect(headers["authorization"] == "Bearer t0ken")
        let body = try #require((request["body"] as? String)?.data(using: .isoLatin1))
        let fields = try #require(JSONSerialization.jsonObject(with: body) as? [String: String])
        #expect(fields == ["to": message.address, "from": "Kith", "text": message.text])
    }

    @Test(
        arguments: [
            ("/status/202", nil), ("/status/400", .final), ("/status/422", .final), ("/status/401", .retry()),
            ("/status/402", .retry()), ("/status/404", .retry()), ("/retry-after/3/429", .retry(after: .seconds(3))),
            ("/status/500", .retry()), ("/redirect/x", .retry()), ("/reset", .retry()),
        ] as [(String, DeliveryError.Kind?)])
    func `is sent, retried or given up`(_ path: String, _ kind: DeliveryError.Kind?) async throws {
        switch try await Self.send(Self.message(), try Self.settings(path)) {
        case .success(let id):
            #expect(kind == nil)
            #expect(id == nil)
        case .failure(let error): #expect(error.kind == kind)
        }
    }

    @Test(
        arguments: [
            (#"{"code":21211,"message":"The number +4915100000001 is not valid","status":400}"#, ", code 21211"),
            (#"{"error":{"code":"invalid_number"}}"#, ", code invalid_number"),
            (#"{"errors":[{"code":9,"description":"no (correct) recipients found"}]}"#, ", code 9"),
            (#"{"code":400,"error":"bad_sender"}"#, ", code bad_sender"), (#"{"code":400}"#, ""),
            // A sentence, a phone number, markup, and letters that only look like ours.
            (#"{"code":"The number is not valid"}"#, ""), (#"{"code":4915100000001}"#, ""),
            (#"{"code":"<b>21211</b>"}"#, ""), (#"{"code":"сode"}"#, ""), (#"{"code":"a4915b1000c00001"}"#, ""),
            ("no JSON", ""), (#"{"code":{"code":1}}"#, ""), (#"{"code":""}"#, ""),
        ])
    func `is refused with the provider's code, and nothing else of its answer`(_ body: String, _ code: String) {
        let error = SMSChannel.error(TransferAnswer(status: 400, body: Array(body.utf8)))
        #expect(error?.description == "the provider answered 400\(code)")
    }

    @Test func `has no id if the answer has none`() {
        let json = Array(#"{"a":[{"b":"x"}],"c":true,"d":{}}"#.utf8)
        #expect(SMSChannel.value(at: "a.0.b", in: json) == "x")
        for path in ["a.1.b", "a.b", "b", "a.0", "d", "a.-1.b", ""] {
            #expect(SMSChannel.value(at: path, in: json) == nil, "\(path)")
        }
        #expect(SMSChannel.value(at: "a", in: Array("no JSON".utf8)) == nil)
    }
}
