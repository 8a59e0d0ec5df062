internal import Identity
internal import JSON

extension JSONComponent {
    static let accessToken = JSONComponent(
        name: "AccessToken",
        schema: .object([
            .init("access_token", .string(.line, length: 1...4096), required: true),
            .init("token_type", .oneOf(["Bearer"]), required: true),
            .init(
                "expires_in", .integer(1...86400), required: true, "Lifetime in seconds: ttl_seconds, or 3,600.",
                example: 3600),
        ]))

    static let signInLink = JSONComponent(
        name: "SignInLink",
        schema: .object([
            .init(
                "url", .string(.line, length: 1...4096), required: true,
                "Redirect the person's browser there. It signs in once, and shows first whom."),
            .init(
                "expires_in", .integer(1...3600), required: true, "For how many seconds the link can be opened.",
                example: .number(SignInLink.life)),
        ]))

    static let signIn = JSONComponent(
        name: "SignIn",
        schema: .object([
            .init("access_token", .string(.line, length: 1...4096), required: true),
            .init("refresh_token", .string(.line), required: true, "Valid for one use, and for 60 days."),
            .init("token_type", .oneOf(["Bearer"]), required: true),
            .init(
                "expires_in", .integer(1...86400), required: true, "Lifetime of the access token in seconds.",
                example: .number(Sessions.life)),
            .init("user", .component(.user), required: true),
        ]))

    static let oneTimeCodeChallenge = JSONComponent(
        name: "OneTimeCodeChallenge",
        schema: .object([.init("challenge_id", .string(.uuid), required: true, "Send it back with the code.")]))
}
