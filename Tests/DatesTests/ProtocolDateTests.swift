import Dates
import Testing

@Suite struct `A date of a protocol` {
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37"), (0, "Thu, 01 Jan 1970 00:00:00"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59"),
        ] as [(Int64, String)])
    func `is written in the format of HTTP and in that of e-mail`(_ seconds: Int64, _ text: String) {
        #expect(ProtocolDate.http(seconds) == text + " GMT")
        #expect(ProtocolDate.mail(seconds) == text + " +0000")
    }
}
