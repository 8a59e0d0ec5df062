import Foundation
import Testing

@testable import KithCalls

@Suite("The retries of a call") struct RetryPolicyTests {
    private func failure(
        retryable: Bool = true, after: TimeInterval? = nil, mayHaveArrived: Bool = true
    ) -> RetryPolicy.Failure {
        RetryPolicy.Failure(
            problem: KithProblem(
                code: .unreachable, status: nil, detail: "", retryable: retryable, retryAfter: after, requestID: nil,
                errors: []), mayHaveArrived: mayHaveArrived)
    }

    private func wait(
        _ failure: RetryPolicy.Failure, tries: Int = 1, isRepeatable: Bool = true, jitter: Double = 1
    ) -> TimeInterval? {
        RetryPolicy().wait(after: failure, tries: tries, isRepeatable: isRepeatable, jitter: jitter)
    }

    @Test func `back off, and end`() {
        #expect((1...3).map { wait(failure(), tries: $0) } == [0.5, 1, 2])
        #expect(wait(failure(), tries: 4) == nil)
        #expect(RetryPolicy.forEver.wait(after: failure(), tries: 1000, isRepeatable: true, jitter: 1) == 300)
    }

    @Test func `are spread`() {
        #expect(wait(failure(), jitter: 0) == 0.25)
        #expect(wait(failure(), jitter: 0.5) == 0.375)
    }

    @Test func `wait as long as the server asks, unless a person would have to`() {
        #expect(wait(failure(after: 7)) == 7)
        #expect(wait(failure(after: 600)) == nil)
        #expect(RetryPolicy.forEver.wait(after: failure(after: 600), tries: 1, isRepeatable: true, jitter: 0) == 600)
    }

    @Test func `believe the server that another try is of no use`() {
        #expect(wait(failure(retryable: false)) == nil)
    }

    @Test func `repeat what may have arrived only if that is safe`() {
        #expect(wait(failure(), isRepeatable: false) == nil)
        #expect(wait(failure(mayHaveArrived: false), isRepeatable: false) == 0.5)
    }

    @Test(arguments: [
        ("GET", false, true), ("DELETE", false, true), ("POST", true, true), ("POST", false, false),
        ("PATCH", false, false),
    ])
    func `know which calls are safe`(method: String, hasKey: Bool, isSafe: Bool) {
        let call = KithCall<Void>(
            operationID: "", method: method, path: "/", credential: .none, takesIdempotencyKey: hasKey, decode: { _ in }
        )
        #expect(call.isRepeatable == isSafe)
    }
}

@Suite("What an answer says") struct AnswerTests {
    private func problem(_ status: Int, _ type: String, _ body: String = "", retryAfter: String? = nil) -> KithProblem?
    {
        var headers = ["content-type": type]
        headers["retry-after"] = retryAfter
        return KithProblem(KithAnswer(status: status, headers: headers, body: Data(body.utf8)), to: "application/json")
    }

    @Test func `a problem document is believed`() {
        let problem = problem(
            429, "application/problem+json",
            #"{"type":"urn:kith:problem:too_many_requests","title":"","status":429,"code":"too_many_requests","detail":"Wait.","retryable":true,"request_id":"5f"}"#,
            retryAfter: "60")
        #expect(problem?.code.rawValue == "too_many_requests")
        #expect(problem?.retryAfter == 60)
        #expect(problem?.requestID == "5f")
    }

    @Test(arguments: [("1e30", 3600), ("-5", 0), ("0", 0), ("inf", nil), ("nan", nil), ("soon", nil)])
    func `a wait is an hour at most`(text: String, seconds: Double?) {
        #expect(problem(503, "text/plain", retryAfter: text)?.retryAfter == seconds)
    }

    @Test func `a body that is no problem document keeps its status`() {
        #expect(problem(502, "text/plain", "Bad Gateway")?.status == 502)
        #expect(problem(502, "application/problem+json", "{")?.status == 502)
        #expect(problem(502, "text/plain")?.retryable == true)
        #expect(problem(404, "text/plain")?.retryable == false)
        #expect(problem(404, "text/plain")?.code == .notFromKith)
    }

    @Test func `the page of a hotel's Wi-Fi is no answer, whatever its status`() {
        #expect(problem(200, "text/html; charset=utf-8")?.code == .notFromKith)
        #expect(problem(401, "text/html")?.code == .notFromKith)
        #expect(problem(302, "text/plain")?.retryable == true)
        #expect(problem(200, "application/json") == nil)
    }
}
