internal import JSON

extension JSONSchema {
    /// The schema of one page of a list, named after its items.
    static func list(of component: JSONComponent, and more: [Property] = []) -> JSONSchema {
        .component(
            JSONComponent(
                name: component.name + "Page",
                schema: .object(
                    [
                        .init("items", .array(of: .component(component), count: 0...200), required: true),
                        .init("next_cursor", .nullable(.string(.line)), required: true, "Null on the last page."),
                    ] + more)))
    }
}
