internal import Crypto
internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Signing in by one-time code.
    static let signIn: [Endpoint] = [
        Endpoint(
            operationID: "requestOneTimeCode", method: .post, path: "/v1/auth/otp", caller: .tenant,
            work: .handler(SignInHandlers.requestCode),
            summary: "Request a one-time code",
            details:
                """
                Kith sends the code by SMS or e-mail. The answer is the same whether or not the address belongs to \
                an account.
                """,
            area: "Sign-in", bound: Bound.oneTimeCodes,
            body: .object([
                phone, email,
                .init(
                    "refresh_token", .string(.line, length: 1...200),
                    """
                    The newest refresh token of this device's last sign-in to the same account, if it has one. Other \
                    people's requests then do not count towards its limits. The code can only be used with its \
                    challenge_id.
                    """,
                    example: .leftOut),
            ]),
            answer: .component(.oneTimeCodeChallenge), success: .accepted, problems: [.notFound],
            worksWhileSuspended: true, triesOneTimeCodes: true),
        Endpoint(
            operationID: "signIn", method: .post, path: "/v1/auth/otp/verify", caller: .tenant,
            work: .handler(SignInHandlers.signIn),
            summary: "Sign in with a one-time code", area: "Sign-in", bound: Bound.oneTimeCodes,
            body: .object([
                phone, email, code,
                .init(
                    "challenge_id", .string(.uuid),
                    """
                    The challenge_id that the request for the code answered. With it, the attempt is for that code \
                    alone. Without it, it is for the address's two newest codes. A code has five attempts, and an \
                    address ten per hour.
                    """,
                    example: .leftOut),
            ]),
            answer: .component(.signIn), answerHoldsSecret: true, problems: [.otpInvalid, .notFound, .quotaExceeded],
            worksWhileSuspended: true, triesOneTimeCodes: true),
        Endpoint(
            operationID: "refreshTokens", method: .post, path: "/v1/auth/refresh", caller: .open,
            work: .handler(SignInHandlers.refresh),
            summary: "Exchange a refresh token for new tokens",
            details: "The answer has a new refresh token and a new access token.", area: "Sign-in",
            bound: "5,000 times per user per UTC day.",
            body: .object([.init("refresh_token", .string(.line, length: 1...200), required: true)]),
            answer: .component(.signIn), answerHoldsSecret: true, problems: [.unauthenticated],
            worksWhileSuspended: true),
        Endpoint(
            operationID: "signOut", method: .post, path: "/v1/auth/sign-out", caller: .user,
            work: .handler(SignInHandlers.signOut),
            summary: "Sign out",
            details:
                """
                Ends the sign-in of the access token, or with everywhere every sign-in, and deletes the devices, so \
                that no phone shows pushes any more. A token that the tenant's server or identity provider issued \
                belongs to no sign-in; it ends only with everywhere.
                """,
            area: "Sign-in", bound: Bound.ending, body: .object([.init("everywhere", .boolean)]), success: .noContent,
            repeatRight: .sight, endedSignIns: .asked, worksWhileSuspended: true),
    ]

    /// A contact and the code that was sent to it.
    static let contactAndCode = JSONSchema.object([phone, email, code])

    private static let code = JSONSchema.Property("code", .string(.code), required: true)

    private static let phone = JSONSchema.Property(
        "phone", .string(.writtenPhone), "Required unless email is given. \(JSONSchema.phoneSummary)")
    private static let email = JSONSchema.Property(
        "email", .string(.email, length: 3...254), "Required unless phone is given.", example: .leftOut)
}
