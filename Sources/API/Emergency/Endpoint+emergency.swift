internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// Emergency access: who may enter a vault when its owner falls silent, and after what wait (E01 to E10).
    static let emergency: [Endpoint] = [
        Endpoint(
            operationID: "getEmergencySettings", method: .get, path: "/v1/vaults/{id}/nominees/{n}/emergency",
            caller: .user,
            work: .procedure(.read("api.get_emergency_settings", .path("id", .uuid), .path("n", .uuid), .now)),
            summary: "Get a nominee's emergency access",
            details:
                """
                The nominee sees their own, without the members that are for the owner only, and only if the owner \
                made it visible. Without emergency access the answer is 404.
                """,
            area: area, answer: .component(.emergencySettings), problems: nominee),
        Endpoint(
            operationID: "setEmergencySettings", method: .put, path: "/v1/vaults/{id}/nominees/{n}/emergency",
            caller: .user,
            work: .procedure(.write("api.set_emergency_settings", .path("id", .uuid), .path("n", .uuid), .body, .now)),
            summary: "Give or change a nominee's emergency access",
            details:
                """
                For the vault's owner. Whoever has accepted is confirmed by it. Somebody who accepts later gets it \
                once you confirm them, or at once if they have verified a phone number or an e-mail address that you \
                named in the invitation. Somebody whom you block gets none. A wait that has begun keeps its terms. A \
                right that three rejections ended is given anew.
                """,
            area: area, bound: Bound.emergencySettings, body: .component(.newEmergencySettings),
            answer: .component(.emergencySettings), problems: nominee + [.invalidTransition, .conflict]),
        Endpoint(
            operationID: "removeEmergencySettings", method: .delete, path: "/v1/vaults/{id}/nominees/{n}/emergency",
            caller: .user,
            work: .procedure(.write("api.remove_emergency_settings", .path("id", .uuid), .path("n", .uuid), .now)),
            summary: "Take a nominee's emergency access away",
            details: "For the vault's owner. An open request and a grant end at once, with every download under way.",
            area: area, bound: Bound.ending, success: .noContent, problems: nominee),
        Endpoint(
            operationID: "getEmergencyQuorum", method: .get, path: "/v1/vaults/{id}/emergency/quorum", caller: .user,
            work: .procedure(.read("api.get_emergency_quorum", .path("id", .uuid), .now)),
            summary: "Get a vault's quorum",
            details: "For the vault's owner. Without a quorum each nominee asks alone, and the answer is 404.",
            area: area, answer: .component(.emergencyQuorum), problems: nominee),
        Endpoint(
            operationID: "setEmergencyQuorum", method: .put, path: "/v1/vaults/{id}/emergency/quorum", caller: .user,
            work: .procedure(.write("api.set_emergency_quorum", .path("id", .uuid), .body, .now)),
            summary: "Set a vault's quorum",
            details:
                """
                For the vault's owner. The wait of a nominee in the list begins only when that many of the list have \
                asked. A wait that has begun keeps its terms.
                """,
            area: area, bound: Bound.emergencySettings, body: .object(emergencyQuorum),
            answer: .component(.emergencyQuorum), problems: nominee),
        Endpoint(
            operationID: "removeEmergencyQuorum", method: .delete, path: "/v1/vaults/{id}/emergency/quorum",
            caller: .user,
            work: .procedure(.write("api.remove_emergency_quorum", .path("id", .uuid), .now)),
            summary: "Remove a vault's quorum", details: "For the vault's owner. From then on each nominee asks alone.",
            area: area, bound: Bound.ending, success: .noContent, problems: nominee),
        Endpoint(
            operationID: "requestEmergencyAccess", method: .post, path: "/v1/vaults/{id}/emergency/requests",
            caller: .user,
            work: .procedure(.write("api.request_emergency_access", .path("id", .uuid), .member("reason"), .now)),
            summary: "Ask for emergency access to a vault",
            details:
                """
                For a nominee whom the owner lets ask. The owner is told at once, on every channel, and can say no \
                until the wait is over and after it. While a request is open that the nominee may know of, asking \
                again answers 409. After a rejection, asking again takes 24 hours. A request whose quorum is not \
                reached within 30 days ends.
                """,
            area: area,
            bound: "20 requests per user per UTC day; per nominee one open request by asking, and three in 24 hours.",
            body: .object([
                .init(
                    "reason", .nullable(.string(.text, length: 1...500)), "For the owner.",
                    example: "Alice has been taken ill.")
            ]),
            answer: .component(.emergencyRequest), success: .created, repeatRight: .vault(.member),
            problems: nominee + [.invalidTransition]),
        Endpoint(
            operationID: "listEmergencyRequests", method: .get, path: "/v1/vaults/{id}/emergency/requests",
            caller: .user,
            work: .procedure(
                .read(
                    "api.list_emergency_requests", .path("id", .uuid),
                    .query("status", .component(.emergencyStatus), "Only requests with this status at present."),
                    .limit, .cursor(.uuid), .now)),
            summary: "List a vault's requests for emergency access, newest first",
            details: "The owner sees all of them, a nominee their own.", area: area,
            answer: .list(of: .emergencyRequest), problems: nominee),
        Endpoint(
            operationID: "getEmergencyRequest", method: .get, path: "/v1/vaults/{id}/emergency/requests/{r}",
            caller: .user,
            work: .procedure(.read("api.get_emergency_request", .path("id", .uuid), .path("r", .uuid), .now)),
            summary: "Get a request for emergency access", area: area, answer: .component(.emergencyRequest),
            problems: nominee),
        act(
            "approveEmergencyRequest", "approve", "api.approve_emergency_request",
            "Approve a request for emergency access",
            "For the vault's owner. The grant begins at once.", bound: Bound.emergencyActs, right: .owner),
        act(
            "rejectEmergencyRequest", "reject", "api.reject_emergency_request",
            "Reject a request for emergency access",
            """
            For the vault's owner, at any time. A grant that has begun ends at once, with every download under way, \
            and so does the nominee's other open request, if my silence has begun one besides. Three rejections \
            within 30 days end the nominee's emergency access.
            """,
            bound: Bound.ending, right: .owner, worksWhileSuspended: true),
        act(
            "withdrawEmergencyRequest", "withdraw", "api.withdraw_emergency_request",
            "Withdraw a request for emergency access",
            """
            For the nominee whose request it is. A wait that the owner's silence has begun goes on. A quorum that is \
            no longer reached stops the waits of the others.
            """,
            bound: Bound.ending, right: .member),
        Endpoint(
            operationID: "enterVaultInEmergency", method: .post, path: "/v1/vaults/{id}/emergency/enter",
            caller: .user, work: .procedure(.write("api.enter_emergency", .path("id", .uuid), .now)),
            summary: "Enter a vault by emergency access",
            details:
                """
                For a nominee with a grant. Opens a session of the nominee's own, or returns the one that is open. \
                It ends when the grant ends. Before the grant the answer is vault_locked, with grants_at.
                """,
            area: area, bound: Bound.emergencyActs, answer: .component(.vaultSession),
            repeatRight: .vault(.view), problems: nominee + [.vaultLocked]),
        Endpoint(
            operationID: "getOwnEmergencies", method: .get, path: "/v1/me/emergency", caller: .user,
            work: .procedure(.read("api.my_emergency", .now)),
            summary: "Get all emergency access that concerns me",
            details: "In both roles: what I have given, what I may ask for, what waits, and what is granted.",
            area: area, answer: .component(.ownEmergencies)),
        Endpoint(
            operationID: "rehearseEmergency", method: .get, path: "/v1/me/emergency/rehearsal", caller: .user,
            work: .procedure(
                .write(
                    "api.rehearse_emergency",
                    .query(
                        "from", .text(.instant), "When I fall silent: from now to 90 days ahead. The default is now."),
                    .query(
                        "until", .text(.instant),
                        "Up to when to list: at most 120 days after from, which is the default."),
                    .query(
                        "limit", .integer(1...1000),
                        "The largest number of steps in the answer. The default is 100."),
                    .now)),
            summary: "Rehearse what happens if I fall silent",
            details:
                """
                Lists every instant that follows, by the rules that decide, for as long as nobody acts: the missed \
                days, the warnings, the waits, the reminders, and the grants with their ends. With more steps than \
                limit, the first wait for each nominee goes before everything else, and until says up to when no \
                step is left out. Nothing changes, and nobody is told.
                """,
            area: area, bound: "100 rehearsals per user per UTC day.", answer: .component(.emergencyRehearsal)),
    ]

    private static let area = "Emergency access"

    /// The members of a nominee's emergency access that its owner sets.
    static let emergencySettings: [JSONSchema.Property] = [
        .init(
            "wait_hours", .integer(1...2160), required: true,
            "How long I can say no after the wait has begun: 1 hour to 90 days.", example: 168),
        .init(
            "access_level", .component(.emergencyAccessLevel), required: true,
            "What the nominee may do inside. It may exceed their usual level."),
        .init(
            "grant_hours", .integer(1...720),
            "How long the nominee can stay: 1 hour to 30 days. The default is 72 hours.", example: 72),
        .init(
            "on_request", .boolean, required: true,
            "Whether the nominee can ask. If not, after_missed_days is required.", example: true),
        .init(
            "after_missed_days", .nullable(.integer(2...30)),
            "After how many missed days in a row the wait begins by itself. The default is never.", example: 5),
        .init(
            "reject_on_check_in", .boolean,
            "Whether my sign of life ends requests and grants without a further question. The default is true.",
            example: true),
        .init("sign_of_life", .component(.signOfLife), "The default is check_in."),
        .init(
            "sources", .array(of: .component(.checkInSource), count: 1...6),
            "The sources of check-ins that end requests and grants. The default is all but sign."),
        .init("visible", .boolean, "Whether the nominee sees the right and its wait. The default is false."),
    ]

    /// The members of a quorum that its owner sets.
    static let emergencyQuorum: [JSONSchema.Property] = [
        .init("required", .integer(2...20), required: true, "How many of them must ask."),
        .init(
            "nominees", .array(of: .string(.uuid), count: 2...20), required: true, "The nominees' ids.",
            example: .json(#"["019aa5c2-6a40-7d3b-9c11-3f0e8b7a52d4","019aa5c2-7b51-7e4c-8d22-4a1f9c8b63e5"]"#)),
    ]

    /// A decision about a request.
    private static func act(
        _ operationID: String, _ verb: String, _ procedure: String, _ summary: String, _ details: String, bound: String,
        right: RepeatRight.Vault, worksWhileSuspended: Bool = false
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: .post, path: "/v1/vaults/{id}/emergency/requests/{r}/\(verb)",
            caller: .user,
            work: .procedure(.write(procedure, .path("id", .uuid), .path("r", .uuid), .now)), summary: summary,
            details: details, area: area, bound: bound, answer: .component(.emergencyRequest),
            repeatRight: .vault(right), problems: nominee + [.invalidTransition],
            worksWhileSuspended: worksWhileSuspended)
    }
}
