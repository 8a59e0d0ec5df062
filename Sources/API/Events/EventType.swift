/// What an event can be of. The database says what each tells (`internal.event_json`); here it stands what that looks like, and a test
/// holds both against each other.
enum EventType: String, CaseIterable, Sendable {
    case connection
    case ping
    case nominee
    case session
    case vault
    case notification
    case notificationsRead = "notifications_read"
    /// For the tenant's webhooks alone.
    case alarmUndelivered = "alarm_undelivered"
    /// Says that events were missed, and is none itself: nobody asks for it.
    case reset

    /// Those that a webhook can be confined to.
    static let selectable = allCases.filter { $0 != .reset }
    /// Those that a user's stream brings.
    static let streamed = allCases.filter { $0 != .alarmUndelivered }
}
