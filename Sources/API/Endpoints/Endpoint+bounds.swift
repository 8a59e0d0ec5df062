extension Endpoint {
    /// What bounds the growth of data, in words for the documentation. The database enforces these limits
    /// (`internal.acts_a_day` and the procedures), so that they hold across servers.
    enum Bound {
        static let changes = "5,000 changes per user per UTC day."
        static let broadcasts =
            "200 changes per user per UTC day, of those that all connected people or all nominees of a vault can see."
        static let returns = "10 returns of an ended profile per user per UTC day."
        static let documentWrites = "2,000 document changes per user per UTC day."
        static let emergencySettings = "100 changes of emergency access per user per UTC day."
        static let emergencyActs = "100 approvals and entries by emergency access per user per UTC day."
        static let administration =
            "1,000 changes of the tenant's settings, keys, channels and webhooks per UTC day."
        static let ending = "None. The call ends something that exists."
        static let once = "None. The call takes effect once."
        static let codes = "20 attempts per user per hour, 10 of which may miss."
        static let oneTimeCodes = "5 one-time codes per address per hour, and 10 attempts per hour."
        static let newUsers = "The tenant's user quota and request rate."
        static let rate = "The tenant's request rate."
    }
}
