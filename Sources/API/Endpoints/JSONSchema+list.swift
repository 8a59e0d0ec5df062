internal import JSON

extension JSONSchema.Property {
    /// Where the next page of a list begins. The text has the form of the parameter `cursor`, which is opaque to
    /// clients.
    static let nextCursor = JSONSchema.Property(
        "next_cursor", .nullable(.string(.opaque)), required: true,
        "Send it as cursor to get the next page. Null on the last page. An opaque text.")
}

extension JSONSchema {
    /// The schema of one page of a list, named after its items.
    static func list(
        of component: JSONComponent, atMost most: Int = 200, and more: [Property] = []
    ) -> JSONSchema {
        .component(
            JSONComponent(
                name: component.name + "Page",
                schema: .object(
                    [
                        .init("items", .array(of: .component(component), count: 0...most), required: true),
                        .nextCursor,
                    ] + more)))
    }
}
