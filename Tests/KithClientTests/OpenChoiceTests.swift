import Testing

@testable import KithClient

@Suite("Open choices") struct OpenChoiceTests {
    @Test func `a code that this library does not know is kept`() {
        let code = KithProblem.Code(rawValue: "out_of_tea")
        #expect(code.rawValue == "out_of_tea")
        #expect("\(code)" == "out_of_tea")
    }
}
