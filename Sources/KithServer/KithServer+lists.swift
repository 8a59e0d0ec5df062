extension KithServer {
    /// The users of the tenant.
    public var users: KithItems<Kith.UserPage> {
        KithItems { try await listUsers(cursor: $0) }
    }

    /// The tenant's alarms, for a desk that works them.
    public var alarms: KithItems<Kith.AlarmPage> {
        KithItems { try await listTenantAlarms(cursor: $0) }
    }

    /// What people have said of invitations, of shares and of the app.
    public var feedback: KithItems<Kith.FeedbackPage> {
        KithItems { try await listFeedback(cursor: $0) }
    }
}
