internal import Crypto
internal import EventLoop
internal import Foundation
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// Carries out a request with an `Idempotency-Key` once and gives repeats the same answer (A07), on whichever server
/// they arrive, as long as the caller has the right that the answer came from. The claim, the work and the stored
/// answer share one database transaction.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
final class Idempotency {
    /// How long an answer is kept, in seconds.
    static let life = 86400
    /// How long an answer that holds a secret is kept, in seconds.
    static let secretLife = 600
    /// How long a repeat waits for a request that is still running.
    private static let timeout = Duration.seconds(3)
    private static let pause = Duration.milliseconds(10)

    private let pool: PostgresPool
    private let masterKey: MasterKey
    /// The requests that are running on this server. Their repeats wait here without using the database.
    private var inFlight: Set<String> = []

    private static let claim = ProcedureCall(
        "api.claim_key", ["text", "bytea", "text", "timestamptz"], lane: .transactions,
        worksWhileSuspended: true)
    private static let keep = ProcedureCall(
        "api.keep_answer", ["text", "bytea", "bytea", "uuid[]", "integer", "timestamptz"], lane: .transactions,
        worksWhileSuspended: true)

    init(pool: PostgresPool, masterKey: MasterKey) {
        self.pool = pool
        self.masterKey = masterKey
    }

    /// Runs `work` in a transaction unless it ran before, and returns its answer, new or kept.
    ///
    /// `right` is what the caller must have to get a kept answer (``RepeatRight/name(for:)``).
    ///
    /// A refusal that was committed is kept like any answer, unless it is retryable. Any other refusal leaves no trace.
    /// `work` runs again if a migration replaced what its transaction used
    /// (``PostgresError/waitsAfterReplacement``).
    ///
    /// - Throws: ``Problem``: the refusal of `work`, `idempotency_mismatch` if the key belongs to another request and
    ///   refuses others, or `unavailable` while the same request is running elsewhere.
    func once(
        _ key: IdempotencyKey, _ request: HTTPRequest, by caller: Caller, right: String?, holdsSecret: Bool,
        _ work: (PostgresTransaction) async throws(Problem) -> HTTPResponse
    ) async throws(Problem) -> HTTPResponse {
        let place = "idempotency_keys/\(caller.tenant)/\(caller.actor)/\(key.text)"
        let giveUp = pool.loop.now + Self.timeout
        var waits = PostgresError.waitsAfterReplacement[...]
        while true {
            if inFlight.insert(place).inserted {
                defer { inFlight.remove(place) }
                let life = holdsSecret ? Self.secretLife : Self.life
                do throws(Problem) {
                    if let answer = try await attempt(key, request, by: caller, right, place, life, work) {
                        return answer
                    }
                } catch {
                    guard error.isOfReplacedObject, let wait = waits.popFirst() else { throw error }
                    try? await pool.loop.sleep(for: wait)
                    continue
                }
            }
            guard pool.loop.now < giveUp else {
                throw Problem(.unavailable, "A request with this Idempotency-Key is still running.")
            }
            try? await pool.loop.sleep(for: Self.pause)
        }
    }

    /// Tries once; nil if another server is carrying out the same request.
    private func attempt(
        _ key: IdempotencyKey, _ request: HTTPRequest, by caller: Caller, _ right: String?, _ place: String,
        _ life: Int,
        _ work: (PostgresTransaction) async throws(Problem) -> HTTPResponse
    ) async throws(Problem) -> HTTPResponse? {
        let result: Result<HTTPResponse?, Problem>
        do throws(PostgresError) {
            result = try await pool.transaction(client: caller.tenantID) { transaction async throws(PostgresError) in
                let claim = try await transaction.query(
                    Self.claim.statement,
                    ProcedureCall.context(of: caller, in: request.id) + [
                        .text(key.text), .bytea(key.fingerprint), right.map { .text($0) } ?? .null,
                        .instant(request.receivedAt),
                    ])
                switch claimed(claim.bytes(0, 0), place, refusesOthers: key.refusesOthers) {
                case .failure(let problem): return .failure(problem)
                case .success(.busy): return .success(nil)
                case .success(.done(let answer)): return .success(answer)
                case .success(.new): break
                }
                let answer: HTTPResponse
                let refusal: Problem?
                do throws(Problem) {
                    answer = try await work(transaction)
                    refusal = nil
                } catch {
                    guard error.isCommitted, !error.code.entry.retryable else { return .failure(error) }
                    answer = error.response(requestID: request.id)
                    refusal = error
                }
                guard let kept = KeptAnswer(answer), let sealed = try? masterKey.seal(kept.bytes, for: place) else {
                    return .failure(Problem(fault: "an answer could not be sealed"))
                }
                _ = try await transaction.query(
                    Self.keep.statement,
                    ProcedureCall.context(of: caller, in: request.id) + [
                        .text(key.text), .bytea(key.fingerprint), .bytea(sealed),
                        .array(kept.subjects(of: request)), .int(life), .instant(request.receivedAt),
                    ])
                return refusal.map { .failure($0) } ?? .success(answer)
            }
        } catch {
            throw Problem(error)
        }
        return try result.get()
    }

    private enum Claim {
        case new, busy
        case done(HTTPResponse)
    }

    /// Reads the result of `api.claim_key`.
    private func claimed(_ json: [UInt8]?, _ place: String, refusesOthers: Bool) -> Result<Claim, Problem> {
        guard let facts = try? json.map({ try JSONDocument($0).root }), let state = facts["state"]?.string else {
            return .failure(Problem(fault: "api.claim_key gave no state"))
        }
        switch state {
        case "new": return .success(.new)
        case "busy": return .success(.busy)
        case "hidden":
            return .failure(
                Problem(
                    .notFound,
                    "This request has been carried out. What it answered is gone, or you may no longer see it."))
        // The alarm of the kept answer may be over, and the new body may say what nobody knows yet. A call for help
        // that is carried out once more adds nothing if it was only a second tap, so it is never the wrong choice. Its
        // answer replaces the kept one.
        case "mismatch" where !refusesOthers: return .success(.new)
        case "mismatch": return .failure(Problem(.idempotencyMismatch))
        default: break
        }
        guard let sealed = facts["answer"]?.string.flatMap({ Data(base64Encoded: $0) }),
            let bytes = try? masterKey.open(Array(sealed), for: place), let answer = KeptAnswer(repeating: bytes)
        else {
            // Another master key sealed the answer. The request has taken effect, so it must not run again.
            return .failure(
                Problem(.unavailable, "The server's master key does not open the answer kept for this Idempotency-Key.")
            )
        }
        return .success(.done(answer.response))
    }
}
