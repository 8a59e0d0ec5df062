internal import JSON

extension JSONComponent {
    /// The file that Apple documents in "Supporting associated domains".
    static let appSiteAssociation = JSONComponent(
        name: "AppSiteAssociation",
        schema: .object([
            .init("applinks", .anyObject, required: true, "The links that the apps open."),
            .init("webcredentials", .anyObject, required: true, "The apps that share passwords with the host."),
        ]))
}
