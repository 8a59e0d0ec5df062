/// Whose events somebody reads.
struct EventReader: Hashable, Sendable {
    let tenantID: Int
    /// The user's id, in small letters.
    let user: String
}
