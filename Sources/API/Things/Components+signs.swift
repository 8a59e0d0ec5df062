internal import JSON

extension JSONComponent {
    static let sign = JSONComponent(name: "Sign", schema: .object(signMembers))

    /// A sign with its address, which only the answer to its creation has.
    static let newSign = JSONComponent(
        name: "NewSign",
        schema: .object(
            signMembers + [
                .init(
                    "url", .string(.line, length: 1...2000), required: true,
                    "The secret address. It is shown only once, and whoever has it can report.",
                    example: .text("https://kith.example/s/1-4f1c0a52be9d4e0b8c7a6f5e4d3c2b1a"))
            ]))

    /// The newest activity that a thing has reported, as receivers see it.
    static let lastSign = JSONComponent(
        name: "LastSign",
        schema: .object([
            .init("at", .string(.instant), required: true),
            .init("kind", .component(.signKind), required: true, "Always activity."),
            .init("name", .string(.line, length: 1...80), required: true, example: .text("Front door")),
        ]))

    private static let signMembers: [JSONSchema.Property] = [
        .init("id", .string(.uuid), required: true),
        .init(
            "name", .string(.line, length: 1...80), required: true, "The owner's name for the thing.",
            example: .text("Kitchen button")),
        .init("kind", .component(.signKind), required: true),
        .init("allow_get", .boolean, required: true, "Whether a GET of the address counts too."),
        .init(
            "last_used_at", .nullable(.string(.instant)), required: true,
            "When the newest report came, but for those that are merged with it. Null before the first one."),
        .init(
            "stuck", .boolean, required: true,
            "Whether a button has reported so often that its reports are no check-ins, until six hours without one."),
    ]
}
