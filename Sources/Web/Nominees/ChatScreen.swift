package import JSON
internal import Pages
package import Problems
internal import Texts

/// The conversation of a vault's owner with a nominee.
package struct ChatScreen: Screen {
    package static let path = "/vaults/{id}/nominees/{n}/chat"

    private struct Message {
        let isMine: Bool
        let body: String
        let at: String
        let isRead: Bool
    }

    private let vault: VaultFacts
    private let other: String
    private let messages: [Message]
    private let more: HTML
    private let unread: Int

    private static func messages(_ visit: Visit) -> String {
        "/v1/vaults/\(visit.id())/nominees/\(visit.id(1))/messages"
    }

    package static func noteOfReading(_ visit: Visit) -> APICall? { .send(.post, "\(messages(visit))/read") }

    package static func calls(_ visit: Visit) -> [APICall] {
        NomineeScreen.calls(visit) + [.get("\(messages(visit))?\(visit.page)")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        let nominee = NomineeFacts(answers[1])
        let isOwner = vault.isOwner
        other = isOwner ? nominee.name : vault.owner
        messages =
            answers[2]["items"]?.elements.map { facts in
                Message(
                    isMine: (facts["from"]?["id"]?.string == nominee.userID) != isOwner,
                    body: facts["body"]?.string ?? "",
                    at: facts["created_at"]?.string ?? "", isRead: facts["read_at"]?.string != nil)
            } ?? []
        more = visit.more(answers[2])
        unread = answers[2]["unread_count"]?.integer ?? 0
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        var rows: HTML = ""
        for message in messages.reversed() {
            let who: HTML = message.isMine ? "\(words("web.chat.me"))" : "\(name: other)"
            let read: HTML = message.isMine && message.isRead ? " · \(words("web.chat.read"))" : ""
            rows += """
                <li class="\(message.isMine ? "mine" : "theirs")"><p class="quiet">\(who), \(words.moment(message.at))\(read)</p>
                <p class="message" dir="auto">\(message.body)</p></li>

                """
        }
        let list: HTML =
            messages.isEmpty ? "<p>\(words("web.chat.none"))</p>" : "<ol class=\"chat\">\n\(rows)</ol>"
        return ScreenPage(
            title: other, section: .vaults,
            body: """
                <h1>\(words.html("web.vault.chat_with", ["name": "\(name: other)"]))</h1>
                <p class="quiet">\(words.html("web.chat.about", ["vault": vault.title]))</p>
                \(more)\(list)
                \(unread > 0 ? visit.form("\(visit.button("read", words("web.chat.mark_read"), .plain))") : "")
                \(visit.form(
                    """
                    \(visit.area("body", words("web.chat.message"), limit: 4000))\
                    \(visit.button("send", words("web.chat.send")))
                    """))\
                \(visit.back(vault.path, vault.title))
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let path = "/vaults/\(visit.id())/nominees/\(visit.id(1))/chat"
        if name == "read" { return Act(.send(.post, "\(messages(visit))/read"), to: path) }
        guard name == "send" else { return nil }
        guard let text = form.text("body") else { throw .invalid("body", visit.words("web.chat.empty")) }
        return Act(
            .send(.post, messages(visit)) { $0.field("body", text) }, to: path)
    }
}
