internal import JSON

extension JSONComponent {
    static let ping = JSONComponent(
        name: "Ping",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("connection_id", .string(.uuid), required: true),
            .init("date", .string(.date), required: true, "The sender's local date."),
            .init("status", .component(.pingStatus), required: true),
            .init("scheduled_at", .string(.instant), required: true),
            .init("deadline_at", .string(.instant), required: true),
            .init(
                "judge_at", .nullable(.string(.instant)), required: true,
                """
                While the ping is due: until when Kith waits beyond deadline_at before it is missed, because it asked \
                late or could not be reached. Null if deadline_at decides.
                """,
                example: .null),
            .init("completed_at", .nullable(.string(.instant)), required: true),
            .init(
                "told_at", .nullable(.string(.instant)), required: true,
                "When a message to the receiver was written that the ping was missed. Null if none was.",
                example: .null),
            .init(
                "telling", .nullable(.component(.telling)), required: true,
                """
                While the ping is missed and the receiver has a message: told, being_told while no channel has taken \
                it, not_reached if none will.
                """,
                example: .null),
            .init(
                "note", .nullable(.string(.text, length: 1...500)), required: true,
                "The note of the check-in, if the sender shares it.", example: .null),
        ]))

    static let `break` = JSONComponent(
        name: "Break",
        schema: .object([
            .init("from", .string(.date), required: true, "The first local date without a ping."),
            .init("until", .string(.date), required: true, "The last local date without a ping."),
        ]))

    static let dashboard = JSONComponent(
        name: "Dashboard",
        schema: .object([
            .init("role", .component(.role), required: true),
            .init("date", .string(.date), required: true),
            .init("items", .array(of: .component(.connection), count: 0...100_000), required: true),
            .nextCursor,
            .init("open_pings", .integer(0...1_000_000), required: true),
            .init(
                "deadline_at", .nullable(.string(.instant)), required: true, "The earliest deadline of the open pings."),
        ]))

    static let checkIn = JSONComponent(
        name: "CheckIn",
        schema: .object([
            .init("completed", .integer(0...1_000_000), required: true, "The number of pings completed in time."),
            .init("late", .integer(0...1_000_000), required: true, "The number of missed pings completed late."),
            .init("pings", .array(of: .component(.ping), count: 0...1_000_000), required: true),
        ]))

    static let notification = JSONComponent(
        name: "Notification",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("type", .string(.line), required: true),
            .init("title", .string(.line), required: true),
            .init("body", .string(.text, length: 0...2000), required: true),
            .init(
                "data", .anyObject, required: true,
                """
                about, {type, id}, says what the notification leads to. note is the note that a sender shares. The \
                other members are ids and facts of the type, among them every parameter of the text, so that a \
                client can write it in its own words: name, the person as the text names them, absent once their \
                account has ended, with user_id, which somebody who declines does not have; vault_id and vault_name \
                (absent once the vault is deleted for good); minutes that are left (ping_reminder); date, until and \
                from, as dates; missed_days; and instants: expires_at, until when a vault can be entered or an \
                invitation answered, pings_stop_at, grants_at, since_at and ends_at. time and since are instants as \
                the text has them. A message is its own text.
                """
            ),
            .init("created_at", .string(.instant), required: true),
            .init("sent_at", .nullable(.string(.instant)), required: true),
            .init("delivery_status", .component(.deliveryStatus), required: true),
            .init("read_at", .nullable(.string(.instant)), required: true),
        ]))
}
