internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// A user's devices, blocks, quiet hours and notification preferences.
    static let settings: [Endpoint] = [
        Endpoint(
            operationID: "listDevices", method: .get, path: "/v1/me/devices", caller: .user,
            work: .procedure(.read("api.list_devices")),
            summary: "List my devices", area: "Devices", answer: .list(of: .device)),
        Endpoint(
            operationID: "registerDevice", method: .put, path: "/v1/me/devices", caller: .user,
            work: .handler(DeviceRegistration.answer),
            summary: "Register a device",
            details:
                """
                Registering a known device records that it is in use. If I have more than 20 devices, the one seen \
                longest ago is deleted.
                """,
            area: "Devices", bound: "\(Bound.changes) 20 devices per user.",
            body: .object([
                .init("platform", .component(.devicePlatform), required: true),
                .init("token", .string(.opaque, length: 1...TextFormat.longestOpaque), required: true),
                .init("environment", .component(.deviceEnvironment), "The default is production."),
                .init(
                    "keys", .component(.webPushKeys),
                    "The keys of a Web Push subscription (RFC 8291), for which they are required.",
                    example: .leftOut),
            ]),
            answer: .component(.device)),
        Endpoint(
            operationID: "deleteDevice", method: .delete, path: "/v1/me/devices/{token}", caller: .user,
            work: .procedure(.write("api.delete_device", .path("token", .opaque), .now)),
            summary: "Delete a device", area: "Devices", bound: Bound.ending, success: .noContent, problems: [.notFound]
        ),
        Endpoint(
            operationID: "listBlocks", method: .get, path: "/v1/me/blocks", caller: .user,
            work: .procedure(.read("api.list_blocks", .limit, .cursor(.uuid))),
            summary: "List the users I have blocked", area: "Blocks", answer: .list(of: .block)),
        Endpoint(
            operationID: "getBlock", method: .get, path: "/v1/me/blocks/{user_id}", caller: .user,
            work: .procedure(.read("api.get_block", .path("user_id", .uuid))),
            summary: "Get a block of a user", details: "Answers 404 if I have not blocked the user.", area: "Blocks",
            answer: .component(.block), problems: [.notFound]),
        Endpoint(
            operationID: "blockUser", method: .put, path: "/v1/me/blocks/{user_id}", caller: .user,
            work: .procedure(.write("api.put_block", .path("user_id", .uuid), .now)),
            summary: "Block a user",
            details:
                """
                I can block whoever has had to do with me: by a connection, a vault, a message, or only an \
                invitation or an offer of a vault. Connections end, and the user is not told: what they send me is \
                answered as before, and does not reach me. A nominee keeps the access to my vaults, which the answer \
                names.
                """,
            area: "Blocks", bound: "\(Bound.changes) Only people the user is or was connected with.",
            answer: .component(.block), problems: [.notFound]),
        Endpoint(
            operationID: "unblockUser", method: .delete, path: "/v1/me/blocks/{user_id}", caller: .user,
            work: .procedure(.write("api.delete_block", .path("user_id", .uuid), .now)),
            summary: "Unblock a user", details: "Connections that ended with the block stay ended.", area: "Blocks",
            bound: Bound.ending,
            success: .noContent,
            problems: [.notFound]),
        Endpoint(
            operationID: "getQuietHours", method: .get, path: "/v1/me/quiet-hours", caller: .user,
            work: .procedure(.read("api.get_quiet_hours")),
            summary: "Get my quiet hours", area: "Notifications", answer: .component(.quietHours), problems: [.notFound]
        ),
        Endpoint(
            operationID: "setQuietHours", method: .put, path: "/v1/me/quiet-hours", caller: .user,
            work: .procedure(.write("api.put_quiet_hours", .body, .now)),
            summary: "Set my quiet hours",
            details:
                """
                Notifications about due pings, missed pings, all-clears and emergencies are sent during quiet hours \
                too.
                """,
            area: "Notifications", bound: Bound.changes,
            body: .component(.quietHours), answer: .component(.quietHours)),
        Endpoint(
            operationID: "deleteQuietHours", method: .delete, path: "/v1/me/quiet-hours", caller: .user,
            work: .procedure(.write("api.delete_quiet_hours", .now)),
            summary: "Delete my quiet hours", details: "Kith sends what they held back.", area: "Notifications",
            bound: Bound.ending, success: .noContent),
        Endpoint(
            operationID: "getNotificationPreferences", method: .get, path: "/v1/me/notification-preferences",
            caller: .user,
            work: .procedure(.read("api.get_notification_preferences")),
            summary: "Get my notification preferences",
            details: "They name the channels for each type of notification.", area: "Notifications",
            answer: .component(.notificationSettings)),
        Endpoint(
            operationID: "setNotificationPreferences", method: .put, path: "/v1/me/notification-preferences",
            caller: .user,
            work: .procedure(.write("api.put_notification_preferences", .body, .now)),
            summary: "Set my notification preferences",
            details:
                """
                They name the channels for each type of notification. Types that are left out use their default \
                channels.
                """,
            area: "Notifications", bound: Bound.changes,
            body: .component(.notificationPreferences), answer: .component(.notificationSettings)),
    ]
}
