import Delivery
import Foundation
import Testing

@testable import Worker

@Suite struct `The result of a delivery` {
    private let delivery = ClaimedDelivery(
        tenant: 7,
        message: Message(
            id: "01a4", channel: "sms", purpose: "notification", address: "+4915112345678", subject: nil, text: "Hello"),
        sealedSecret: nil)

    @Test func `holds nothing that the database would refuse, whatever a provider calls a message`() throws {
        let result = DeliveryResult(sent: delivery, as: "a\u{0}b\r\n\u{7F}c" + String(repeating: "d", count: 300))
        #expect(result.provider_id == "abc" + String(repeating: "d", count: 193))
        #expect(try !String(decoding: JSONEncoder().encode([result]), as: UTF8.self).contains(#"\u0000"#))
        #expect(DeliveryResult(delivery, DeliveryError("no\u{0}thing")).error == "nothing")
    }

    @Test func `counts against a tenant's own provider only`() {
        let refusal = DeliveryError("too many requests", .retry(after: .seconds(300)))
        #expect(DeliveryLimits.Verdict(refusal, on: "sms") == .fails(pause: .seconds(300)))
        #expect(DeliveryLimits.Verdict(DeliveryError("no such number", .final), on: "sms") == .works)
        // Any user may give a browser's address.
        #expect(DeliveryLimits.Verdict(refusal, on: "web_push") == .works)
    }
}
