internal import JSON
internal import Pages
internal import Texts

/// The sender's part of Today.
struct SenderToday {
    /// What the day asks of the sender.
    enum State {
        /// A ping waits for its answer until the deadline.
        case due(until: String)
        /// The deadline has passed.
        case missed(since: String)
        case done(at: String)
        case doneLate(at: String)
        /// Nothing is asked yet.
        case early(from: String, until: String)
        /// Until that local date no pings come.
        case onBreak(until: String)
        case paused
        /// Nobody receives the sender's pings.
        case alone
        /// Today nothing is asked.
        case nothing
    }

    let state: State
    private let pingTime: String
    /// The current or upcoming break, as local dates.
    private let pause: (from: String, until: String)?
    private let receivers: [Contact]
    /// How the last check-in came, and when.
    private let last: (at: String, source: String)?
    /// Those who are told.
    private let told: [Contact]

    init?(_ facts: JSONValue, _ visit: Visit) {
        guard facts.kind == .object, let profile = facts["profile"], let dashboard = facts["dashboard"] else {
            return nil
        }
        pingTime = profile["ping_time"]?.string ?? ""
        if let from = facts["break"]?["from"]?.string, let until = facts["break"]?["until"]?.string {
            pause = (from, until)
        } else {
            pause = nil
        }
        receivers = dashboard["items"]?.elements.map { Contact($0, visit.words) } ?? []
        told = receivers.filter { $0.status == "active" }
        let newest = receivers.compactMap { contact in contact.lastCheckInAt.map { (at: $0, source: contact.lastSource ?? "") } }
        last = newest.max { $0.at < $1.at }
        let date = dashboard["date"]?.string ?? ""
        let pings = receivers.compactMap(\.ping)
        func first(_ status: String) -> Contact.Ping? { pings.first { $0.status == status } }
        if let missed = first("missed") {
            state = .missed(since: missed.deadlineAt)
        } else if let due = first("due") {
            state = .due(until: due.deadlineAt)
        } else if let pause, pause.from <= date {
            state = .onBreak(until: pause.until)
        } else if let late = first("completed_late") {
            state = .doneLate(at: late.completedAt ?? late.deadlineAt)
        } else if let done = first("completed") {
            state = .done(at: done.completedAt ?? done.scheduledAt)
        } else if let next = first("scheduled") {
            state = .early(from: next.scheduledAt, until: next.deadlineAt)
        } else if receivers.isEmpty {
            state = .alone
        } else if told.isEmpty {
            state = receivers.contains { $0.status == "paused" } ? .paused : .alone
        } else {
            state = .nothing
        }
    }

    /// The names of those who are told, in one phrase.
    private func names(_ words: Words) -> HTML {
        let shown = told.prefix(3).map { contact -> HTML in "\(name: contact.name)" }
        let more = told.count - shown.count
        guard more > 0 else { return words.list(shown) }
        return words.list(shown + ["\(words("web.today.others", ["count": .number(more)]))"])
    }

    /// When the sender is asked the next time after today; nil if a break comes first.
    private func next(_ words: Words) -> String? {
        if let pause, pause.from <= words.tomorrow { return nil }
        return words("web.moment.tomorrow", ["time": .words(words.time(ofDay: pingTime))])
    }

    func section(_ visit: Visit) -> HTML {
        let words = visit.words
        let names = names(words)
        let next = next(words)
        func moment(_ instant: String) -> HTML { "\(words.moment(instant))" }
        switch state {
        case .due(let until):
            return ask(
                visit, heading: "web.today.due",
                meaning: words.html("web.today.if_not", ["moment": moment(until), "names": names]), tone: "warn")
        case .missed(let since):
            return ask(
                visit, heading: "web.today.missed",
                meaning: words.html("web.today.were_told", ["moment": moment(since), "names": names]), tone: "bad")
        case .early(let from, let until):
            return ask(
                visit, heading: "web.today.early",
                meaning: words.html(
                    "web.today.early_text", ["from": moment(from), "moment": moment(until), "names": names]), tone: "")
        case .done(let at):
            return done(
                visit, heading: "web.today.done",
                text: words.html("web.today.done_text", ["moment": moment(at), "names": names]), at)
        case .doneLate(let at):
            return done(
                visit, heading: "web.today.done",
                text: words.html("web.today.late_text", ["moment": moment(at), "names": names]), at)
        case .onBreak(let until):
            return rest(
                visit, heading: "web.today.break",
                text: words("web.today.break_text", ["date": .words(words.date(until))]),
                link: ("/me/break", "web.today.break_link"))
        case .paused:
            return rest(
                visit, heading: "web.today.paused", text: words("web.today.paused_text"),
                link: ("/people", "web.nav.people"))
        case .alone:
            return rest(
                visit, heading: "web.today.alone", text: words("web.today.alone_text"),
                link: ("/people", "web.today.alone_link"))
        case .nothing:
            return rest(
                visit, heading: "web.today.nothing",
                text: next.map { words("web.today.nothing_text", ["moment": .words($0)]) } ?? "", link: nil)
        }
    }

    /// The button, above what happens without it.
    private func ask(_ visit: Visit, heading: String, meaning: HTML, tone: String) -> HTML {
        """
        <h1>\(visit.words(heading))</h1>
        \(visit.form(
            """
            \(bigButton(visit))\
            <p class="panel \(tone) lead">\(meaning)</p>
            \(note(visit))
            """))
        """
    }

    /// What the check-in did, and until when all is quiet.
    private func done(_ visit: Visit, heading: String, text: HTML, _ at: String) -> HTML {
        let next = next(visit.words)
        // A check-in of another day, or a later one of this day, may have come another way.
        let source = last?.at == at ? visit.words.source(last?.source) : nil
        let came: HTML = source.map { " \(visit.words("web.source.came", ["source": .words($0)]))" } ?? ""
        let rest: HTML =
            next.map { "<p>\(visit.words("web.today.quiet_until", ["moment": .words($0)]))</p>" }
            ?? pause.map {
                "<p>\(visit.words("web.today.break_text", ["date": .words(visit.words.date($0.until))]))</p>"
            } ?? ""
        return """
            <h1>\(visit.words(heading))</h1>
            <div class="panel good lead">
            <p>\(text)\(came)</p>
            \(rest)
            </div>
            \(again(visit))
            """
    }

    private func rest(_ visit: Visit, heading: String, text: String, link: (path: String, label: String)?) -> HTML {
        var html: HTML = """
            <h1>\(visit.words(heading))</h1>
            <p class="panel lead">\(text)</p>

            """
        if let link { html += "<a class=\"button\" href=\"\(link.path)\">\(visit.words(link.label))</a>\n" }
        return html + again(visit)
    }

    private func bigButton(_ visit: Visit) -> HTML {
        "<button class=\"button main big\" name=\"\(FormFields.act)\" value=\"safe\">\(visit.words("web.today.safe"))</button>\n"
    }

    /// A further check-in, which is never wrong.
    private func again(_ visit: Visit) -> HTML {
        """
        <details>
        <summary>\(visit.words("web.today.again"))</summary>
        \(visit.form("\(visit.button("safe", visit.words("web.today.safe"), .plain))"))
        </details>

        """
    }

    private func note(_ visit: Visit) -> HTML {
        """
        <details>
        <summary>\(visit.words("web.today.add_note"))</summary>
        \(visit.area("note", visit.words("web.today.note"), limit: 500, hint: visit.words("web.today.note_hint")))\
        \(visit.check("share_note", "\(visit.words("web.today.share_note"))"))
        </details>
        """
    }
}
