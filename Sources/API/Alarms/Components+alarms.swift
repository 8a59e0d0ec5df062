internal import JSON

/// Alarms: what several people do together when somebody has not checked in, calls for help, or does not answer (K).
extension JSONComponent {
    static let alarm = JSONComponent(name: "Alarm", schema: .object(alarmMembers))

    /// An alarm on the first screen, without its timeline.
    static let openAlarm = JSONComponent(
        name: "OpenAlarm",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("kind", .component(.alarmKind), required: true, example: .text("missed")),
            .init("status", .component(.alarmStatus), required: true, example: .text("open")),
            .init("state", .component(.state), required: true, "What it is about, and who looks after it."),
            .init("role", .component(.alarmRole), required: true, "What I am in it.", example: .text("receiver")),
            .init("sender", .component(.alarmPerson), required: true),
            .init("opened_at", .string(.instant), required: true),
            .init("taken_by", .nullable(.component(.alarmPerson)), required: true, example: .null),
            .init("taken_by_me", .boolean, required: true),
            .init("taken_until", .nullable(.string(.instant)), required: true, example: .null),
        ]))

    /// The answer to a call for help.
    static let calledAlarm = JSONComponent(
        name: "CalledAlarm",
        schema: .object(alarmMembers))

    /// An alarm in an event.
    static let changedAlarm = JSONComponent(
        name: "ChangedAlarm",
        schema: .object(alarmMembers + [.init("change", .component(.alarmChange), required: true)]))

    static let alarmPlan = JSONComponent(
        name: "AlarmPlan",
        schema: .object([
            .init("tiers", .array(of: .component(.alarmTier), count: 1...3), required: true),
            .init("repeat_minutes", repeats, required: true, example: .json("[30,120]")),
            .init("take_minutes", .integer(5...120), required: true, example: 30),
            .init("answer_minutes", .integer(10...120), required: true, example: 30),
            .init("receivers_know_each_other", .boolean, required: true),
        ]))

    static let newAlarmPlan = JSONComponent(
        name: "NewAlarmPlan",
        schema: .object([
            .init(
                "tiers", .array(of: .component(.newAlarmTier), count: 1...3),
                "Who is told when, in ascending order. The default is everybody at the deadline.", example: .leftOut),
            .init(
                "repeat_minutes", repeats,
                "After how many minutes everybody who was told is told again. The default is 30 and 120.",
                example: .json("[30,120]")),
            .init(
                "take_minutes", .integer(5...120),
                "For how long somebody takes an alarm before they are asked again. The default is 30.", example: 30),
            .init(
                "answer_minutes", .integer(10...120),
                "How long I have to answer \"Are you OK?\". The default is 30.", example: 30),
            .init(
                "receivers_know_each_other", .boolean,
                "Whether my receivers read each other's names in my alarms. The default is false."),
        ]))

    static let careCard = JSONComponent(name: "CareCard", schema: .object(careCardMembers))
    static let ownCareCard = JSONComponent(
        name: "OwnCareCard",
        schema: .object(
            careCardMembers + [
                .init(
                    "views", .array(of: .component(.careCardView), count: 0...100), required: true,
                    "Who has seen it without an alarm, newest first. Views in alarms stand in their timelines.")
            ]))
    static let careSection = JSONComponent(
        name: "CareSection",
        schema: .object([
            .init("title", .string(.line, length: 1...80), required: true, example: .text("Keys")),
            .init("body", .string(.text, length: 1...2000), required: true, example: "Bob has the spare key."),
        ]))

    private static let careCardView = JSONComponent(
        name: "CareCardView",
        schema: .object([
            .init("at", .string(.instant), required: true), .init("person", .component(.personName), required: true),
        ]))

    private static let careCardMembers: [JSONSchema.Property] = [
        .init("sections", .array(of: .component(.careSection), count: 0...8), required: true),
        .init(
            "location", .nullable(.component(.place)), required: true,
            "Where the person was when they last said so, at most 7 days ago.",
            example: .null),
    ]

    /// Where a person is, as their device measured it (K08).
    static let place = JSONComponent(
        name: "Place",
        schema: .object([
            .init("latitude", .number(-90...90), required: true, "In degrees.", example: .json("52.5163")),
            .init("longitude", .number(-180...180), required: true, "In degrees.", example: .json("13.3777")),
            .init(
                "accuracy_meters", .number(0...100_000), "The radius that the person is probably within.",
                example: .json("25")),
            .init("at", .string(.instant), required: true, "When the device was there."),
        ]))

    static let alarmRehearsal = JSONComponent(
        name: "AlarmRehearsal",
        schema: .object([
            .init("steps", .array(of: .component(.alarmStep), count: 0...1000), required: true)
        ]))

    private static let alarmStep = JSONComponent(
        name: "AlarmStep",
        schema: .object([
            .init("at", .string(.instant), required: true),
            .init("kind", .component(.alarmStepKind), required: true, example: .text("told")),
            .init("person", .component(.personName), "The person who would be told.", example: .leftOut),
            .init("channel", .component(.alarmChannel), "The loudest channel of the telling.", example: .leftOut),
            .init("text", .string(.text, length: 1...1000), required: true, example: "Alice has not checked in today."),
        ]))

    static let ask = JSONComponent(
        name: "Ask",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("asked_at", .string(.instant), required: true),
            .init("answer_by", .string(.instant), required: true, "When an alarm opens if there is no check-in."),
        ]))

    /// Somebody in an alarm, as its reader knows them.
    static let alarmPerson = JSONComponent(
        name: "AlarmPerson",
        schema: .object([
            .init(
                "id", .nullable(.string(.uuid)), required: true,
                "Null for another receiver whom the reader does not know, and for a person of the tenant's desk."),
            .init("display_name", .string(.line, length: 1...200), required: true, example: .text("Bob")),
            .init("desk", .boolean, "True for a person of the tenant's desk.", example: .leftOut),
        ]))

    private static let alarmLine = JSONComponent(
        name: "AlarmLine",
        schema: .object([
            .init("at", .string(.instant), required: true),
            .init("kind", .component(.alarmLineKind), required: true, example: .text("taken")),
            .init("person", .component(.alarmPerson), "Who did it, or who was told.", example: .leftOut),
            .init(
                "channel", .component(.alarmChannel), "On which channel somebody was told, or a machine answered.",
                example: .leftOut),
            .init("outcome", .component(.alarmOutcome), "How it was resolved.", example: .leftOut),
            .init("note", .string(.text, length: 1...500), "The note that the person wrote.", example: .leftOut),
        ]))

    static let alarmTier = JSONComponent(
        name: "AlarmTier",
        schema: .object([
            .init("after_minutes", .integer(0...720), required: true, example: 0),
            .init(
                "receivers", .array(of: .string(.uuid), count: 0...10_000), required: true,
                "The ids of the connections."),
            .init("desk", .boolean, required: true, "Whether the tenant's desk is told with it."),
        ]))

    static let newAlarmTier = JSONComponent(
        name: "NewAlarmTier",
        schema: .object([
            .init("after_minutes", .integer(0...720), required: true, example: 0),
            .init(
                "receivers", .array(of: .string(.uuid), count: 0...10_000),
                """
                The ids of the connections. Whoever stands in no tier is told with the last one that is not the \
                desk's alone.
                """,
                example: .leftOut),
            .init("desk", .boolean, "Whether the tenant's desk is told with it. Only in the last tier."),
        ]))

    private static let repeats = JSONSchema.array(of: .integer(10...720), count: 0...4)

    private static let alarmMembers: [JSONSchema.Property] = [
        .init("id", .string(.uuid), required: true),
        .init("kind", .component(.alarmKind), required: true, example: .text("missed")),
        .init(
            "status", .component(.alarmStatus), required: true, "Computed from the instants below.",
            example: .text("open")),
        .init(
            "state", .component(.state), required: true, "What it is about, and who looks after it or how it ended."),
        .init("role", .component(.alarmRole), required: true, "What I am in it.", example: .text("receiver")),
        .init("sender", .component(.alarmPerson), required: true),
        .init(
            "connection_id", .nullable(.string(.uuid)), required: true,
            "My connection with the sender. Null for the sender and the desk."),
        .init(
            "call", .nullable(.component(.senderCall)), required: true,
            """
            How I can call the sender while the alarm is not resolved, if they share their number. getTenantAlarm has \
            the number that they have confirmed.
            """, example: .null),
        .init("opened_at", .string(.instant), required: true),
        .init("taken_by", .nullable(.component(.alarmPerson)), required: true, example: .null),
        .init("taken_by_me", .boolean, required: true),
        .init(
            "declined_by_me", .boolean, required: true,
            "Whether I have said that I can't look after it, and nothing has happened since that asks me anew."),
        .init("taken_at", .nullable(.string(.instant)), required: true, example: .null),
        .init(
            "taken_until", .nullable(.string(.instant)), required: true,
            "When the taker is asked whether they still look after it. Ten minutes later it is open again.",
            example: .null),
        .init("resolved_at", .nullable(.string(.instant)), required: true, example: .null),
        .init("resolved_by", .nullable(.component(.alarmPerson)), required: true, example: .null),
        .init("outcome", .nullable(.component(.alarmOutcome)), required: true, example: .null),
        .init(
            "next_at", .nullable(.string(.instant)), required: true,
            "When the next thing happens by itself. Null for a resolved one."),
        .init("has_care_card", .boolean, required: true, "Whether the sender has a care card."),
        .init(
            "has_place", .boolean, required: true, "Whether the care card comes with a place, at most 7 days old."),
        .init(
            "told", .integer(0...10_000), required: true,
            """
            How many receivers who have a part in it have been told: a channel has taken a message, or still can. \
            Whom no message has reached, or whoever has no way to be reached, does not count. The timeline says who.
            """,
            example: 2),
        .init(
            "advice", .nullable(.string(.text, length: 1...500)), required: true,
            """
            What the sender of an open call for help can do as long as nobody has been told, in their language. \
            Otherwise null.
            """,
            example: .null),
        .init(
            "time_zone", .nullable(.string(.line)), required: true,
            "The sender's time zone, for the desk. Otherwise null.",
            example: .null),
        .init(
            "last_check_in_at", .nullable(.string(.instant)), required: true,
            "When the sender last checked in, for a receiver who sees it in their connection too."),
        .init(
            "last_check_in_source", .nullable(.component(.checkInSource)), required: true, "How that check-in came.",
            example: .text("app")),
        .init("last_sign", .nullable(.component(.lastSign)), required: true, example: .null),
        .init(
            "timeline", .array(of: .component(.alarmLine), count: 1...2000), required: true,
            """
            What happened, oldest first. It is the same for everybody, with the names that the reader may know. `told` \
            is somebody for whom a channel has taken a message; while none has, they are `being_told`, and where all \
            have failed, `not_reached`.
            """),
    ]
}
