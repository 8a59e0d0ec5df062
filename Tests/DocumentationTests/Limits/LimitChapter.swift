/// A table of docs/limits.md.
struct LimitChapter: Sendable {
    /// The table's name in the page's marks.
    let name: String
    let limits: [Limit]

    static let all = [
        people, connections, checkInsAndAlarms, vaults, emergencyAccess, messages, tenants, streams, requests, history,
    ]
}
