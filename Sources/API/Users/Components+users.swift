internal import JSON
internal import Problems

extension JSONComponent {
    static let user = JSONComponent(
        name: "User",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init(
                "external_id", .nullable(.string(.line)),
                "The tenant's own id for the user. Only the tenant's server sees it."),
            .init("display_name", .nullable(.string(.line)), required: true),
            .init("phone", .nullable(.string(.phone)), required: true, "E.164."),
            .init("email", .nullable(.string(.email)), required: true),
            .init("phone_verified", .boolean, required: true, "Whether the user has confirmed it with a code."),
            .init("email_verified", .boolean, required: true),
            .init(
                "pending_phone", .nullable(.string(.phone)), required: true,
                "The new contact that the user has asked for. It takes effect once the code sent to it is verified."),
            .init("pending_email", .nullable(.string(.email)), required: true),
            .init("time_zone", .string(.line), required: true, "An IANA time zone name."),
            .init("locale", .string(.line), required: true),
            .init("created_at", .string(.instant), required: true),
        ]))

    static let importResult = JSONComponent(
        name: "ImportResult",
        schema: .object([
            .init("line", .integer(1...10_000_000), required: true, "The line of the request, counted from 1."),
            .init(
                "status", .integer(200...599), required: true, "The status that this line alone would have answered."),
            .init(
                "id", .string(.uuid),
                "The id of what the line describes, if it exists; for a code and a subscription, the user's."),
            .init("problem", .component(.problem), "Present if the line was refused.", example: .leftOut),
        ]))
}
