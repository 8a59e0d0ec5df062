import Testing

@testable import HTTP

@Test(arguments: [
    (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
])
func `An instant is written in the date format of HTTP`(seconds: Int, text: String) {
    #expect(HTTPDate.text(at: seconds) == text)
}
