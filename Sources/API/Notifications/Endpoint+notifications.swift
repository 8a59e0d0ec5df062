internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The list of notifications, and which of them are read.
    static let notifications: [Endpoint] = [
        Endpoint(
            operationID: "listNotifications", method: .get, path: "/v1/notifications", caller: .user,
            work: .procedure(
                .read(
                    "api.list_notifications", .query("unread", .boolean, "Lists unread notifications only."),
                    .query(
                        "type", .text(.opaque), "Only notifications of these types, which are separated by commas."),
                    .limit, .cursor(.uuid))),
            summary: "List my notifications, newest first",
            details: "With type, a page may have fewer notifications than limit although another follows.",
            area: "Notifications",
            answer: .list(
                of: .notification, and: [.init("unread_count", .integer(0...1_000_000_000), required: true)])),
        Endpoint(
            operationID: "markNotificationRead", method: .post, path: "/v1/notifications/{id}/read", caller: .user,
            work: .procedure(.write("api.read_notification", .path("id", .uuid), .now)),
            summary: "Mark a notification as read", area: "Notifications", bound: Bound.once, success: .noContent,
            repeatRight: .sight, problems: [.notFound]),
        Endpoint(
            operationID: "markAllNotificationsRead", method: .post, path: "/v1/notifications/read-all", caller: .user,
            work: .handler(NotificationReading.answer),
            summary: "Mark all notifications as read", area: "Notifications",
            bound: "None. Each notification is read once.", success: .noContent, repeatRight: .sight),
    ]
}
