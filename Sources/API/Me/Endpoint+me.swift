internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The signed-in user's account, profiles and codes.
    static let me: [Endpoint] = [
        Endpoint(
            operationID: "getMe", method: .get, path: "/v1/me", caller: .user, work: .procedure(.read("api.get_me")),
            summary: "Get my profile", area: "Account", answer: .component(.user)),
        Endpoint(
            operationID: "updateMe", method: .patch, path: "/v1/me", caller: .user,
            work: .handler(SignInHandlers.updateMe),
            summary: "Update my profile",
            details: "A new phone number or e-mail address takes effect once the code sent to it is verified.",
            area: "Account",
            bound: Bound.broadcasts
                + """
                 Changing the name counts there; other changes count among 5,000. 10 codes per hour for new \
                contacts.
                """,
            body: userChanges, answer: .component(.user)),
        Endpoint(
            operationID: "verifyContact", method: .post, path: "/v1/me/contacts/verify", caller: .user,
            work: .handler(SignInHandlers.verifyContact),
            summary: "Verify a new phone number or e-mail address",
            details: "The body has the code that was sent to it.", area: "Account", bound: Bound.oneTimeCodes,
            body: contactAndCode, answer: .component(.user), repeatRight: .sight, problems: [.otpInvalid, .conflict]),
        Endpoint(
            operationID: "deleteMe", method: .delete, path: "/v1/me", caller: .user,
            work: .procedure(.write("api.delete_me", vaultsOfEndedAccount, .now)),
            summary: "Delete my account", details: "This cannot be undone.", area: "Account", bound: Bound.once,
            success: .noContent,
            endedSignIns: .all,
            problems: [.conflict]),
        Endpoint(
            operationID: "exportMe", method: .get, path: "/v1/me/export", caller: .user,
            work: .handler(UserExport.answer),
            summary: "Export all my data", details: "The answer is a file with everything about me.", area: "Account",
            answer: .component(.export)),
        Endpoint(
            operationID: "getSenderProfile", method: .get, path: "/v1/me/sender-profile", caller: .user,
            work: .procedure(.read("api.get_sender_profile")),
            summary: "Get my sender profile", area: "Profiles", answer: .component(.senderProfile),
            problems: [.notFound]),
        Endpoint(
            operationID: "setSenderProfile", method: .put, path: "/v1/me/sender-profile", caller: .user,
            work: .procedure(.write("api.put_sender_profile", .body, .now)),
            summary: "Create or update my sender profile",
            details:
                """
                The profile sets the time of my daily check-in. What the body leaves out stays as it is. Within 30 \
                days after I stopped being a sender, the call brings back my codes and connections.
                """,
            area: "Profiles", bound: "\(Bound.broadcasts) \(Bound.returns)",
            body: .object([
                .init("ping_time", .string(.timeOfDay), "Required for the first time."),
                .init(
                    "time_zone", .nullable(.string(.line, length: 1...64)),
                    """
                    An IANA time zone name. An older name such as US/Pacific is kept as its place. Null, and the \
                    default of a new profile: the account's time zone.
                    """
                ),
                .init(
                    "account_time_zone", .string(.line, length: 1...64),
                    "Sets the account's time zone as well, so that a refusal changes neither.", example: .leftOut),
                .init("grace_minutes", .nullable(.integer(5...719)), "Null restores the tenant's default."),
                .init(
                    "reminder_minutes", .nullable(.integer(1...718)),
                    "The last reminder, in minutes before the deadline. Null restores the tenant's default.",
                    example: .leftOut),
                .init(
                    "reminders", .nullable(.array(of: .component(.reminder), count: 1...4)),
                    """
                    My reminders before the deadline, with different minutes. They replace those that I have, and \
                    the last one sets reminder_minutes. Null leaves that one alone.
                    """
                ),
                .init(
                    "share_phone", .boolean,
                    "Whether receivers see my phone number beside a missed ping and in my alarms."),
            ]),
            answer: .component(.senderProfile), problems: [.quotaExceeded]),
        Endpoint(
            operationID: "deleteSenderProfile", method: .delete, path: "/v1/me/sender-profile", caller: .user,
            work: .procedure(.write("api.delete_sender_profile", .now)),
            summary: "Stop being a sender",
            details:
                """
                My connections as a sender are removed, the other sides are told, and my codes stop working. Setting \
                the profile within 30 days brings all of it back.
                """,
            area: "Profiles", bound: Bound.ending, success: .noContent, problems: [.notFound]),
        Endpoint(
            operationID: "getReceiverProfile", method: .get, path: "/v1/me/receiver-profile", caller: .user,
            work: .procedure(.read("api.get_receiver_profile", .now)),
            summary: "Get my receiver profile", area: "Profiles", answer: .component(.receiverProfile),
            problems: [.notFound]),
        Endpoint(
            operationID: "createReceiverProfile", method: .put, path: "/v1/me/receiver-profile", caller: .user,
            work: .procedure(.write("api.put_receiver_profile", .body, .now)),
            summary: "Create my receiver profile",
            details:
                """
                A receiver learns whether connected senders have checked in. Repeating the call changes nothing. \
                Within 30 days after I stopped being a receiver, the call brings back my codes and connections.
                """,
            area: "Profiles", bound: "One profile per user. \(Bound.returns)", body: .object([]),
            answer: .component(.receiverProfile), problems: [.quotaExceeded]),
        Endpoint(
            operationID: "deleteReceiverProfile", method: .delete, path: "/v1/me/receiver-profile", caller: .user,
            work: .procedure(.write("api.delete_receiver_profile", .now)),
            summary: "Stop being a receiver",
            details:
                """
                My connections as a receiver are removed, the other sides are told, and my codes stop working. \
                Creating the profile within 30 days brings all of it back.
                """,
            area: "Profiles", bound: Bound.ending, success: .noContent, problems: [.notFound]),
        Endpoint(
            operationID: "listCodes", method: .get, path: "/v1/me/codes", caller: .user,
            work: .procedure(.read("api.list_codes", .now)),
            summary: "List my valid codes", area: "Codes", answer: .list(of: .code)),
        Endpoint(
            operationID: "createCode", method: .post, path: "/v1/me/codes", caller: .user,
            work: .procedure(.write("api.create_code", .body, .now)),
            summary: "Create a code", details: "With rotate, the call replaces the permanent code instead.",
            area: "Codes",
            bound: "100 codes per user. Ended codes count for 90 days.",
            body: .object([
                .init("role", .component(.role), required: true),
                .init(
                    "expires_in_seconds", .integer(60...7_776_000),
                    "The default is the tenant's invitation_days."),
                .init("rotate", .boolean),
            ]),
            answer: .component(.code), success: .created, repeatRight: .profile(member: "role"),
            problems: [.profileRequired, .quotaExceeded]),
    ]

    /// Decides about vaults that others have access to when their owner's account ends.
    static let vaultsOfEndedAccount = Argument.query(
        "vaults", .oneOf(["delete"]),
        """
        Also deletes vaults that others have access to. Without it, such vaults are named in a conflict, and nothing \
        is done.
        """
    )
}
