package import HTTP

/// The stable code of a problem document. Programs decide by it.
///
/// The table below alone defines each code's status, title, default text, and whether a retry can help. The database refuses with a code,
/// and adds a text only for special cases.
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
        package let title: String
        package let detail: String
        package var retryable = false
    }

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

    private static let fault = Entry(
        status: .internalServerError, title: "Internal Error",
        detail: "Something went wrong on our side. It has been recorded under this request's id.", retryable: true)

    private static let table: [ProblemCode: Entry] = [
        .invalidRequest: Entry(
            status: .badRequest, title: "Invalid Request", detail: "The request could not be read."),
        .unauthenticated: Entry(
            status: .unauthorized, title: "Not Signed In", detail: "Sign in to do this, or renew the access token."),
        .otpInvalid: Entry(
            status: .unauthorized, title: "Wrong Code",
            detail: "This code is wrong or has expired. Please check it, or ask for a new one."),
        .subscriptionInactive: Entry(
            status: .paymentRequired, title: "Subscription Inactive",
            detail: "This receiver can't accept new connections right now."),
        .forbidden: Entry(status: .forbidden, title: "Forbidden", detail: "You may not do this."),
        .tenantSuspended: Entry(
            status: .forbidden, title: "Suspended", detail: "This service is suspended. Please contact its operator."),
        .notFound: Entry(status: .notFound, title: "Not Found", detail: "There is nothing here."),
        .invalidCode: Entry(
            status: .notFound, title: "Invalid Code", detail: "Invalid code. Please check and try again."),
        .methodNotAllowed: Entry(
            status: .methodNotAllowed, title: "Method Not Allowed",
            detail: "This path does not take that method; see the Allow header."),
        .notAcceptable: Entry(
            status: .notAcceptable, title: "Not Acceptable",
            detail: "This call does not answer in a format that the Accept header allows."),
        .invalidTransition: Entry(
            status: .conflict, title: "Not Possible Now", detail: "This is not possible in the present state."),
        .conflict: Entry(status: .conflict, title: "Conflict", detail: "This conflicts with what already exists."),
        .profileRequired: Entry(
            status: .conflict, title: "Profile Required", detail: "Set up your profile for this role first."),
        .connectionExists: Entry(
            status: .conflict, title: "Already Connected", detail: "You're already connected to this user."),
        .expiredCode: Entry(
            status: .gone, title: "Expired Code",
            detail: "This invitation code has expired. Please ask for a new code."),
        .invitationUsed: Entry(
            status: .conflict, title: "Invitation Used",
            detail: "This invitation has been answered already. Please ask for a new one."),
        .invitationInvalid: Entry(
            status: .notFound, title: "Invalid Invitation",
            detail: "There is no such invitation. Please ask for a new one."),
        .invitationExpired: Entry(
            status: .gone, title: "Expired Invitation",
            detail: "This invitation has expired. Please ask for a new one."),
        .nomineePending: Entry(
            status: .forbidden, title: "Access Not Confirmed",
            detail: "The vault's owner has not confirmed your access yet."),
        .nomineeInactive: Entry(
            status: .forbidden, title: "Access Paused", detail: "Your access to this vault is paused."),
        .nomineeRevoked: Entry(
            status: .forbidden, title: "Access Ended", detail: "You no longer have access to this vault."),
        .preconditionFailed: Entry(
            status: .preconditionFailed, title: "Precondition Failed",
            detail: "This has changed since you read it. Read it again first."),
        .rangeNotSatisfiable: Entry(
            status: .rangeNotSatisfiable, title: "Range Not Satisfiable",
            detail: "The requested range is outside the content."),
        .vaultLocked: Entry(
            status: .locked, title: "Vault Locked",
            detail: "This vault is locked. You can enter while its owner has it open."),
        .payloadTooLarge: Entry(
            status: .contentTooLarge, title: "Payload Too Large", detail: "The body is larger than this call takes."),
        .uriTooLong: Entry(status: .uriTooLong, title: "URI Too Long", detail: "The address is too long."),
        .unsupportedMediaType: Entry(
            status: .unsupportedMediaType, title: "Unsupported Media Type",
            detail: "The body is in a format that this call does not take."),
        .expectationFailed: Entry(
            status: .expectationFailed, title: "Expectation Failed",
            detail: "The only supported expectation is 100-continue."),
        .notImplemented: Entry(
            status: .notImplemented, title: "Not Implemented", detail: "The server does not support this."),
        .versionNotSupported: Entry(
            status: .httpVersionNotSupported, title: "HTTP Version Not Supported",
            detail: "Send the request in HTTP/1.1."),
        .validationFailed: Entry(
            status: .unprocessableContent, title: "Validation Failed",
            detail: "Some fields are not valid; see errors."),
        .selfConnection: Entry(
            status: .unprocessableContent, title: "Own Code", detail: "You cannot connect to your own code."),
        .idempotencyMismatch: Entry(
            status: .unprocessableContent, title: "Idempotency Key Used",
            detail: "This Idempotency-Key was used for another request. Use a new key for a new request."),
        .tooManyRequests: Entry(
            status: .tooManyRequests, title: "Too Many Requests",
            detail: "Too many attempts. Please wait and try again.", retryable: true),
        .headersTooLarge: Entry(
            status: .headerFieldsTooLarge, title: "Headers Too Large",
            detail: "The request's headers are too large."),
        .internal: fault,
        .unavailable: Entry(
            status: .serviceUnavailable, title: "Unavailable",
            detail: "The service cannot answer right now. Please try again in a moment.", retryable: true),
        .quotaExceeded: Entry(
            status: .insufficientStorage, title: "Quota Exceeded", detail: "The quota for this is used up."),
    ]
}
