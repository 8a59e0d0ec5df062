// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “No notifications yet.”
    public var notificationsEmpty: String { known("notifications.empty") }

    /// “Mark All as Read”
    public var notificationsReadAll: String { known("notifications.read_all") }

    /// “Notifications”
    public var notificationsTitle: String { known("notifications.title") }

    /// “{count} unread notifications”
    public func notificationsUnread(count: Int) -> String {
        known("notifications.unread", count: count)
    }
}
