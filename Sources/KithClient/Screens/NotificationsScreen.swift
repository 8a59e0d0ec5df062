import Foundation
public import Observation

/// The notification centre.
///
/// Calls: `listNotifications`, `markNotificationRead`, `markAllNotificationsRead`; `streamEvents` while it follows.
@Observable @MainActor public final class NotificationsScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The notifications, the newest first.
    public private(set) var notifications: [Kith.Notification] = []
    /// The number of unread ones, also of those on pages that are not loaded.
    public private(set) var unreadCount = 0
    /// Whether there are more notifications to load.
    public var hasMore: Bool { next != nil }

    private var next: Kith.Cursor?
    let calls: ScreenCalls

    /// Creates an empty centre. Call ``load()`` when it appears.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// What VoiceOver says of the badge: "2 unread notifications".
    public var badgeLabel: String { texts.notificationsUnread(count: unreadCount) }

    /// Loads the newest notifications.
    public func load() async {
        await load {
            try await calls.notifications(after: nil)
        } then: { page in
            (notifications, next, unreadCount) = (page.items, page.nextCursor, page.unreadCount)
        }
    }

    /// Loads the next page.
    public func loadMore() async {
        guard let next, !state.isLoading else { return }
        await loadPart {
            try await calls.notifications(after: next)
        } then: { page in
            notifications += page.items.filter { item in !notifications.contains { $0.id == item.id } }
            (self.next, unreadCount) = (page.nextCursor, page.unreadCount)
        }
    }

    /// Takes in a notification from the stream of events, new or read, and announces a new one.
    public func apply(_ notification: Kith.Notification) {
        if let index = notifications.firstIndex(where: { $0.id == notification.id }) {
            if notifications[index].readAt == nil, notification.readAt != nil { unreadCount = max(0, unreadCount - 1) }
            notifications[index] = notification
        } else {
            notifications.insert(notification, at: 0)
            if notification.readAt == nil { unreadCount += 1 }
            state.announce("\(notification.title). \(notification.body)")
        }
    }

    /// Takes in that all notifications were read, here or on another device.
    public func applyAllRead() {
        let now = calls.now
        for index in notifications.indices where notifications[index].readAt == nil {
            notifications[index].readAt = now
        }
        unreadCount = 0
    }

    /// Marks a notification as read.
    public func open(_ notification: Kith.Notification) async {
        guard notification.readAt == nil else { return }
        await act {
            try await calls.markRead(notification.id)
        } then: { _ in
            var read = notification
            read.readAt = calls.now
            apply(read)
            return nil
        }
    }

    /// Marks all notifications as read.
    public func readAll() async {
        await act {
            try await calls.markAllRead()
        } then: { _ in
            applyAllRead()
            return badgeLabel
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}
