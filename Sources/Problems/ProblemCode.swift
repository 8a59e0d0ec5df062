package import HTTP
internal import Texts

/// The stable code of a problem document. Programs decide by it.
///
/// The table below alone defines each code's status, and whether a retry can help. Its title and default text are in
/// the catalogue of texts. The database refuses with a code, and adds a text only for special cases.
package struct ProblemCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    /// Creates the code with that text, whether or not the table has it.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let invalidRequest = ProblemCode(rawValue: "invalid_request")
    package static let unauthenticated = ProblemCode(rawValue: "unauthenticated")
    package static let forbidden = ProblemCode(rawValue: "forbidden")
    package static let notFound = ProblemCode(rawValue: "not_found")
    package static let methodNotAllowed = ProblemCode(rawValue: "method_not_allowed")
    package static let notAcceptable = ProblemCode(rawValue: "not_acceptable")
    package static let invalidTransition = ProblemCode(rawValue: "invalid_transition")
    package static let conflict = ProblemCode(rawValue: "conflict")
    package static let profileRequired = ProblemCode(rawValue: "profile_required")
    package static let preconditionFailed = ProblemCode(rawValue: "precondition_failed")
    package static let payloadTooLarge = ProblemCode(rawValue: "payload_too_large")
    package static let uriTooLong = ProblemCode(rawValue: "uri_too_long")
    package static let unsupportedMediaType = ProblemCode(rawValue: "unsupported_media_type")
    package static let rangeNotSatisfiable = ProblemCode(rawValue: "range_not_satisfiable")
    package static let expectationFailed = ProblemCode(rawValue: "expectation_failed")
    package static let notImplemented = ProblemCode(rawValue: "not_implemented")
    static let versionNotSupported = ProblemCode(rawValue: "version_not_supported")
    package static let validationFailed = ProblemCode(rawValue: "validation_failed")
    package static let idempotencyMismatch = ProblemCode(rawValue: "idempotency_mismatch")
    package static let tooManyRequests = ProblemCode(rawValue: "too_many_requests")
    package static let headersTooLarge = ProblemCode(rawValue: "headers_too_large")
    package static let `internal` = ProblemCode(rawValue: "internal")
    package static let unavailable = ProblemCode(rawValue: "unavailable")
    package static let quotaExceeded = ProblemCode(rawValue: "quota_exceeded")
    package static let otpInvalid = ProblemCode(rawValue: "otp_invalid")
    package static let tenantSuspended = ProblemCode(rawValue: "tenant_suspended")
    package static let invalidCode = ProblemCode(rawValue: "invalid_code")
    package static let expiredCode = ProblemCode(rawValue: "expired_code")
    package static let selfConnection = ProblemCode(rawValue: "self_connection")
    package static let connectionExists = ProblemCode(rawValue: "connection_exists")
    package static let subscriptionInactive = ProblemCode(rawValue: "subscription_inactive")
    package static let alarmTaken = ProblemCode(rawValue: "alarm_taken")
    package static let vaultLocked = ProblemCode(rawValue: "vault_locked")
    package static let nomineePending = ProblemCode(rawValue: "nominee_pending")
    package static let nomineeInactive = ProblemCode(rawValue: "nominee_inactive")
    package static let nomineeRevoked = ProblemCode(rawValue: "nominee_revoked")
    package static let invitationInvalid = ProblemCode(rawValue: "invitation_invalid")
    package static let invitationExpired = ProblemCode(rawValue: "invitation_expired")
    package static let invitationUsed = ProblemCode(rawValue: "invitation_used")

    /// The table's data for a code.
    package struct Entry: Sendable {
        package let status: HTTPStatus
        /// The English title.
        package let title: String
        /// The English default text.
        package let detail: String
        package let retryable: Bool

        fileprivate init(_ code: ProblemCode, _ status: HTTPStatus) {
            self.status = status
            title = Texts.english(code.titleKey)
            detail = Texts.english(code.detailKey)
            retryable = ProblemCode.retryable.contains(code)
        }
    }

    /// The key of the title in the catalogue of texts.
    var titleKey: String { "problem.\(known.rawValue).title" }

    /// The key of the default text in the catalogue of texts.
    var detailKey: String { "problem.\(known.rawValue).detail" }

    /// This code, or `internal` for one that is not in the table.
    private var known: ProblemCode { Self.statuses[self] == nil ? .internal : self }

    /// The entry of this code. A code that is not in the table is a fault of the server.
    package var entry: Entry { Self.table[self] ?? Self.fault }

    /// The problem document's `type`.
    package var type: String { "urn:kith:problem:\(rawValue)" }

    /// Whether responses with this code always have `Retry-After`.
    package var saysWhenToRetry: Bool { self == .tooManyRequests || self == .unavailable }

    /// All codes that the server can answer, ordered by status.
    package static var all: [ProblemCode] {
        table.keys.sorted {
            ($0.entry.status.rawValue, $0.rawValue) < ($1.entry.status.rawValue, $1.rawValue)
        }
    }

    private static let fault = Entry(.internal, .internalServerError)

    private static let table = statuses.reduce(into: [ProblemCode: Entry]()) { $0[$1.key] = Entry($1.key, $1.value) }

    private static let retryable: Set<ProblemCode> = [.internal, .tooManyRequests, .unavailable]

    private static let statuses: [ProblemCode: HTTPStatus] = [
        .invalidRequest: .badRequest,
        .alarmTaken: .conflict,
        .unauthenticated: .unauthorized,
        .otpInvalid: .unauthorized,
        .subscriptionInactive: .paymentRequired,
        .forbidden: .forbidden,
        .tenantSuspended: .forbidden,
        .notFound: .notFound,
        .invalidCode: .notFound,
        .methodNotAllowed: .methodNotAllowed,
        .notAcceptable: .notAcceptable,
        .invalidTransition: .conflict,
        .conflict: .conflict,
        .profileRequired: .conflict,
        .connectionExists: .conflict,
        .expiredCode: .gone,
        .invitationUsed: .conflict,
        .invitationInvalid: .notFound,
        .invitationExpired: .gone,
        .nomineePending: .forbidden,
        .nomineeInactive: .forbidden,
        .nomineeRevoked: .forbidden,
        .preconditionFailed: .preconditionFailed,
        .rangeNotSatisfiable: .rangeNotSatisfiable,
        .vaultLocked: .locked,
        .payloadTooLarge: .contentTooLarge,
        .uriTooLong: .uriTooLong,
        .unsupportedMediaType: .unsupportedMediaType,
        .expectationFailed: .expectationFailed,
        .notImplemented: .notImplemented,
        .versionNotSupported: .httpVersionNotSupported,
        .validationFailed: .unprocessableContent,
        .selfConnection: .unprocessableContent,
        .idempotencyMismatch: .unprocessableContent,
        .tooManyRequests: .tooManyRequests,
        .headersTooLarge: .headerFieldsTooLarge,
        .internal: .internalServerError,
        .unavailable: .serviceUnavailable,
        .quotaExceeded: .insufficientStorage,
    ]
}
