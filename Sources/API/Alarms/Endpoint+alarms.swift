internal import HTTP
internal import JSON
internal import Postgres
internal import Problems

extension Endpoint {
    /// Alarms, the plan for them, questions and drills (K).
    static let alarms: [Endpoint] = [
        Endpoint(
            operationID: "listAlarms", method: .get, path: "/v1/alarms", caller: .user,
            work: .procedure(
                .read(
                    "api.list_alarms",
                    .query("role", .component(.role), "Only alarms in which I have this role."),
                    .query("status", .component(.alarmStatus), "Only alarms with this status at present."), .limit,
                    .cursor(.uuid), .now)),
            summary: "List the alarms in which I have a part, newest first", area: area, answer: .list(of: .alarm),
            worksWhileSuspended: true),
        Endpoint(
            operationID: "getAlarm", method: .get, path: "/v1/alarms/{id}", caller: .user,
            work: .procedure(.read("api.get_alarm", .path("id", .uuid), .now)),
            summary: "Get an alarm",
            details: "For its sender and everybody who was told, until they leave it.", area: area,
            answer: .component(.alarm), problems: [.notFound], worksWhileSuspended: true),
        Endpoint(
            operationID: "callForHelp", method: .post, path: "/v1/alarms", caller: .user,
            work: .procedure(
                .write(
                    "api.call_for_help", .member("note"), .place("location"), .source, .now,
                    checksCaller: false)),
            summary: "Call for help",
            details:
                """
                Opens an alarm of kind help and tells all my receivers at once, through quiet hours. While I have an \
                alarm, the answer is that one (200): a missed check-in becomes a call for help, and a call 2 minutes \
                after the last one, or with another note, is told again. told counts those who were told of this \
                call and can be reached. Nobody needs a profile for it. Nothing in the form of the request refuses \
                the call: a longer note is cut, and a body that is too large or not as described is ignored, as are \
                unknown parameters, Accept, Content-Encoding and If-Match. Another body with an Idempotency-Key that \
                was used before is another call.
                """,
            area: area,
            bound:
                """
                None. Beyond 10 calls in 24 hours, the first word of a call still goes to everybody; further calls in an \
                open alarm are told to each receiver at most once in 10 minutes, and texts and calls go to a number \
                at most once in 10 minutes.
                """,
            body: .object([
                .init(
                    "note", .nullable(.string(.text, length: 1...500)), "For everybody who is told.",
                    example: "I fell in the bathroom"),
                .init(
                    "location", .nullable(.component(.place)),
                    """
                    Where I am. It is stored sealed, in place of the one before, and kept for 7 days. Receivers see \
                    it with my care card only. One that is more than 7 days old is left out.
                    """,
                    example: .leftOut),
            ]),
            isForgiving: true, answer: .component(.calledAlarm), success: .created, successIfThere: .ok,
            repeatRight: .own,
            worksWhileSuspended: true, urgency: .help),
        act(
            "takeAlarm", "take", "api.take_alarm", [.body],
            "Take an alarm: \"I'm looking after it\"",
            """
            For somebody who was told. The first has it; the others get alarm_taken. Everybody else is told. To take \
            it again begins the time anew, up to two hours; after them, everybody is told again.
            """,
            bound: "50 notes per alarm that its taker still has it. It is never refused.",
            body: [
                .init(
                    "minutes", .integer(5...120), "For how long. The default is in the sender's plan.",
                    example: .leftOut)
            ],
            problems: [.alarmTaken], urgency: .safety),
        act(
            "releaseAlarm", "release", "api.release_alarm", [], "Say that I can't look after it",
            """
            For its taker, who gives it back: it is open again, and everybody who was told is told. For somebody else \
            who was told, while nobody has taken it: the timeline says so once, and nothing else changes.
            """,
            bound: "10 times per user and alarm in 24 hours, with opening it again."),
        act(
            "resolveAlarm", "resolve", "api.resolve_alarm",
            [.member("outcome"), .member("note"), .member("seen_at")], "End an alarm",
            """
            safe or help_called for somebody who was told; false_alarm for the sender. Everybody learns who said so. \
            No ping changes: the sender ends an alarm by a check-in.
            """,
            bound: Bound.ending,
            body: [
                .init("outcome", .component(.statedOutcome), required: true, example: .text("safe")),
                .init("note", .nullable(.string(.text, length: 1...500)), example: "I am with her, and she is well"),
                seenAt,
            ],
            urgency: .safety),
        act(
            "reopenAlarm", "reopen", "api.reopen_alarm", [.member("note")], "Open an alarm again",
            """
            For somebody who was told: within 7 days, if somebody said safe or help_called, the sender has not \
            checked in or said false_alarm since, and there is no newer alarm; or while somebody else has taken it.
            """,
            bound: "10 times per user and alarm in 24 hours, with giving it back.",
            body: [
                .init("note", .nullable(.string(.text, length: 1...500)), example: "She does not open the door")
            ]),
        act(
            "noteAlarm", "notes", "api.note_alarm", [.member("body")], "Write a note in an alarm",
            "Everybody in the alarm sees it, the sender too.", bound: "\(acts) 100 notes per user and alarm.",
            body: [.init("body", .string(.text, length: 1...500), required: true, example: "I drive there.")]),
        Endpoint(
            operationID: "getAlarmCareCard", method: .get, path: "/v1/alarms/{id}/care-card", caller: .user,
            work: .handler(CareCards.inAlarm, arguments: [.path("id", .uuid)]),
            summary: "Get the care card of an alarm's sender",
            details:
                """
                For somebody who was told, while the alarm is open or taken; not for the one who asked "Are you \
                OK?" while nobody else was told. Each view stands in the timeline, which the sender sees.
                """,
            area: area, answer: .component(.careCard), problems: [.notFound, .tooManyRequests],
            worksWhileSuspended: true),
        Endpoint(
            operationID: "getConnectionCareCard", method: .get, path: "/v1/connections/{id}/care-card", caller: .user,
            work: .handler(CareCards.always, arguments: [.path("id", .uuid)]),
            summary: "Get a sender's care card without an alarm",
            details:
                """
                For the receiver of an active connection whom the sender always allows it (always_care_card). The \
                sender sees each view.
                """,
            area: area, answer: .component(.careCard), problems: [.notFound, .tooManyRequests],
            worksWhileSuspended: true),
        Endpoint(
            operationID: "getCareCard", method: .get, path: "/v1/me/care-card", caller: .user,
            work: .handler(CareCards.own), summary: "Get my care card",
            details: "With the place that I gave last, and the newest views without an alarm.", area: area,
            answer: .component(.ownCareCard)),
        Endpoint(
            operationID: "setCareCard", method: .put, path: "/v1/me/care-card", caller: .user,
            work: .handler(CareCards.put), summary: "Set my care card",
            details:
                """
                What somebody who goes to look should know. It is stored sealed. Receivers see it only while there \
                is an alarm of which they were told, unless I always allow it.
                """,
            area: area, bound: Bound.changes,
            body: .object([
                .init(
                    "sections", .array(of: .component(.careSection), count: 0...8), required: true,
                    "At most 4096 bytes of JSON in all.")
            ]),
            answer: .component(.ownCareCard)),
        Endpoint(
            operationID: "deleteCareCard", method: .delete, path: "/v1/me/care-card", caller: .user,
            work: .procedure(.write("api.delete_care_card", .now)), summary: "Delete my care card and place",
            area: area, bound: Bound.ending, success: .noContent, problems: [.notFound]),
        Endpoint(
            operationID: "askSender", method: .post, path: "/v1/connections/{id}/ask", caller: .user,
            work: .procedure(
                .write("api.ask_sender", .path("id", .uuid), .now, checksCaller: false)),
            summary: "Ask a sender \"Are you OK?\"",
            details:
                """
                For the receiver of an active connection. The sender is told on every channel and answers by a \
                check-in. If they do not, an alarm opens at answer_by, to my tier and those before it, unless they \
                have paused or somebody has told me meanwhile how they are.
                """,
            area: area, bound: "3 questions per connection in 24 hours, and one at a time.", answer: .component(.ask),
            success: .created, repeatRight: .own, problems: [.notFound, .invalidTransition, .tooManyRequests],
            worksWhileSuspended: true),
        Endpoint(
            operationID: "getAlarmPlan", method: .get, path: "/v1/me/alarm-plan", caller: .user,
            work: .procedure(.read("api.get_alarm_plan")),
            summary: "Get my plan for alarms", details: "The default if I have set none.", area: area,
            answer: .component(.alarmPlan)),
        Endpoint(
            operationID: "setAlarmPlan", method: .put, path: "/v1/me/alarm-plan", caller: .user,
            work: .procedure(.write("api.put_alarm_plan", .body, .now)),
            summary: "Set my plan for alarms",
            details: "Replaces the plan; members left out take their default. An alarm that has opened keeps its plan.",
            area: area, bound: Bound.changes, body: .component(.newAlarmPlan), answer: .component(.alarmPlan)),
        Endpoint(
            operationID: "rehearseAlarmPlan", method: .get, path: "/v1/me/alarm-plan/rehearsal", caller: .user,
            work: .procedure(.write("api.rehearse_alarm_plan", .now)),
            summary: "Rehearse what happens if I do not check in",
            details:
                """
                Who would be told when, on which channel and with which text, for as long as nobody acts, up to the \
                desk and to emergency access that depends on silence. Nothing changes, and nobody is told.
                """,
            area: area, bound: "100 rehearsals per user per UTC day.", answer: .component(.alarmRehearsal)),
        Endpoint(
            operationID: "drillAlarm", method: .post, path: "/v1/me/alarm-drill", caller: .user,
            work: .procedure(.write("api.drill_alarm", .now)),
            summary: "Hold a drill",
            details:
                """
                An alarm of kind drill runs through my plan. Every text says that it is a drill, and none breaks \
                through quiet hours. Nothing else changes.
                """,
            area: area, bound: "\(Bound.broadcasts) One drill per user in 7 days.", answer: .component(.alarm),
            success: .created, repeatRight: .own, problems: [.invalidTransition, .tooManyRequests]),
    ]

    /// The calls of a tenant's desk, whose staff work alarms through the tenant's server (K09).
    static let desk: [Endpoint] = [
        Endpoint(
            operationID: "listTenantAlarms", method: .get, path: "/v1/tenant/alarms", caller: .key(scope: .alarms),
            work: .procedure(
                .read(
                    "api.list_tenant_alarms",
                    .query("status", .component(.alarmStatus), "Only alarms with this status at present."), .limit,
                    .cursor(.uuid), .now)),
            summary: "List the tenant's alarms, newest first", details: "With all names.", area: area,
            answer: .list(of: .alarm), worksWhileSuspended: true),
        Endpoint(
            operationID: "getTenantAlarm", method: .get, path: "/v1/tenant/alarms/{id}", caller: .key(scope: .alarms),
            work: .procedure(.read("api.get_tenant_alarm", .path("id", .uuid), .now)),
            summary: "Get an alarm for the desk", details: "With all names.", area: area, answer: .component(.alarm),
            problems: [.notFound], worksWhileSuspended: true),
        deskAct(
            "takeTenantAlarm", "take", "api.take_tenant_alarm", [.body],
            "Take an alarm for the desk",
            "Everybody who was told reads the person's name.",
            body: [
                .init("minutes", .integer(5...120), example: .leftOut),
                .init(
                    "from", .string(.line, length: 1...100),
                    """
                    The person of the desk who has it, from whom this one takes it over: taken_by as it was read. \
                    Somebody else's stays theirs. Nobody who was told is told of it.
                    """,
                    example: .leftOut),
            ], problems: [.alarmTaken]),
        deskAct(
            "resolveTenantAlarm", "resolve", "api.resolve_tenant_alarm",
            [.member("outcome"), .member("note"), .member("seen_at")],
            "End an alarm for the desk", "No ping changes.",
            body: [
                .init("outcome", .component(.deskOutcome), required: true, example: .text("safe")),
                .init("note", .nullable(.string(.text, length: 1...500)), example: "Her neighbour is with her"),
                seenAt,
            ]),
        deskAct(
            "reopenTenantAlarm", "reopen", "api.reopen_tenant_alarm", [.member("note"), .member("from")],
            "Open an alarm again for the desk",
            """
            One that somebody has ended as safe or help_called, or has taken. Everybody who was told, and the \
            sender, are told.
            """,
            body: [
                .init("note", .nullable(.string(.text, length: 1...500)), example: "Nobody answers the door"),
                .init(
                    "from", .string(.line, length: 1...100),
                    """
                    The person of the desk who gives it back: taken_by as it was read. If somebody else has it, or it \
                    is over, the answer is 409.
                    """,
                    example: .leftOut),
            ]),
        deskAct(
            "noteTenantAlarm", "notes", "api.note_tenant_alarm", [.member("body")],
            "Write a note in an alarm for the desk",
            "Everybody in the alarm sees it.",
            body: [.init("body", .string(.text, length: 1...500), required: true, example: "A colleague drives there.")]
        ),
    ]

    private static let area = "Alarms"
    private static let seenAt = JSONSchema.Property(
        "seen_at", .nullable(.string(.instant)),
        """
        The newest at of the timeline that the person has read. If the sender has called for help or missed another \
        check-in since, the answer is 409 invalid_transition: let them read it first.
        """,
        example: .leftOut)
    private static let acts = "200 acts in alarms per user per UTC day."

    private static func act(
        _ operationID: String, _ verb: String, _ procedure: String, _ arguments: [Argument], _ summary: String,
        _ details: String, bound: String, body: [JSONSchema.Property] = [], problems: [ProblemCode] = [],
        urgency: Urgency = .ordinary
    ) -> Endpoint {
        Endpoint(
            operationID: operationID, method: .post, path: "/v1/alarms/{id}/\(verb)", caller: .user,
            work: .procedure(
                Procedure(
                    name: procedure, lane: .writes, arguments: [.path("id", .uuid)] + arguments + [.now],
                    checksCaller: false)), summary: summary,
            details: details, area: area, bound: bound, body: body.isEmpty ? nil : .object(body),
            answer: .component(.alarm), repeatRight: .sight,
            problems: [.notFound, .invalidTransition] + problems, worksWhileSuspended: true, urgency: urgency)
    }

    private static func deskAct(
        _ operationID: String, _ verb: String, _ procedure: String, _ arguments: [Argument], _ summary: String,
        _ details: String, body: [JSONSchema.Property], problems: [ProblemCode] = []
    ) -> Endpoint {
        let by = JSONSchema.Property(
            "by", .string(.line, length: 1...100), required: true, "The name of the person who acts.",
            example: .text("Dana of the night desk"))
        return Endpoint(
            operationID: operationID, method: .post, path: "/v1/tenant/alarms/{id}/\(verb)",
            caller: .key(scope: .alarms),
            work: .procedure(
                Procedure(
                    name: procedure, lane: .writes,
                    arguments: [.path("id", .uuid), .member("by")] + arguments + [.now], checksCaller: false)),
            summary: summary, details: details, area: area, bound: Bound.rate, body: .object([by] + body),
            answer: .component(.alarm), repeatRight: .sight, problems: [.notFound, .invalidTransition] + problems,
            worksWhileSuspended: true)
    }
}
