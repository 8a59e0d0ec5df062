import Delivery
import Foundation
import TestThreads
import Testing

@testable import Worker

@Suite(.mayBlock) struct `The result of a delivery` {
    private let delivery = ClaimedDelivery(
        tenant: 7,
        message: Message(
            id: "01a4", channel: "sms", purpose: "notification", address: "+4915112345678", subject: nil, text: "Hello"),
        sealedSecret: nil)

    @Test func `contains nothing that the database would refuse, whatever id a provider returns`() throws {
        let result = DeliveryResult(sent: delivery, as: "a\u{0}b\r\n\u{7F}c" + String(repeating: "d", count: 300))
        #expect(result.provider_id == "abc" + String(repeating: "d", count: 193))
        #expect(try !String(decoding: JSONEncoder().encode([result]), as: UTF8.self).contains(#"\u0000"#))
        #expect(DeliveryResult(delivery, DeliveryError("no\u{0}thing")).error == "nothing")
    }

    @Test func `counts against the tenant's own provider or the host that a user chose`() {
        let refusal = DeliveryError("too many requests", .retry(after: .seconds(300)))
        #expect(DeliveryLimits.Verdict(refusal, to: .init(tenant: 1)) == .fails(pause: .seconds(300)))
        #expect(DeliveryLimits.Verdict(DeliveryError("no such number", .final), to: .init(tenant: 1)) == .works)
        // Any user may give the address of a push service.
        let push = ClaimedDelivery(
            tenant: 1,
            message: Message(
                id: "1", channel: "web_push", purpose: "notification", address: "https://Push.example:8443/x?y",
                subject: nil, text: ""), sealedSecret: nil)
        #expect(push.destination == .init(tenant: 1, host: "https://push.example:8443"))
        #expect(DeliveryLimits.Verdict(refusal, to: push.destination) == .hostFails(pause: .seconds(300)))
        // The service answered, and messages for other users go there too.
        let ofMessage = DeliveryError("too many requests", .retry(after: .seconds(300)), concernsMessageAlone: true)
        #expect(DeliveryLimits.Verdict(ofMessage, to: push.destination) == .works)
        #expect(DeliveryLimits.Verdict(ofMessage, to: .init(tenant: 1)) == .fails(pause: .seconds(300)))
        #expect(DeliveryResult(push, ofMessage).retry_after == 300)
    }

    @Test func `rounds its wait up to whole seconds`() {
        for (wait, seconds) in [(1000, 1), (1001, 2), (4500, 5), (60000, 60)] {
            #expect(DeliveryResult(putOff: delivery, for: .milliseconds(wait)).retry_after == seconds)
        }
    }
}
