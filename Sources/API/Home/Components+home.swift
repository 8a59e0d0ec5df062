internal import JSON

/// The values of the first screen of an app.
extension JSONComponent {
    /// The statement about a person that every surface shows (I06).
    static let state = JSONComponent(
        name: "State",
        schema: .object([
            .init(
                "kind", .component(.stateKind), required: true,
                "The kind decides the shape of a screen. Read one that you do not know as unknown, never as safe.",
                example: .text("safe")),
            .init(
                "text", .string(.text, length: 1...1_000), required: true, "One sentence.",
                example: .text("Safe: checked in at 09:02.")),
            .init(
                "detail", .nullable(.string(.text, length: 1...5_000)), required: true,
                "The sentences that follow the text.",
                example: .null),
            .init(
                "tone", .component(.stateTone), required: true, "The tone decides the colour.", example: .text("calm")),
            .init("at", .string(.instant), required: true, "The instant at which the statement was made."),
            .init(
                "until", .nullable(.string(.instant)), required: true,
                "The next instant at which the statement can change by itself. Null if only an event changes it."),
        ]))

    static let home = JSONComponent(
        name: "Home",
        schema: .object([
            .init(
                "last_event_id", .string(.opaque), required: true,
                "The answer is complete up to this event. Stream events from here, so that none is missed in between."),
            .init("me", .component(.user), required: true),
            .init(
                "state", .nullable(.component(.state)), required: true,
                "What my own day says. Null if I am no sender, and there is no alarm about me."),
            .init("sender", .nullable(.component(.senderHome)), required: true, "Null if I am no sender."),
            .init("receiver", .nullable(.component(.receiverHome)), required: true, "Null if I am no receiver."),
            .init("vaults", .list(of: .vault), required: true),
            .init(
                "emergency_access", .array(of: .component(.emergencyRequest), count: 0...50), required: true,
                "The emergency access for which I wait as a nominee, or which I have, newest first."),
            .init(
                "alarms", .array(of: .component(.openAlarm), count: 0...22), required: true,
                """
                The alarms that concern me and are not resolved, newest first, drills last: mine, and those of which \
                I was told.
                """
            ),
            .init(
                "first_steps", .nullable(.component(.firstSteps)), required: true,
                "What I have done of the first steps. Null if all is done, or if I joined more than 30 days ago.",
                example: .null),
            .init(
                "unread_count", .integer(0...1_000_000_000), required: true,
                "The number of notifications that I have not read."),
            .init(
                "unread_messages", .integer(0...1_000_000_000), required: true,
                "The number of messages that I have not read, in all chats."),
            .init("waiting", .component(.waiting), required: true, "What waits for my answer."),
        ]))

    private static let firstSteps = JSONComponent(
        name: "FirstSteps",
        schema: .object([
            .init(
                "heard", .nullable(.boolean), required: true,
                "Whether somebody whom messages reach is told if I do not check in. Null if I am no sender.",
                example: .json("true")),
            .init(
                "tested", .nullable(.boolean), required: true,
                "Whether somebody has said that a test message reached them. Null if I am no sender.",
                example: .json("false")),
            .init("reached", .boolean, required: true, "Whether messages reach me."),
            .init("zone", .boolean, required: true, "Whether I have said where I live."),
            .init(
                "number", .nullable(.boolean), required: true,
                "Whether my receivers see a phone number of mine. Null if I am no sender.", example: .json("true")),
            .init(
                "care_card", .nullable(.boolean), required: true,
                "Whether I have a care card. Null if I am no sender.", example: .json("true")),
        ]))

    private static let senderHome = JSONComponent(
        name: "SenderHome",
        schema: .object([
            .init("profile", .component(.senderProfile), required: true),
            .init("break", .nullable(.component(.break)), required: true, "My current or upcoming break."),
            .init(
                "next_ping_at", .nullable(.string(.instant)), required: true,
                """
                When I am asked the next time: the time of the first ping that is not due yet. In the past while Kith \
                is late with it. Null while pings flow to nobody.
                """
            ),
            .init(
                "plan", .nullable(.component(.alarmPlan)), required: true,
                "Who is told in which order. Null for the default: everybody at the deadline."),
            .init("dashboard", .component(.dashboard), required: true),
        ]))

    private static let receiverHome = JSONComponent(
        name: "ReceiverHome",
        schema: .object([
            .init("profile", .component(.receiverProfile), required: true),
            .init("dashboard", .component(.dashboard), required: true),
        ]))

    private static let awaitedConfirmation = JSONComponent(
        name: "AwaitedConfirmation",
        schema: .object([
            .init("nominee_id", .string(.uuid), required: true, "Confirm or revoke this nominee."),
            .init("name", .string(.line), required: true, "What I called the person when I invited them."),
            .init("user", .component(.personName), required: true, "Who has accepted."),
            .init("access_level", .component(.accessLevel), required: true),
            .init("vault", .component(.vaultName), required: true),
            .init("updated_at", .string(.instant), required: true, "When they accepted."),
        ]))

    private static let openAsk = JSONComponent(
        name: "OpenAsk",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("asked_at", .string(.instant), required: true),
            .init(
                "answer_by", .string(.instant), required: true, "Without a check-in until then, an alarm opens."),
            .init("receiver", .component(.personName), required: true, "The receiver who asks."),
        ]))

    private static let waiting = JSONComponent(
        name: "Waiting",
        schema: .object([
            .init(
                "emergency_requests", .array(of: .component(.emergencyRequest), count: 0...50), required: true,
                """
                Requests for emergency access to my vaults that I can still answer, the one that grants first at the \
                head, and those that wait for a quorum last.
                """
            ),
            .init(
                "confirmations", .array(of: .component(.awaitedConfirmation), count: 0...50), required: true,
                "People who have accepted an invitation to one of my vaults and wait for my confirmation, oldest first."
            ),
            .init(
                "connections", .array(of: .component(.connection), count: 0...50), required: true,
                "Connections that wait for my consent, oldest first."),
            .init(
                "asks", .array(of: .component(.openAsk), count: 0...20), required: true,
                "The questions whether I am OK that wait for my check-in, the one that ends first at the head."),
            .init(
                "invitations", .list(of: .ownInvitation), required: true,
                "Invitations and offers of vaults to my verified contacts."),
        ]))
}
