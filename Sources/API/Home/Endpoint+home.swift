internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The first screen of an app.
    static let home: [Endpoint] = [
        Endpoint(
            operationID: "getHome", method: .get, path: "/v1/home", caller: .user,
            work: .procedure(.read("api.home", .now)), summary: "Get everything for the first screen",
            details:
                """
                The dashboards list those who missed first, 50 of each role. Each list has its first 50 items, and \
                its own call continues it from its next_cursor.
                """,
            area: "Home", answer: .component(.home), worksWhileSuspended: true)
    ]
}
