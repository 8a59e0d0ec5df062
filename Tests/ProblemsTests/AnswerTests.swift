import HTTP
import JSON
import Postgres
import Testing

@testable import Problems

@Suite struct `A procedure's result` {
    private func answer(_ text: String?, success: HTTPStatus = .ok) throws -> HTTPResponse {
        try Answer.response(text.map { Array($0.utf8) }, success: success)
    }

    @Test func `is sent unchanged`() throws {
        let response = try answer(#"{"id" : 1}"#, success: .created)
        #expect(response.status == .created)
        #expect(text(of: response) == #"{"id" : 1}"#)
        #expect(response.headers["Cache-Control"] == "no-store")
    }

    @Test func `is 204 No Content if it is null`() throws {
        #expect(try answer(nil).status == .noContent)
    }

    @Test func `may set its own status`() throws {
        let response = try answer(#"{"answer" : 200, "body" : {"id":"x","reactivated":true}}"#, success: .created)
        #expect(response.status == .ok)
        #expect(text(of: response) == #"{"id":"x","reactivated":true}"#)
    }

    @Test func `may be a refusal that was committed`() {
        do throws(Problem) {
            _ = try Answer.response(
                Array(#"{"problem" : "too_many_requests", "retry_after" : 1800}"#.utf8), success: .ok)
            Issue.record("it was not refused")
        } catch {
            #expect(error.code == .tooManyRequests)
            #expect(error.retryAfter == 1800)
        }
    }
}

@Suite struct `A database error` {
    private func problem(
        _ state: String, _ message: String = "", detail: String? = nil, hint: String? = nil
    ) -> Problem {
        Problem(
            PostgresError.server(
                PostgresServerError(sqlState: SQLState(rawValue: state), message: message, detail: detail, hint: hint)))
    }

    @Test func `raised by Kith carries its code and text`() {
        let refusal = problem("KT409", "invalid_transition", detail: "Only an active connection can be paused.")
        #expect(refusal.code == .invalidTransition)
        #expect(refusal.detail == "Only an active connection can be paused.")
    }

    @Test func `says when emergency access to a locked vault begins`() throws {
        let instant = "2027-03-12T12:00:00Z"
        let refusal = problem("KT423", "vault_locked", hint: instant)
        #expect(refusal.grantsAt == instant)
        #expect(text(of: refusal.response(requestID: "1")).contains(#""grants_at":"2027-03-12T12:00:00Z""#))
        #expect(problem("KT423", "vault_locked").grantsAt == nil)
        #expect(problem("KT409", "invalid_transition", hint: "Release it first.").grantsAt == nil)
    }

    @Test func `names the invalid fields`() {
        let refusal = problem(
            "KT422", "validation_failed", detail: #"[{"field":"time_zone","message":"must be an IANA time zone"}]"#)
        #expect(refusal.errors == [.init(field: "time_zone", message: "must be an IANA time zone")])
    }

    @Test(arguments: ["22P02", "22P05", "22003", "54001", "22021"])
    func `about an unreadable value is the client's mistake`(state: String) {
        #expect(problem(state).code == .invalidRequest)
    }

    @Test(arguments: ["55P03", "57014", "40001", "40P01", "53300", "57P01"])
    func `that is temporary is retryable`(state: String) {
        #expect(problem(state).code == .unavailable)
        #expect(problem(state).code.entry.retryable)
    }

    @Test func `that is Kith's fault does not reveal its cause`() {
        let response = problem("42P01", "relation \"kith.secret\" does not exist").response(requestID: "r1")
        let body = text(of: response)
        #expect(response.status == .internalServerError)
        #expect(!body.contains("secret"))
    }

    @Test func `with an unknown code is an internal error`() {
        #expect(problem("KT499", "no_such_code").code.entry.status == .internalServerError)
    }
}

@Suite struct `A problem document` {
    @Test func `has the members of RFC 9457 and our own`() {
        let response = Problem(.connectionExists).response(requestID: "r1")
        #expect(response.headers["Content-Type"] == "application/problem+json")
        #expect(
            text(of: response)
                == #"{"type":"urn:kith:problem:connection_exists","title":"Already Connected","status":409,"#
                + #""code":"connection_exists","detail":"You're already connected to this user.","retryable":false,"#
                + #""request_id":"r1"}"#)
    }

    @Test func `has the product's texts, word for word`() {
        #expect(ProblemCode.invalidCode.entry.detail == "Invalid code. Please check and try again.")
        #expect(ProblemCode.expiredCode.entry.detail == "This invitation code has expired. Please ask for a new code.")
        #expect(ProblemCode.selfConnection.entry.detail == "You cannot connect to your own code.")
        #expect(ProblemCode.connectionExists.entry.detail == "You're already connected to this user.")
        #expect(
            ProblemCode.subscriptionInactive.entry.detail == "This receiver can't accept new connections right now.")
    }

    @Test func `says when to try again`() {
        #expect(Problem(.unavailable).response(requestID: "r").headers["Retry-After"] == "1")
        #expect(Problem(.tooManyRequests, retryAfter: 60).response(requestID: "r").headers["Retry-After"] == "60")
    }
}

/// The body of a response that is held in memory.
func text(of response: HTTPResponse) -> String {
    guard case .bytes(let bytes) = response.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
}
