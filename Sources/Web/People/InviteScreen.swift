package import JSON
internal import Pages
package import Problems
internal import Texts

/// The numbers of the people to invite by text message (seed 004, US-5.2).
package struct InviteScreen: Screen {
    package static let path = "/people/invite"

    private let sent: [(id: String, at: String, count: Int, connected: Int)]

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/connection-invitations?limit=10")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        sent = (answers[0]["items"]?.elements ?? []).map { item in
            (
                item["id"]?.string ?? "", item["created_at"]?.string ?? "", item["recipient_count"]?.integer ?? 0,
                item["connected"]?.integer ?? 0
            )
        }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("invite.button")
        var body: HTML = """
            <h1>\(title)</h1>
            <p>\(words("web.invite.text"))</p>
            \(visit.form(
                """
                \(visit.area(
                    "numbers", words("web.invite.numbers"), limit: 20_000, hint: words("web.invite.numbers_hint")))\
                \(visit.button("invite", words("web.invite.next")))
                """))
            """
        if !sent.isEmpty {
            body += "<h2>\(words("web.invite.before"))</h2>\n<ul class=\"rows\">\n"
            for invitation in sent {
                body += """
                    <li><a href="\(InvitationScreen.path(of: invitation.id))"><span class="name">\
                    \(words.date(ofInstant: invitation.at))</span><br>
                    \(words("web.invite.count", ["count": .number(invitation.count)])), \
                    \(words("web.invite.connected", ["count": .number(invitation.connected)]))</a></li>

                    """
            }
            body += "</ul>\n"
        }
        return ScreenPage(title: title, section: .people, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "invite" else { return nil }
        let recipients = recipients(in: form["numbers"])
        guard !recipients.isEmpty else { throw .invalid("numbers", visit.words("web.invite.empty")) }
        return Act(
            .send(.post, "/v1/connection-invitations") { json in
                json.array("recipients", recipients) { json, recipient in
                    json.object { json in
                        if !recipient.name.isEmpty { json.field("name", recipient.name) }
                        json.field("phone", recipient.phone)
                    }
                }
            }
        ) { answer in Destination(answer?["id"]?.string.map(InvitationScreen.path) ?? path) }
    }

    /// The people in a text that was typed or pasted: one on each line, with an optional name before the number.
    static func recipients(in text: String) -> [(name: String, phone: String)] {
        text.split(whereSeparator: { $0 == "\n" || $0 == ";" }).prefix(1000).compactMap { line in
            let start = line.firstIndex { $0 == "+" || $0 == "(" || $0.isASCII && $0.isNumber }
            guard let start else { return line.contains { !$0.isWhitespace } ? ("", String(line.prefix(100))) : nil }
            let name = line[..<start].filter { $0 != "," && $0 != ":" && $0 != "\t" }
            return (name.split(separator: " ").joined(separator: " "), String(line[start...].prefix(100)))
        }
    }
}

/// An invitation: the text for each person, the link that opens it in the phone's own app, and its outcome.
package struct InvitationScreen: Screen {
    package static let path = "/people/invite/{id}"
    package static var holdsSecret: Bool { true }

    private let id: String
    private let message: String
    private let groupLinks: (usual: String?, apple: String?)
    private let recipients: [Recipient]

    private struct Recipient {
        let n: Int
        let name: String?
        let phone: String
        let link: String?
        let status: String
        let error: String?
        let hasConnected: Bool
    }

    static func path(of id: String) -> String { "/people/invite/\(id)" }

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/connection-invitations/\(visit.parameters[0])")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        let facts = answers[0]
        id = facts["id"]?.string ?? ""
        message = facts["message"]?.string ?? ""
        groupLinks = (facts["sms_url"]?.string, facts["sms_url_ios"]?.string)
        recipients = (facts["recipients"]?.elements ?? []).map { facts in
            Recipient(
                n: facts["n"]?.integer ?? 0, name: facts["name"]?.string, phone: facts["phone"]?.string ?? "",
                link: facts["sms_url"]?.string, status: facts["status"]?.string ?? "", error: facts["error"]?.string,
                hasConnected: facts["connection_id"]?.string != nil)
        }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.invitation.heading")
        var body: HTML = """
            <h1>\(title)</h1>
            <p>\(words("web.invitation.text"))</p>
            <blockquote class="panel" dir="auto">\(message)</blockquote>

            """
        let waiting = recipients.filter { ["pending", "cancelled", "failed", "unavailable"].contains($0.status) }
        if waiting.count > 1, let link = visit.isApple ? groupLinks.apple : groupLinks.usual {
            body += """
                <a class="button" href="\(link)">\(words("web.invitation.all"))</a>
                <p class="hint">\(words("web.invitation.all_hint"))</p>

                """
        }
        body += "<ul class=\"rows\">\n"
        for recipient in recipients { body += row(recipient, visit) }
        body += "</ul>\n<p><a class=\"inline\" href=\"\(PeopleScreen.path)\">\(words("web.nav.people"))</a></p>\n"
        return ScreenPage(title: title, section: .people, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard ["sent", "cancelled", "failed", "unavailable"].contains(name), let n = Int(form["n"]) else { return nil }
        let id = visit.parameters[0]
        return Act(
            .send(.patch, "/v1/connection-invitations/\(id)/recipients/\(n)") { $0.field("outcome", name) },
            to: path(of: id), Notice("invite.outcome.\(name)"))
    }

    private func row(_ recipient: Recipient, _ visit: Visit) -> HTML {
        let words = visit.words
        var html: HTML = "<li><p><span class=\"name\">\(name: recipient.name ?? recipient.phone)</span>"
        if recipient.name != nil { html += " <bdi>\(recipient.phone)</bdi>" }
        html += "</p>\n"
        if let error = recipient.error { return html + "<p class=\"state bad\">\(words.refusal(error))</p></li>\n" }
        if recipient.hasConnected {
            return html + "<p class=\"state good\">\(words("web.invitation.connected"))</p></li>\n"
        }
        let tone = recipient.status == "sent" ? "good" : recipient.status == "pending" ? "quiet" : "warn"
        html += "<p class=\"state \(tone)\">\(words("web.invitation.status.\(recipient.status)"))</p>\n"
        guard recipient.status != "sent", recipient.status != "queued", let link = recipient.link else {
            return html + "</li>\n"
        }
        html += "<a class=\"button\" href=\"\(link)\">\(words("web.invitation.open"))</a>\n"
        // A browser cannot know whether the message was sent.
        let question = "sent-\(recipient.n)"
        html += visit.form(
            """
            <fieldset aria-labelledby="\(question)">
            <p id="\(question)"><strong>\(words("web.invitation.did_you_send"))</strong></p>
            <input type="hidden" name="n" value="\(String(recipient.n))">
            <div class="actions">
            \(visit.button("sent", words("web.invitation.outcome.sent"), .plain))\
            \(visit.button("cancelled", words("web.invitation.outcome.cancelled"), .plain))\
            \(visit.button("failed", words("web.invitation.outcome.failed"), .plain))\
            \(visit.button("unavailable", words("web.invitation.outcome.unavailable"), .plain))\
            </div>
            </fieldset>
            """)
        return html + "</li>\n"
    }
}
