import Foundation

extension Kith {
    /// A client that answers without a server, for previews of screens and for tests of an app.
    ///
    /// Calls are named as in `openapi.json`. The documentation of each screen lists the calls that it makes. A call
    /// without an answer fails with a message that names it, which a screen shows as its problem:
    ///
    /// ```swift
    /// let kith = Kith.preview(["getVault": .problem(.vaultLocked, status: 423, detail: "This vault is locked.")])
    /// ```
    ///
    /// - Parameter answers: The answers by the call's name. A call that is made again gets the same answer.
    /// - Returns: The client. It is not signed in anywhere and sends nothing.
    public static func preview(_ answers: [String: PreparedAnswer] = [:]) -> Kith {
        Kith(caller: PreparedCaller(answers: answers))
    }
}

extension KithProblem.Code {
    /// A preview has no answer for this call. No server answers with it.
    public static let notPrepared = Self(rawValue: "not_prepared")
}

extension Error {
    /// Whether a preview has no answer for the call.
    var isUnprepared: Bool { (self as? KithProblem)?.code == .notPrepared }
}

/// Carries out calls from prepared answers.
struct PreparedCaller: StreamingCaller {
    let answers: [String: PreparedAnswer]
    var now: Date { Date() }

    func answer<Answer>(to call: KithCall<Answer>) async throws -> Answer {
        let answer = try await open(call).whole()
        do {
            return try call.decode(answer)
        } catch let error as DecodingError {
            throw Self.unreadable(call.operationID, "\(error)")
        }
    }

    func open<Answer>(
        _ call: KithCall<Answer>, as signIn: UUID?, uploading file: URL?, onProgress: (@Sendable (Int64) -> Void)?
    ) async throws -> StreamedAnswer {
        try Task.checkCancellation()
        guard let prepared = answers[call.operationID] else {
            throw KithProblem(
                code: .notPrepared, status: nil,
                detail: "The preview has no answer to \(call.operationID): give Kith.preview one.", retryable: false,
                retryAfter: nil, requestID: nil, errors: [])
        }
        let answer = KithAnswer(status: prepared.status, headers: prepared.headers, body: prepared.body)
        if let problem = KithProblem(answer, to: call.accept) { throw problem }
        return StreamedAnswer(
            status: prepared.status, headers: prepared.headers,
            body: PreparedBody(prepared.body, staysOpen: prepared.staysOpen))
    }

    private static func unreadable(_ call: String, _ reason: String) -> KithProblem {
        KithProblem(
            code: .notPrepared, status: nil, detail: "The preview's answer to \(call) cannot be read: \(reason)",
            retryable: false, retryAfter: nil, requestID: nil, errors: [])
    }
}

/// The body of a prepared answer.
private final class PreparedBody: EventSource {
    private let rest: Locked<Data>
    private let staysOpen: Bool

    init(_ body: Data, staysOpen: Bool) {
        rest = Locked(body)
        self.staysOpen = staysOpen
    }

    func next() async throws -> Data? {
        let piece = rest.withLock { rest in
            defer { rest = Data() }
            return rest
        }
        if !piece.isEmpty { return piece }
        // No more events follow, but a cancelled reader must stop waiting.
        while staysOpen { try await Task.sleep(for: .seconds(3600)) }
        return nil
    }

    func cancel() {}
}
