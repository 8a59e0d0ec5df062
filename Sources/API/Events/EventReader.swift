/// The user whose events a stream carries.
struct EventReader: Hashable, Sendable {
    let tenantID: Int
    /// The user's id in lower case.
    let user: String
}
