/// The type of an event. The database defines the data of each type (`internal.event_json`), and
/// `Components+events.swift` its schema. A test compares the two.
package enum EventType: String, CaseIterable, Sendable {
    /// Something that only the user sees has changed: the account, a profile, a code, a setting.
    case account
    case connection
    case ping
    case nominee
    case session
    case vault
    case document
    case message
    /// A conversation was read.
    case conversation
    case emergencyRequest = "emergency_request"
    /// An invitation or offer that waits for the user.
    case invitation
    /// An alarm, with what has changed in it.
    case alarm
    case notification
    case notificationsRead = "notifications_read"
    /// Sent to the tenant's webhooks only.
    case alarmUndelivered = "alarm_undelivered"
    /// An operator has made a secret API key. Sent to the tenant's webhooks only.
    case apiKey = "api_key"
    /// Reports that events were missed. It is not an event itself, so webhooks cannot select it.
    case reset

    /// The types that a webhook can select.
    package static let selectable = allCases.filter { $0 != .reset }
    /// The types that a user's stream carries.
    package static let streamed = allCases.filter { $0 != .alarmUndelivered && $0 != .apiKey }
}
