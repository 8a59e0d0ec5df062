import Testing

@testable import API

@Suite struct `A CSV line of a vault's history` {
    @Test(
        arguments: [
            ("Alice", "\"Alice\""), ("", "\"\""), ("A \"B\"", "\"A \"\"B\"\"\""), ("=1+1", "\"'=1+1\""),
            ("＝1+1", "\"'＝1+1\""), ("\r\n=1", "\"'\r'\n'=1\""),
            ("A;=1;2", "\"A;'=1;2\""), ("\u{A0}=1", "\"\u{A0}'=1\""),
            // With an accent these are different characters, but spreadsheets read them like the plain ones.
            ("x\"\u{301},=1", "\"x\"\"\u{301},=1\""), ("=\u{301}1", "\"'=\u{301}1\""),
            ("\u{202E}\"\u{200D}", "\"\u{202E}\"\"\u{200D}\""),
        ])
    func `keeps a name within its cell`(text: String, cell: String) {
        #expect(Array(VaultHistory.line([text, "b"]).utf8) == Array((cell + ",\"b\"\r\n").utf8))
    }
}
