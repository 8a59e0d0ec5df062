import Testing

@testable import Logging

@Suite struct `A log line` {
    @Test func `has words and fields in the text format`() {
        #expect(
            Log.line(.text, at: "2026-11-21T09:00:00Z", "info", "listening", ["address": "127.0.0.1:8080"])
                == "2026-11-21T09:00:00Z info listening address=127.0.0.1:8080\n")
    }

    @Test func `is one JSON object in the JSON format`() {
        #expect(
            Log.line(.json, at: "2026-11-21T09:00:00Z", "error", "a \"quoted\" thing", ["path": "a\\b"])
                == #"{"time":"2026-11-21T09:00:00Z","level":"error","message":"a \"quoted\" thing","path":"a\\b"}"#
                + "\n")
    }

    @Test func `stays one line whatever its content`() {
        let text = Log.line(.text, at: "t", "info", "first\nsecond", ["field": "a\r\nb"])
        #expect(text.count { $0.isNewline } == 1)
        let json = Log.line(.json, at: "t", "info", "first\nsecond", [:])
        #expect(json.count { $0.isNewline } == 1)
    }
}
