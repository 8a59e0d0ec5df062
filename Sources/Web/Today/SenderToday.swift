internal import JSON
internal import Pages
internal import Texts

/// The sender's part of Today.
struct SenderToday {
    /// What the day asks of the sender.
    enum State {
        /// Receivers were told of a miss, and the sender has not checked in since. Nothing hides it: no new day, zone
        /// or break.
        case missed(Contact.Ping)
        /// A ping waits for its answer until the deadline.
        case due(until: String)
        /// The deadline has passed, and nobody was told.
        case untold(since: String)
        case done(Contact.Ping)
        /// Nothing is asked yet.
        case early(from: String, until: String)
        /// The time of a question has passed, and Kith, which is late, has not asked it (X39).
        case unasked(since: String)
        /// Until that local date no pings come.
        case onBreak(until: String)
        case paused
        /// Those who receive the sender's pings have no subscription.
        case lapsed
        /// Those who are to receive the sender's pings have not agreed.
        case pending
        /// Nobody receives the sender's pings.
        case alone
        /// Today nothing is asked.
        case nothing
    }

    let state: State
    private let pingTime: String
    /// The zone of the profile, by which the sender is asked.
    private let zone: String?
    /// The break if it has begun or is to come, as local dates.
    private let pause: (from: String, until: String)?
    private let receivers: [Contact]
    /// How the last check-in came, and when.
    private let last: (at: String, source: String)?
    /// The local date of the dashboard.
    private let date: String
    /// When the sender is asked next, as the API says; nil if it does not.
    private let nextAt: String?
    /// Those who are told if the sender does not check in.
    private let told: [Contact]
    /// Those of them who are told first, and how many minutes after the deadline.
    private let first: [Contact]
    private let wait: Int

    init?(_ facts: JSONValue, _ visit: Visit) {
        guard facts.kind == .object, let profile = facts["profile"], let dashboard = facts["dashboard"] else {
            return nil
        }
        pingTime = profile["ping_time"]?.string ?? ""
        zone = profile["time_zone"]?.string
        if let from = facts["break"]?["from"]?.string, let until = facts["break"]?["until"]?.string {
            pause = (from, until)
        } else {
            pause = nil
        }
        receivers = dashboard["items"]?.elements.map { Contact($0, visit.words) } ?? []
        nextAt = facts["next_ping_at"]?.string
        told = receivers.filter(\.isHeard)
        (first, wait) = Self.first(told, by: facts["plan"]?["tiers"]?.elements ?? [])
        let newest = receivers.compactMap { contact in
            contact.lastCheckInAt.map { (at: $0, source: contact.lastSource ?? "") }
        }
        last = newest.max { $0.at < $1.at }
        date = dashboard["date"]?.string ?? ""
        let state = Self.state(receivers, pause: pause, on: date)
        // What waits for an answer, or has one, comes before what should have been asked.
        if case .nothing = state, !told.isEmpty, let nextAt, visit.words.isPast(nextAt) {
            self.state = .unasked(since: nextAt)
        } else {
            self.state = state
        }
    }

    private static func state(_ receivers: [Contact], pause: (from: String, until: String)?, on date: String) -> State {
        // While a connection is pending, its pings tell nobody (P29).
        let pings = receivers.filter { $0.status != "pending" }.compactMap(\.ping)
        let asked = receivers.filter(\.isTold).compactMap(\.ping)
        func first(_ pings: [Contact.Ping], _ status: String) -> Contact.Ping? { pings.first { $0.status == status } }
        // Instants of the API sort as texts.
        if let missed = receivers.compactMap(\.missed).max(by: { $0.deadlineAt < $1.deadlineAt }) {
            return .missed(missed)
        }
        if let due = first(pings, "due") { return .due(until: due.judgedAt) }
        if let missed = first(pings, "missed") { return .untold(since: missed.deadlineAt) }
        if let pause, pause.from <= date { return .onBreak(until: pause.until) }
        let late = pings.filter { $0.status == "completed_late" }
        if let done = late.first(where: { $0.toldAt != nil }) ?? late.first ?? first(pings, "completed") {
            return .done(done)
        }
        if let next = first(asked, "scheduled") { return .early(from: next.scheduledAt, until: next.deadlineAt) }
        func has(_ status: String) -> Bool { receivers.contains { $0.status == status } }
        if receivers.contains(where: \.isTold) { return .nothing }
        return has("active") ? .lapsed : has("paused") ? .paused : has("pending") ? .pending : .alone
    }

    /// Those whom the tiers of a plan tell first, and how many minutes after the deadline (K04). Tiers before theirs,
    /// which have nobody who is told, delay nothing.
    private static func first(_ told: [Contact], by tiers: [JSONValue]) -> (contacts: [Contact], minutes: Int) {
        let minutes = tiers.first?["after_minutes"]?.integer ?? 0
        for tier in tiers {
            let ids = Set(tier["receivers"]?.elements.compactMap(\.string) ?? [])
            let contacts = told.filter { ids.contains($0.id) }
            if !contacts.isEmpty { return (contacts, minutes) }
        }
        return (told, minutes)
    }

    /// What happens without a check-in until the deadline: who is told when, and who later.
    private func warning(
        _ key: String, _ deadline: String, _ words: Words, _ values: [String: HTML] = [:]
    ) -> HTML {
        let instant = Words.microseconds(deadline).map { $0 + Int64(wait) * 60_000_000 }
        let moment: HTML = "\(instant.map(words.moment) ?? "")"
        let begin = text(key, about: first, words, values.merging(["moment": moment]) { $1 })
        let later = told.filter { contact in !first.contains { $0.id == contact.id } }
        guard !later.isEmpty else { return begin }
        return "\(begin) \(text("web.today.later", about: later, words))"
    }

    /// Names in one phrase.
    private func names(_ contacts: [Contact], _ words: Words) -> HTML {
        let shown = contacts.prefix(3).map { contact -> HTML in "\(name: contact.name)" }
        let more = contacts.count - shown.count
        guard more > 0 else { return words.list(shown) }
        return words.list(shown + ["\(words("web.today.others", ["count": .number(more)]))"])
    }

    /// A text about some of the receivers, in the form for their number.
    private func text(
        _ key: String, about contacts: [Contact], _ words: Words, _ values: [String: HTML] = [:]
    ) -> HTML {
        words.html(key, values.merging(["names": names(contacts, words)]) { $1 }, count: contacts.count)
    }

    /// When the sender is asked the next time after today, in the reader's zone; nil if a break comes first, or nobody
    /// would be told.
    private func next(_ words: Words) -> Int64? {
        if told.isEmpty { return nil }
        if let nextAt { return Words.microseconds(nextAt) }
        let tomorrow = words.today(in: zone).adding(days: 1)
        if let pause, pause.from <= Words.iso(tomorrow), Words.iso(tomorrow) <= pause.until { return nil }
        return words.instant(ofDay: pingTime, on: tomorrow, in: zone ?? words.timeZone)
    }

    func section(_ visit: Visit) -> HTML {
        main(visit) + notes(visit.words)
    }

    private func main(_ visit: Visit) -> HTML {
        let words = visit.words
        func moment(_ instant: String) -> HTML { "\(words.moment(instant))" }
        switch state {
        case .missed(let ping):
            let heading =
                ping.date == date
                ? words("web.today.missed")
                : words("web.today.missed_on", ["date": .words(words.date(ping.date))])
            return ask(
                visit, heading: heading,
                meaning: whoWasTold(ping, words), tone: "bad")
        case .due(let until):
            // Kith is late with its judgement (X39).
            let isLate = words.isPast(until)
            return ask(
                visit, heading: words("web.today.due"),
                meaning: told.isEmpty
                    ? "" : warning(isLate ? "web.today.if_not_now" : "web.today.if_not", until, words), tone: "warn")
        case .untold(let since):
            return ask(
                visit, heading: words("web.today.missed"),
                meaning: words.html("web.today.untold_text", ["moment": moment(since)]), tone: "warn")
        case .early(let from, let until):
            return ask(
                visit, heading: words("web.today.early"),
                meaning: warning("web.today.early_text", until, words, ["from": moment(from)]), tone: "")
        case .unasked(let since):
            return ask(
                visit, heading: words("web.today.unasked"),
                meaning: words.html("web.today.unasked_text", ["moment": moment(since)]), tone: "warn")
        case .done(let ping): return done(visit, ping)
        case .onBreak(let until):
            return rest(
                visit, heading: "web.today.break",
                text: "\(words("web.today.break_text", ["date": .words(words.date(until))]))",
                link: ("/me/break", "web.today.break_link"))
        case .paused:
            return rest(
                visit, heading: "web.today.paused", text: "\(words("web.today.paused_text"))",
                link: ("/people", "web.nav.people"))
        case .lapsed:
            return rest(
                visit, heading: "web.today.lapsed", text: "\(words("web.today.lapsed_text"))",
                link: ("/people", "web.today.alone_link"))
        case .pending:
            return rest(
                visit, heading: "web.today.alone",
                text: text("web.today.pending_text", about: receivers.filter { $0.status == "pending" }, words),
                link: ("/people", "web.nav.people"))
        case .alone:
            return rest(
                visit, heading: "web.today.alone", text: "\(words("web.today.alone_text"))",
                link: ("/people", "web.today.alone_link"))
        case .nothing:
            return rest(
                visit, heading: Self.isAsked(visit) ? "web.today.heading" : "web.today.nothing",
                text: next(words).map {
                    "\(words("web.today.nothing_text", ["moment": .words(words.moment($0))]))"
                } ?? "", link: nil)
        }
    }

    /// What the sender has to know besides: who is not told, and when they last checked in.
    private func notes(_ words: Words) -> HTML {
        var html: HTML = ""
        let lapsed = receivers.filter { $0.status == "active" && $0.isSuspended }
        if !lapsed.isEmpty {
            html += "<p class=\"panel warn\">\(text("web.today.not_told", about: lapsed, words))</p>\n"
        }
        let unreachable = receivers.filter { $0.isTold && !$0.isReachable }
        if !unreachable.isEmpty {
            html += "<p class=\"panel bad\">\(text("web.today.unreachable", about: unreachable, words))</p>\n"
        }
        if case .done = state { return html }
        if let last {
            let source = words.source(last.source)
            let values: [String: TextValue] = ["moment": .words(words.moment(last.at)), "source": .words(source ?? "")]
            let key = source == nil ? "web.people.last_check_in_at" : "web.people.last_check_in"
            html += "<p class=\"quiet\">\(words(key, values))</p>\n"
        }
        return html
    }

    /// The button, above what happens without it.
    private func ask(_ visit: Visit, heading: String, meaning: HTML, tone: String) -> HTML {
        let panel: HTML = meaning.text.isEmpty ? "" : "<p class=\"panel \(tone) lead\">\(meaning)</p>\n"
        return """
            <h1>\(heading)</h1>
            \(visit.form(
                """
                \(bigButton(visit))\
                \(panel)\
                \(note(visit))
                """))
            """
    }

    /// Whether somebody has asked the visitor whether they are OK, and has no answer.
    private static func isAsked(_ visit: Visit) -> Bool { visit.person?.asks.isEmpty == false }

    /// What the check-in did, and until when all is quiet.
    private func done(_ visit: Visit, _ ping: Contact.Ping) -> HTML {
        let words = visit.words
        let at = ping.completedAt ?? ping.deadlineAt
        let moment: [String: HTML] = ["moment": "\(words.moment(at))"]
        // X35: "late" is said only if somebody had been told of a miss.
        let alarmed = receivers.filter { $0.ping?.status == "completed_late" && $0.ping?.toldAt != nil }
        let sentence: HTML =
            if ping.arrivedLate {
                words.html("web.today.arrived_later", moment)
            } else if ping.status == "completed_late", !alarmed.isEmpty {
                text("web.today.late_text", about: alarmed, words, moment)
            } else if told.isEmpty {
                words.html("web.today.done_alone", moment)
            } else {
                text("web.today.done_text", about: told, words, moment)
            }
        // A check-in of another day, or a later one of this day, may have come another way.
        let source = last?.at == at ? words.source(last?.source) : nil
        let came: HTML = source.map { " \(words("web.source.came", ["source": .words($0)]))" } ?? ""
        // A newer question stands open above, with its button: nothing is quiet until it is answered (X39).
        guard !Self.isAsked(visit) else {
            return "<h1>\(words("web.today.heading"))</h1>\n<p class=\"panel lead\">\(sentence)\(came)</p>\n"
        }
        let rest: HTML =
            next(words).map { "<p>\(words("web.today.quiet_until", ["until": .words(words.until($0))]))</p>" }
            ?? pause.map {
                "<p>\(words("web.today.break_text", ["date": .words(words.date($0.until))]))</p>"
            } ?? ""
        return """
            <h1>\(words("web.today.done"))</h1>
            <div class="panel good lead">
            <p>\(sentence)\(came)</p>
            \(rest)
            </div>
            \(again(visit, "web.today.again"))
            """
    }

    /// Who knows of the miss, and who does not.
    private func whoWasTold(_ ping: Contact.Ping, _ words: Words) -> HTML {
        let alarmed = receivers.filter { $0.missed != nil }
        func those(_ telling: String) -> [Contact] { alarmed.filter { $0.missed?.telling == telling } }
        let (waiting, unreached) = (those("being_told"), those("not_reached"))
        let told = alarmed.filter { contact in !(waiting + unreached).contains { $0.id == contact.id } }
        let moment: HTML = "\(words.moment(told.compactMap { $0.missed?.toldAt }.max() ?? ping.deadlineAt))"
        var sentences: [HTML] = []
        if !told.isEmpty { sentences.append(text("web.today.were_told", about: told, words, ["moment": moment])) }
        if !waiting.isEmpty {
            sentences.append("<span data-waits>\(text("web.today.being_told", about: waiting, words))</span>")
        }
        if !unreached.isEmpty { sentences.append(text("web.today.not_reached", about: unreached, words)) }
        if let said = alarmed.lazy.compactMap(\.resolution).first {
            let key = said.outcome == "help_called" ? "help_called" : "safe"
            let who: HTML = said.by.map { "\(name: $0.name)" } ?? "\(words("web.alarm.others", ["count": .number(1)]))"
            sentences.append(
                words.html("web.today.said.\(key)", ["who": who, "moment": "\(words.moment(said.at))"]))
        }
        return sentences.dropFirst().reduce(sentences.first ?? "") { "\($0) \($1)" }
    }

    private func rest(_ visit: Visit, heading: String, text: HTML, link: (path: String, label: String)?) -> HTML {
        var html: HTML = """
            <h1>\(visit.words(heading))</h1>
            <p class="panel lead">\(text)</p>

            """
        if let link { html += "<a class=\"button\" href=\"\(link.path)\">\(visit.words(link.label))</a>\n" }
        return html + again(visit, "web.today.say")
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
