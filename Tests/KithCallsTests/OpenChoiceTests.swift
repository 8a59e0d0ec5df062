import Foundation
import Testing

@testable import KithCalls

@Suite("Open choices") struct OpenChoiceTests {
    @Test func `a code that this library does not know is kept`() {
        let code = KithProblem.Code(rawValue: "out_of_tea")
        #expect(code.rawValue == "out_of_tea")
        #expect("\(code)" == "out_of_tea")
    }

    @Test func `a status of a newer server is read, kept and written`() throws {
        let text = #"["snoozed"]"#
        let statuses = try Kith.decoder().decode([Kith.PingStatus].self, from: Data(text.utf8))
        #expect(statuses == [Kith.PingStatus(rawValue: "snoozed")])
        #expect(String(decoding: try Kith.encoder().encode(statuses), as: UTF8.self) == text)
    }
}
