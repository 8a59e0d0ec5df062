internal import JSON

/// The texts that people read, and a tenant's own words for them.
extension JSONComponent {
    static let tenantText = JSONComponent(
        name: "TenantText",
        schema: .object([
            .init("key", .string(.line, length: 1...100), required: true, example: "check_in.button"),
            .init(
                "placeholders", .array(of: .string(.line, length: 1...50), count: 0...20), required: true,
                "The names that must stand in the text in braces, such as {name}.", example: .json("[]")),
            .init(
                "default", .component(textWords), required: true, "The text of Kith's catalogue in this language.",
                example: "I'm safe"),
            .init(
                "text", .nullable(.component(textWords)), required: true,
                "The tenant's own words. Null if it has not replaced the text.", example: "All well"),
        ]))

    private static let textWords = JSONComponent(
        name: "TextWords", schema: .union([.string(.line, length: 1...1000), .component(pluralForms)]))

    private static let pluralForms = JSONComponent(
        name: "PluralForms",
        schema: .object(
            ["zero", "one", "two", "few", "many"].map { .init($0, .string(.line, length: 1...1000), example: .leftOut) }
                + [.init("other", .string(.line, length: 1...1000), required: true, example: "{count} minutes")]))
}
