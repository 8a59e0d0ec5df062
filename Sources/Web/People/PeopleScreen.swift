package import JSON
internal import Pages
package import Problems
internal import Texts

/// The people with whom the visitor is connected: their receivers and their senders, each with the state of today
/// (P36).
package struct PeopleScreen: Screen {
    package static let path = "/people"
    package static var holdsSecret: Bool { true }

    private let receivers: People?
    private let senders: People?

    /// One role of the visitor: the code that they have in it, and the people on the other side.
    private struct People {
        let code: String
        let others: [Counterpart]
        let next: String?

        init?(_ facts: JSONValue?, _ visit: Visit) {
            guard let profile = facts?["profile"], profile.kind == .object else { return nil }
            code = profile["code"]?.string ?? ""
            others = facts?["dashboard"]?["items"]?.elements.map { Counterpart($0, visit.words) } ?? []
            next = facts?["dashboard"]?["next_cursor"]?.string
        }
    }

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/home")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        receivers = People(answers[0]["sender"], visit)
        senders = People(answers[0]["receiver"], visit)
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        var body: HTML = "<h1>\(words("web.nav.people"))</h1>\n"
        if let receivers { body += section(receivers, role: "sender", visit) }
        if let senders { body += section(senders, role: "receiver", visit) }
        // A sender without receivers has to choose somebody first.
        let seeksReceivers = receivers?.others.isEmpty == true
        let invite: HTML =
            "<a class=\"button\(seeksReceivers ? "" : " plain")\" href=\"\(InviteScreen.path)\">\(words("invite.button"))</a>\n"
        let enter: HTML =
            "<a class=\"button\(seeksReceivers ? " plain" : "")\" href=\"\(ConnectScreen.path)\">\(words("web.people.enter_code"))</a>\n"
        body += "<h2>\(words("web.people.more"))</h2>\n<div class=\"actions\">\n"
        body += seeksReceivers ? invite + enter : enter
        if receivers != nil {
            if !seeksReceivers { body += invite }
        } else {
            body += "<a class=\"button plain\" href=\"/me/sender\">\(words("web.welcome.sender"))</a>\n"
        }
        if senders == nil {
            body += "<a class=\"button plain\" href=\"/me/receiver\">\(words("web.welcome.receiver"))</a>\n"
        }
        body += "</div>\n"
        return ScreenPage(title: words("web.nav.people"), section: .people, body: body)
    }

    private func section(_ people: People, role: String, _ visit: Visit) -> HTML {
        let words = visit.words
        var html: HTML = "<h2>\(words("dashboard.title.\(role)"))</h2>\n"
        if people.others.isEmpty { html += "<p>\(words("dashboard.empty.\(role)"))</p>\n" }
        html += "<ul class=\"rows\">\n"
        for other in people.others { html += other.row(visit) }
        html += "</ul>\n"
        if let next = people.next {
            html +=
                "<p><a class=\"inline\" href=\"\(MorePeopleScreen.path(of: role, after: next))\">\(words("web.list.more"))</a></p>\n"
        }
        html += """
            <p>\(words.html("web.people.code_\(role)", ["code": "<strong>\(people.code)</strong>"])) \
            <a class="inline" href="\(CodesScreen.path)">\(words("web.people.codes"))</a></p>

            """
        return html
    }
}

/// The rest of a long list of people.
package struct MorePeopleScreen: Screen {
    package static let path = "/people/list"

    private let role: String
    private let others: [Counterpart]
    private let next: String?

    static func path(of role: String, after cursor: String) -> String { "\(path)?role=\(role)&cursor=\(cursor)" }

    package static func calls(_ visit: Visit) -> [APICall] {
        let role = visit.query["role"] == "receiver" ? "receiver" : "sender"
        let cursor = visit.query.text("cursor").map { "&cursor=\($0)" } ?? ""
        return [.get("/v1/dashboard?role=\(role)&order=missed&limit=50\(cursor)")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        role = answers[0]["role"]?.string ?? "sender"
        others = answers[0]["items"]?.elements.map { Counterpart($0, visit.words) } ?? []
        next = answers[0]["next_cursor"]?.string
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let title = visit.words("dashboard.title.\(role)")
        var body: HTML = "<h1>\(title)</h1>\n<ul class=\"rows\">\n"
        for other in others { body += other.row(visit) }
        body += "</ul>\n"
        if let next {
            body +=
                "<p><a class=\"inline\" href=\"\(Self.path(of: role, after: next))\">\(visit.words("web.list.more"))</a></p>\n"
        }
        return ScreenPage(title: title, section: .people, body: body)
    }
}
