internal import HTTP

extension Endpoint {
    /// The signed-in user's account, profiles and codes.
    static let me: [Endpoint] = [
        Endpoint(
            operationID: "getMe", method: .get, path: "/v1/me", caller: .user, work: .procedure(.read("api.get_me")),
            summary: "Get my profile", area: "Me", answer: .component(.user)),
        Endpoint(
            operationID: "updateMe", method: .patch, path: "/v1/me", caller: .user, work: .handler(.changeMe),
            summary: "Update my profile",
            details: "A new phone number or e-mail address takes effect once the code sent to it is verified.",
            area: "Me",
            body: userChanges, answer: .component(.user)),
        Endpoint(
            operationID: "verifyContact", method: .post, path: "/v1/me/contacts/verify", caller: .user,
            work: .handler(.verifyContact),
            summary: "Verify a new phone number or e-mail address",
            details: "The body has the code that was sent to it.", area: "Me",
            body: contactAndCode, answer: .component(.user), problems: [.otpInvalid, .conflict]),
        Endpoint(
            operationID: "deleteMe", method: .delete, path: "/v1/me", caller: .user,
            work: .procedure(.write("api.delete_me", vaultsOfEndedAccount, .now)),
            summary: "Delete my account", details: "This cannot be undone.", area: "Me", success: .noContent,
            endedSignIns: .all,
            problems: [.conflict]),
        Endpoint(
            operationID: "exportMe", method: .get, path: "/v1/me/export", caller: .user, work: .handler(.export),
            summary: "Export all my data", details: "The answer is a file with everything about me.", area: "Me",
            answer: .component(.export)),
        Endpoint(
            operationID: "getSenderProfile", method: .get, path: "/v1/me/sender-profile", caller: .user,
            work: .procedure(.read("api.get_sender_profile")),
            summary: "Get my sender profile", area: "Me", answer: .component(.senderProfile),
            problems: [.notFound]),
        Endpoint(
            operationID: "setSenderProfile", method: .put, path: "/v1/me/sender-profile", caller: .user,
            work: .procedure(.write("api.put_sender_profile", .body, .now)),
            summary: "Create or update my sender profile", details: "The profile sets the time of my daily check-in.",
            area: "Me",
            body: .object([
                .init("ping_time", .string(.timeOfDay), required: true),
                .init("time_zone", .string(.line, length: 1...64), required: true),
                .init("grace_minutes", .integer(5...719)),
                .init("reminder_minutes", .integer(1...718)),
            ]),
            answer: .component(.senderProfile)),
        Endpoint(
            operationID: "getReceiverProfile", method: .get, path: "/v1/me/receiver-profile", caller: .user,
            work: .procedure(.read("api.get_receiver_profile", .now)),
            summary: "Get my receiver profile", area: "Me", answer: .component(.receiverProfile),
            problems: [.notFound]),
        Endpoint(
            operationID: "createReceiverProfile", method: .put, path: "/v1/me/receiver-profile", caller: .user,
            work: .procedure(.write("api.put_receiver_profile", .body, .now)),
            summary: "Create my receiver profile",
            details: "A receiver learns whether connected senders have checked in. Repeating the call changes nothing.",
            area: "Me", body: .object([]),
            answer: .component(.receiverProfile)),
        Endpoint(
            operationID: "listCodes", method: .get, path: "/v1/me/codes", caller: .user,
            work: .procedure(.read("api.list_codes", .now)),
            summary: "List my valid codes", area: "Me", answer: .list(of: .code)),
        Endpoint(
            operationID: "createCode", method: .post, path: "/v1/me/codes", caller: .user,
            work: .procedure(.write("api.create_code", .body, .now)),
            summary: "Create a code", details: "With rotate, the call replaces the permanent code instead.", area: "Me",
            body: .object([
                .init("role", .component(.role), required: true),
                .init(
                    "expires_in_seconds", .integer(60...7_776_000),
                    "The default is the tenant's invitation_days."),
                .init("rotate", .boolean),
            ]),
            answer: .component(.code), success: .created, problems: [.profileRequired]),
    ]

    /// Decides about vaults that others have access to when their owner's account ends.
    static let vaultsOfEndedAccount = Argument.query(
        "vaults", .oneOf(["delete"]),
        "Also deletes vaults that others have access to. Without it, such vaults are named in a conflict, and nothing is done."
    )
}
