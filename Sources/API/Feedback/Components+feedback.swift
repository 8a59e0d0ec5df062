internal import JSON

extension JSONComponent {
    static let feedback = JSONComponent(
        name: "Feedback",
        schema: .object([
            .init("id", .string(.uuid), required: true),
            .init("topic", .component(.feedbackTopic), required: true),
            .init("rating", rating, required: true, "From 1, bad, to 5, good.", example: 5),
            .init("text", .nullable(.string(.text, length: 1...2000)), required: true),
            .init("created_at", .string(.instant), required: true),
            .init("user", .component(.personName), required: true, "The user who wrote it."),
        ]))

    static let rating = JSONSchema.integer(1...5)
}
