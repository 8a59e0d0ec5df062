import Testing

@testable import API

@Suite struct `A call that a provider reports` {
    @Test(arguments: [
        ("no-answer", "no_answer"), ("No_Answer", "no_answer"), ("unanswered", "no_answer"), ("timeout", "no_answer"),
        ("busy", "busy"), ("failed", "failed"), ("canceled", "failed"), ("cancelled", "failed"),
        ("rejected", "failed"),
    ])
    func `has reached nobody`(status: String, reason: String) {
        #expect(InboundCalls.unheard(status) == reason)
    }

    @Test(arguments: [nil, "", "queued", "ringing", "in-progress", "completed", "answered", "something else"])
    func `may have reached somebody`(status: String?) {
        #expect(InboundCalls.unheard(status) == nil)
    }
}
