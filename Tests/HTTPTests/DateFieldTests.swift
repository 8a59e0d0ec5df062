import Testing

@testable import HTTP

@Suite struct `The field Date` {
    @Test func `follows the clock from second to second, and back`() {
        var field = DateField()
        #expect(field.value(at: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(field.value(at: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(field.value(at: 784_111_778) == "Sun, 06 Nov 1994 08:49:38 GMT")
        #expect(field.value(at: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }
}
