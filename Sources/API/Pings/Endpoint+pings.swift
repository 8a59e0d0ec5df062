internal import HTTP
internal import JSON
internal import Postgres
internal import Problems

extension Endpoint {
    /// Pings and check-ins.
    static let pings: [Endpoint] = [
        Endpoint(
            operationID: "checkIn", method: .post, path: "/v1/pings/check-in", caller: .user,
            work: .procedure(
                .write(
                    "api.check_in", .member("note"), .flag("share_note"), .member("tapped_at"), .source,
                    .place("location"), .now,
                    lane: .checkIns,
                    checksCaller: false)),
            summary: "Check in",
            details: "Says \"I'm safe\" and completes all my open pings. It needs no sender profile.", area: "Pings",
            bound: "None. The notes of 200 check-ins per user are kept in 24 hours.",
            body: .object([
                .init("note", .nullable(.string(.text, length: 1...500))),
                .init("share_note", .boolean, "Whether my receivers see the note. If not, only I see it."),
                .init(
                    "tapped_at", .nullable(.string(.instant)),
                    """
                    When I tapped, if the check-in was kept on the device until now: at most 7 days ago, and at most a minute \
                    ahead of the server's clock. It then completes the pings that were open at that moment, and none that came \
                    after it.
                    """,
                    example: .leftOut),
                .init(
                    "location", .nullable(.component(.place)),
                    """
                    Where I am. It is stored sealed, in place of the one before, and kept for 7 days. Receivers see \
                    it with my care card only. One that is more than 7 days old is left out.
                    """,
                    example: .leftOut),
            ]),
            answer: .component(.checkIn), repeatRight: .own, worksWhileSuspended: true, urgency: .safety),
        Endpoint(
            operationID: "listPings", method: .get, path: "/v1/pings", caller: .user,
            work: .procedure(
                .read(
                    "api.list_pings",
                    .query("date", .text(.date), "The sender's local date. The default is today."),
                    .query(
                        "from", .text(.date),
                        """
                        The first local date of a period of at most 92 days, in place of date. The default is the \
                        week before until.
                        """
                    ),
                    .query("until", .text(.date), "The last local date of the period. The default is today."),
                    .query("role", .component(.role), "Only pings of connections in which I have this role."), .limit,
                    .cursor(.opaque), .now)
            ),
            summary: "List my pings of one date or of a period",
            details:
                """
                Of a period, the newest date comes first, and a page may have fewer pings than limit although \
                another follows.
                """,
            area: "Pings", answer: .list(of: .ping)),
    ]
}
