internal import JSON
internal import Pages
internal import Texts

/// The sender's part of Today: what the day says, and the button that answers it.
struct SenderToday {
    private let state: StateFacts
    private let receivers: [Counterpart]
    /// How the last check-in came, and when.
    private let last: (at: String, source: String)?

    /// Reads `GET /v1/home`; nil for somebody who is no sender.
    init?(_ home: JSONValue, _ visit: Visit) {
        guard let facts = home["sender"], facts.kind == .object else { return nil }
        state = StateFacts(home["state"])
        receivers = facts["dashboard"]?["items"]?.elements.map { Counterpart($0, visit.words) } ?? []
        let newest = receivers.compactMap { other in
            other.lastCheckInAt.map { (at: $0, source: other.lastSource ?? "") }
        }
        last = newest.max { $0.at < $1.at }
    }

    func section(_ visit: Visit) -> HTML {
        switch state.kind {
        case "safe": done(visit)
        case "waiting", "missed", "late", "help": ask(visit) + lastCheckIn(visit.words)
        default: rest(visit) + lastCheckIn(visit.words)
        }
    }

    /// The button, above what happens without it.
    private func ask(_ visit: Visit) -> HTML {
        let waits = receivers.contains(where: \.isBeingTold) ? " data-waits" : ""
        let panel: HTML = state.detail.map { "<p class=\"lead\"\(waits)>\($0)</p>\n" } ?? ""
        // The heading too, so that the button can wait on the screen while the heading fills it.
        return visit.form(
            """
            \(state.heading)\(bigButton(visit))\
            \(panel)\
            \(note(visit))
            """)
    }

    /// What the check-in did, and until when all is quiet.
    private func done(_ visit: Visit) -> HTML {
        """
        \(state.heading)<p class="lead">\(state.detail ?? "")</p>
        \(again(visit, "web.today.again"))
        """
    }

    /// A day that asks for nothing, with the way to what would change it.
    private func rest(_ visit: Visit) -> HTML {
        let panel: HTML = state.detail.map { "<p class=\"lead\">\($0)</p>\n" } ?? ""
        return "\(state.heading)\(panel)\(way(visit.words))\(again(visit, "web.today.say"))"
    }

    private func way(_ words: Words) -> HTML {
        let link: (path: String, label: String)
        switch state.kind {
        case "break": link = ("/me/break", "web.today.break_link")
        case "pending": link = ("/people", "web.nav.people")
        case "paused":
            let isPaused = receivers.contains { $0.status == "paused" }
            link = ("/people", isPaused ? "web.nav.people" : "web.today.alone_link")
        default:
            guard !receivers.contains(where: \.isTold) else { return "" }
            link = ("/people", "web.today.alone_link")
        }
        return "<a class=\"button\" href=\"\(link.path)\">\(words(link.label))</a>\n"
    }

    private func lastCheckIn(_ words: Words) -> HTML {
        last.map { "<p class=\"quiet\">\(words.lastCheckIn($0.at, from: $0.source))</p>\n" } ?? ""
    }

    private func bigButton(_ visit: Visit) -> HTML {
        "<button class=\"button main big\" name=\"\(FormFields.act)\" value=\"safe\">\(visit.words("web.today.safe"))</button>\n"
    }

    /// A further check-in, which is never wrong.
    private func again(_ visit: Visit, _ label: String) -> HTML {
        """
        <details>
        <summary>\(visit.words(label))</summary>
        \(visit.form("\(visit.button("safe", visit.words("web.today.safe"), .plain))"))
        </details>

        """
    }

    private func note(_ visit: Visit) -> HTML {
        """
        <details>
        <summary>\(visit.words("web.today.add_note"))</summary>
        \(visit.area("note", visit.words("web.today.note"), limit: 500, hint: visit.words("web.today.note_hint")))\
        \(visit.check("share_note", "\(visit.words("web.today.share_note"))"))\
        \(visit.button("safe", visit.words("web.today.safe"), .plain))
        </details>
        """
    }
}
