import Foundation
import Testing

@testable import KithClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct `The presentation of an error` {
    static func problem(
        _ code: String, _ status: Int?, _ detail: String, after: Double? = nil, errors: [KithProblem.FieldError] = []
    ) -> KithProblem {
        KithProblem(
            code: .init(rawValue: code), status: status, detail: detail, retryable: after != nil, retryAfter: after,
            requestID: nil, errors: errors)
    }

    @Test(arguments: [
        ("invalid_code", 404, "Invalid code. Please check and try again.", ErrorPresentation.Style.inline),
        ("expired_code", 410, "This invitation code has expired. Please ask for a new code.", .alert),
        ("self_connection", 422, "You cannot connect to your own code.", .alert),
        ("connection_exists", 409, "You're already connected to this user.", .alert),
        ("subscription_inactive", 402, "This receiver can't accept new connections right now.", .alert),
        ("profile_required", 409, "First create your sender profile.", .alert),
        ("something_new", 418, "The server's own words.", .alert),
    ])
    func `is the server's words, inline for a wrong code and else in an alert`(
        code: String, status: Int, detail: String, style: ErrorPresentation.Style
    ) {
        let shown = ErrorPresentation(Self.problem(code, status, detail))
        #expect(shown.style == style)
        #expect(shown.text == detail)
        #expect(shown.announcement == detail)
        #expect(shown.haptic == .error)
        #expect(shown.retry == nil)
    }

    @Test(arguments: [
        (0.2, "Try again in 1 second."), (42, "Try again in 42 seconds."), (119.1, "Try again in 2 minutes."),
        (121, "Try again in 3 minutes."), (7140, "Try again in 119 minutes."), (7200, "Try again in 2 hours."),
        (7201, "Try again in 3 hours."),
    ])
    func `says when to try again, never too early`(seconds: Double, sentence: String) {
        let shown = ErrorPresentation(Self.problem("too_many_requests", 429, "Too many attempts.", after: seconds))
        #expect(shown.retry == sentence)
        #expect(shown.style == .alert)
        #expect(shown.announcement == "Too many attempts. \(sentence)")
    }

    @Test func `has words of its own when no answer came`() {
        struct Other: Error {}
        let words = "No connection to the server. Check your network and try again."
        #expect(ErrorPresentation(Self.problem("unreachable", nil, "errno 111")).text == words)
        #expect(ErrorPresentation(URLError(.timedOut)).text == words)
        #expect(ErrorPresentation(Other()).text == "This was not done. Please try again.")
        #expect(ErrorPresentation(CancellationError()).text == "This was not done. Please try again.")
        let file = "The file could not be read, or this device has no room for it."
        #expect(ErrorPresentation(CocoaError(.fileWriteOutOfSpace)).text == file)
        #expect(ErrorPresentation(POSIXError(.ENOENT)).text == file)
        #expect(ErrorPresentation(Other()).style == .alert)
    }

    @Test(arguments: [
        ("payload_too_large", "A document's content has at most 25 MiB."),
        ("not_prepared", "The preview has no answer to getHome."),
    ])
    func `has the words of what the library itself refuses, which name a limit or a call`(code: String, detail: String)
    {
        #expect(ErrorPresentation(Self.problem(code, nil, detail)).text == detail)
    }

    @Test func `has the catalogue's words for what else the library itself refuses`() {
        for problem in [
            KithProblem.notKept, .unreadable, .otherRecipient, .contentDamaged, .signedOut, .busy,
            KithProblem(URLError(.timedOut)),
        ] {
            let words = KithTexts.all.map { ErrorPresentation(problem, texts: $0).text }
            #expect(Set(words).count == words.count, "each language has its own: \(words)")
            #expect(problem.isSignedOut || problem.code == .unreachable || words.first == problem.detail)
        }
    }

    @Test func `names the one field that is invalid`() {
        let field = KithProblem.FieldError(field: "name", message: "name must not be empty")
        let shown = ErrorPresentation(Self.problem("validation_failed", 422, "Invalid request.", errors: [field]))
        #expect(shown.style == .inline)
        #expect(shown.text == "name must not be empty")
    }
}
