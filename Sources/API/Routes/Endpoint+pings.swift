internal import HTTP
internal import Postgres

extension Endpoint {
    /// Pings, check-ins and notifications.
    static let pings: [Endpoint] = [
        Endpoint(
            operationID: "checkIn", method: .post, path: "/v1/pings/check-in", caller: .user,
            work: .procedure(.write("api.check_in", .member("note"), .now, lane: .checkIns, checksCaller: false)),
            summary: "Check in", details: "Says \"I'm safe\" and completes all my open pings.", area: "Pings",
            body: .object([.init("note", .nullable(.string(.text, length: 1...500)))]),
            answer: .component(.checkIn), problems: [.profileRequired]),
        Endpoint(
            operationID: "listPings", method: .get, path: "/v1/pings", caller: .user,
            work: .procedure(
                .read(
                    "api.list_pings",
                    .query("date", .text(.date), "The sender's local date. The default is today."),
                    .query("role", .component(.role), "Only pings of connections in which I have this role."), .limit,
                    .cursor(.uuid), .now)
            ),
            summary: "List my pings of one date", area: "Pings", answer: .list(of: .ping)),
        Endpoint(
            operationID: "listNotifications", method: .get, path: "/v1/notifications", caller: .user,
            work: .procedure(
                .read(
                    "api.list_notifications", .query("unread", .boolean, "Lists unread notifications only."), .limit,
                    .cursor(.uuid))),
            summary: "List my notifications, newest first", area: "Notifications",
            answer: .list(
                of: .notification, and: [.init("unread_count", .integer(0...1_000_000_000), required: true)])),
        Endpoint(
            operationID: "markNotificationRead", method: .post, path: "/v1/notifications/{id}/read", caller: .user,
            work: .procedure(.write("api.read_notification", .path("id", .uuid), .now)),
            summary: "Mark a notification as read", area: "Notifications", success: .noContent, problems: [.notFound]),
        Endpoint(
            operationID: "markAllNotificationsRead", method: .post, path: "/v1/notifications/read-all", caller: .user,
            work: .handler(.readNotifications),
            summary: "Mark all notifications as read", area: "Notifications", success: .noContent),
    ]
}
