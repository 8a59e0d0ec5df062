internal import HTTP
internal import JSON
internal import Problems

extension Endpoint {
    /// The conversation of a vault's owner with a nominee. Each call counts as activity in the vault, so each may
    /// write.
    static let messages: [Endpoint] = [
        Endpoint(
            operationID: "listConversations", method: .get, path: "/v1/conversations", caller: .user,
            work: .procedure(.read("api.list_conversations", .limit, .cursor(.uuid))),
            summary: "List my conversations in all vaults, those with the newest messages first",
            details: "This needs no open vault.", area: "Chat",
            answer: .list(
                of: .conversation,
                and: [
                    .init(
                        "unread_count", .integer(0...1_000_000_000), required: true,
                        "The number of unread messages to me in all conversations.")
                ])),
        Endpoint(
            operationID: "listMessages", method: .get, path: "/v1/vaults/{id}/nominees/{n}/messages", caller: .user,
            work: .procedure(
                .write("api.list_messages", .path("id", .uuid), .path("n", .uuid), .limit, .cursor(.uuid), .now)),
            summary: "List the messages with a nominee, newest first", area: "Chat",
            answer: .list(
                of: .message,
                and: [
                    .init(
                        "unread_count", .integer(0...1_000_000_000), required: true,
                        "The number of unread messages to me.")
                ]),
            problems: nominee),
        Endpoint(
            operationID: "sendMessage", method: .post, path: "/v1/vaults/{id}/nominees/{n}/messages", caller: .user,
            work: .procedure(
                .write("api.send_message", .path("id", .uuid), .path("n", .uuid), .member("body"), .now)),
            summary: "Send a message",
            details: "The message goes to the other side of the conversation: the nominee or the vault's owner.",
            area: "Chat", bound: "30 messages per user per minute, 1,000 per UTC day; 50,000 per conversation.",
            body: .object([
                .init("body", .string(.text, length: 1...4000), required: true, example: "The papers are in.")
            ]),
            answer: .component(.message), success: .created,
            repeatRight: .vault(.conversation),
            problems: nominee + [.invalidTransition, .tooManyRequests, .quotaExceeded]),
        Endpoint(
            operationID: "markMessagesRead", method: .post, path: "/v1/vaults/{id}/nominees/{n}/messages/read",
            caller: .user,
            work: .procedure(.write("api.read_messages", .path("id", .uuid), .path("n", .uuid), .now)),
            summary: "Mark the messages to me as read", area: "Chat", bound: "None. Each message is read once.",
            success: .noContent,
            repeatRight: .vault(.conversation), problems: nominee),
    ]
}
