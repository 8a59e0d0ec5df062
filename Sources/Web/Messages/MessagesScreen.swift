package import JSON
internal import Pages
package import Problems
internal import Texts

/// What the visitor was told, newest first. Opening an item marks it as read and leads to what it is about.
package struct MessagesScreen: Screen {
    package static let path = "/messages"

    private let items: [Item]
    private let unread: Int
    private let next: String?

    private struct Item {
        let id: String
        let title: String
        let text: String
        let at: String
        let isRead: Bool
        /// What it is about: a type and an id.
        let about: (type: String, id: String)?
    }

    package static func calls(_ visit: Visit) -> [APICall] {
        let cursor = visit.query.text("cursor").map { "&cursor=\(APICall.segment($0))" } ?? ""
        return [.get("/v1/notifications?limit=30\(cursor)")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        unread = answers[0]["unread_count"]?.integer ?? 0
        next = answers[0]["next_cursor"]?.string
        items = (answers[0]["items"]?.elements ?? []).map { facts in
            let about = facts["data"]?["about"]
            return Item(
                id: facts["id"]?.string ?? "", title: facts["title"]?.string ?? "", text: facts["body"]?.string ?? "",
                at: facts["created_at"]?.string ?? "", isRead: facts["read_at"]?.string != nil,
                about: about?["type"]?.string.flatMap { type in about?["id"]?.string.map { (type, $0) } })
        }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.nav.messages")
        var body: HTML = "<h1>\(title)</h1>\n"
        if unread > 0 {
            body += "<p>\(words("notifications.unread", ["count": .number(unread)]))</p>\n"
            body += visit.form("\(visit.button("read-all", words("notifications.read_all"), .plain))")
        }
        if items.isEmpty {
            return ScreenPage(title: title, section: .messages, body: body + "<p>\(words("notifications.empty"))</p>\n")
        }
        var rows: HTML = ""
        for item in items {
            let value = ["open", item.id, item.about?.type ?? "", item.about?.id ?? ""].joined(separator: ":")
            let mark: HTML = item.isRead ? "" : "<span class=\"badge info\">\(words("web.messages.new"))</span> "
            rows += """
                <li><button class="row\(item.isRead ? "" : " unread" as HTML)" name="act" value="\(value)">\
                \(mark)<span class="name">\(item.title)</span><br>
                <span dir="auto">\(item.text)</span><br>
                <span class="quiet">\(words.stamp(item.at))</span></button></li>

                """
        }
        body += visit.form("<ul class=\"rows\">\n\(rows)</ul>")
        if let next {
            body +=
                "<p><a class=\"inline\" href=\"\(Self.path)?cursor=\(APICall.segment(next))\">\(words("web.list.more"))</a></p>\n"
        }
        return ScreenPage(title: title, section: .messages, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        if name == "read-all" {
            return Act(.send(.post, "/v1/notifications/read-all"), to: path, Notice("web.messages.all_read"))
        }
        let parts = name.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[0] == "open", TextFormat.uuid.accepts(parts[1]) else { return nil }
        // Reading twice changes nothing, so it needs no key, which would belong to one item.
        return Act(.send(.post, "/v1/notifications/\(parts[1])/read"), to: Place.address(of: parts[2], parts[3]))
    }
}
