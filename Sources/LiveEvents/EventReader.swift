/// The user whose events a stream carries.
package struct EventReader: Hashable, Sendable {
    package let tenantID: Int
    /// The user's id in lower case.
    package let user: String

    /// Names a reader.
    package init(tenantID: Int, user: String) {
        self.tenantID = tenantID
        self.user = user
    }
}
