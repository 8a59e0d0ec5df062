internal import JSON

/// Emergency access: the rights of nominees, quorums, requests and the rehearsal.
extension JSONComponent {
    static let emergencySettings = JSONComponent(
        name: "EmergencySettings", schema: .object(terms + forOwnerOnly(choices)))

    /// A right as its owner shows it to the nominee.
    static let emergencyTerms = JSONComponent(name: "EmergencyTerms", schema: .object(terms))

    /// The settings in the body of a request.
    static let newEmergencySettings = JSONComponent(
        name: "NewEmergencySettings", schema: .object(Endpoint.emergencySettings))

    static let emergencyQuorum = JSONComponent(
        name: "EmergencyQuorum",
        schema: .object(
            Endpoint.emergencyQuorum + [.init("updated_at", .string(.instant), required: true)]))

    static let emergencyRequest = JSONComponent(
        name: "EmergencyRequest",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("vault_id", .string(.uuid), required: true),
            .init("nominee_id", .string(.uuid), required: true),
            .init("vault", .component(.vaultName), required: true),
            .init("owner", .component(.personName), required: true, "The vault's owner."),
            .init("nominee", .component(.nomineeName), required: true),
            .init(
                "inside_since", .nullable(.string(.instant)), required: true,
                "Since when the nominee has been in the vault by this request. Null while they are not inside.",
                example: .null),
            .init("cause", .component(.emergencyCause), required: true, example: .text("request")),
            .init(
                "status", .component(.emergencyStatus), required: true, "Computed from the instants below.",
                example: .text("waiting")),
            .init(
                "reason", .nullable(.string(.text, length: 1...500)), required: true,
                "The nominee's words. Null if they gave none, or if nobody asked.",
                example: "Alice has been taken ill."),
            .init(
                "access_level", .component(.emergencyAccessLevel), required: true, "The level that the grant gives."),
            .init(
                "missed_days", .nullable(.integer(2...1000)), required: true,
                """
                How many days in a row the owner had missed when the wait began. Null if the nominee asked, and for \
                the nominee.
                """,
                example: .null),
            .init(
                "requested_at", .string(.instant), required: true,
                "When the nominee asked, or the owner had missed enough days."),
            .init(
                "grants_at", .nullable(.string(.instant)), required: true,
                """
                When the nominee can enter. Null while the quorum gathers. Delays move it, and never to an earlier \
                time.
                """
            ),
            .init(
                "ends_at", .nullable(.string(.instant)), required: true,
                "When the grant ends. Null while the quorum gathers."),
            .init(
                "asked", .array(of: .component(.nomineeName), count: 0...20), required: true,
                "The nominees of the quorum who have asked. A nominee sees only themselves."),
            .init(
                "required", .integer(1...20), required: true,
                "How many nominees must ask before the wait begins; 1 without a quorum."),
            .init(
                "held", .boolean, required: true,
                "Whether an operator holds the request. It is not granted meanwhile."),
            .init(
                "held_until", .nullable(.string(.instant)), required: true,
                "When the hold ends by itself. Null if it has no such end, or if nobody holds the request.",
                example: .null),
            .init(
                "delays", .array(of: .component(.emergencyDelay), count: 0...1000), required: true,
                "The times that did not count towards the wait, oldest first."),
            .init(
                "ended_at", .nullable(.string(.instant)), required: true,
                "Null for a nominee whose request was rejected: when the owner said no is the owner's affair.",
                example: .null),
        ]))

    /// A nominee with the name that the owner gave them.
    static let nomineeName = JSONComponent(
        name: "NomineeName",
        schema: .object([
            .init("id", .string(.uuid), required: true, "The nominee's id. It is not that of their account."),
            .init("display_name", .string(.line), required: true, "The name that the owner gave them."),
        ]))

    /// The steps that follow if an owner falls silent.
    static let emergencyRehearsal = JSONComponent(
        name: "EmergencyRehearsal",
        schema: .object([
            .init("from", .string(.instant), required: true, "When I fall silent.", example: "2026-11-21T09:00:00Z"),
            .init(
                "until", .string(.instant), required: true,
                "The steps are complete up to this instant. Waits that begin by then are told to their end.",
                example: "2027-03-21T09:00:00Z"),
            .init(
                "steps", .array(of: .component(.emergencyStep), count: 0...1000), required: true,
                "In order of time. Empty if I have given no emergency access."),
        ]))

    static let emergencyStep = JSONComponent(
        name: "EmergencyStep",
        schema: .object([
            .init("at", .string(.instant), required: true),
            .init("kind", .component(.emergencyStepKind), required: true, example: .text("grant")),
            .init("vault_id", .string(.uuid), "The vault of a wait or grant."),
            .init("nominee_id", .string(.uuid), "The nominee of a wait or grant."),
            .init("person", .component(.personName), "The receiver who is told, or the nominee's account."),
            .init(
                "text", .string(.line, length: 1...1000), required: true,
                "What the person reads who is told, or what happens.",
                example: """
                    Bob can enter Family papers now and can stay until 5 December 2026, 10:30. Say no to end it.
                    """),
        ]))

    static let emergencyDelay = JSONComponent(
        name: "EmergencyDelay",
        schema: .object([
            .init("cause", .component(.emergencyDelayCause), required: true),
            .init("began_at", .string(.instant), required: true),
            .init("ended_at", .string(.instant), required: true),
            .init("grants_at", .string(.instant), required: true, "The instant of the grant after this delay."),
        ]))

    /// All emergency access that concerns somebody.
    static let ownEmergencies = JSONComponent(
        name: "OwnEmergencies",
        schema: .object([
            .init("as_owner", .component(.ownerEmergencies), required: true, "About my vaults."),
            .init("as_nominee", .component(.nomineeEmergencies), required: true, "About vaults of others."),
        ]))

    private static let ownerEmergencies = JSONComponent(
        name: "OwnerEmergencies",
        schema: .object([
            .init(
                "rights", .array(of: .component(.givenEmergencyRight), count: 0...200), required: true,
                "What I have given."),
            requests,
        ]))

    private static let nomineeEmergencies = JSONComponent(
        name: "NomineeEmergencies",
        schema: .object([
            .init(
                "rights", .array(of: .component(.receivedEmergencyRight), count: 0...200), required: true,
                "The emergency access that owners have given the caller and show them."),
            requests,
        ]))

    private static let givenEmergencyRight = JSONComponent(
        name: "GivenEmergencyRight",
        schema: .object(
            [
                .init("nominee_id", .string(.uuid), required: true),
                .init("nominee", .component(.nomineeName), required: true),
                .init("vault", .component(.vaultName), required: true),
            ] + termsAndChoices))

    private static let receivedEmergencyRight = JSONComponent(
        name: "ReceivedEmergencyRight",
        schema: .object(
            [
                .init("nominee_id", .string(.uuid), required: true, "My id as a nominee of the vault."),
                .init("vault", .component(.vaultName), required: true),
                .init("owner", .component(.personName), required: true),
            ] + terms))

    private static let requests = JSONSchema.Property(
        "requests", .array(of: .component(.emergencyRequest), count: 0...200), required: true,
        "Newest first: those that are open, and those that ended within 30 days.")

    /// The members of a right that a nominee may see.
    private static let terms: [JSONSchema.Property] = [
        .init("wait_hours", .integer(1...2160), required: true, example: 168),
        .init("access_level", .component(.emergencyAccessLevel), required: true),
        .init("grant_hours", .integer(1...720), required: true, example: 72),
        .init("on_request", .boolean, required: true, "Whether the nominee can ask.", example: true),
        .init(
            "after_missed_days", .nullable(.integer(2...30)), required: true,
            "After how many missed days in a row the wait begins by itself. Null for never.", example: 5),
    ]

    private static let termsAndChoices = terms + choices

    /// The same members for an answer that a nominee may get too, without them.
    private static func forOwnerOnly(_ members: [JSONSchema.Property]) -> [JSONSchema.Property] {
        members.map { member in
            let space = member.summary.isEmpty ? "" : " "
            return JSONSchema.Property(
                member.name, member.schema, "\(member.summary)\(space)For the owner only.", example: member.example)
        }
    }

    /// The members of a right that its owner alone sees.
    private static let choices: [JSONSchema.Property] = [
        .init(
            "reject_on_check_in", .boolean, required: true,
            "Whether a sign of life of the owner ends requests and grants without a further question.", example: true),
        .init("sign_of_life", .component(.signOfLife), required: true),
        .init(
            "sources", .array(of: .component(.checkInSource), count: 1...6), required: true,
            """
            The sources of check-ins that end requests and grants. A check-in of another source only reminds the \
            owner.
            """
        ),
        .init("visible", .boolean, required: true, "Whether the nominee sees the right and its wait."),
        .init(
            "ended_at", .nullable(.string(.instant)), required: true,
            "When three rejections within 30 days ended the right. Setting it again gives it anew.", example: .null),
        .init("updated_at", .string(.instant), required: true),
    ]
}
