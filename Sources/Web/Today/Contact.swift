internal import JSON
internal import Pages
internal import Texts

/// A connection as the screens show it.
struct Contact {
    struct Ping {
        /// The sender's local date.
        let date: String
        let status: String
        let scheduledAt: String
        let deadlineAt: String
        let completedAt: String?
        let note: String?

        /// Reads a ping. It counts as due from its time on, also in the moment before the worker announces it.
        init?(_ facts: JSONValue, _ words: Words) {
            guard let status = facts["status"]?.string else { return nil }
            let isDue = status == "scheduled" && words.isPast(facts["scheduled_at"]?.string ?? "")
            self.status = isDue ? "due" : status
            date = facts["date"]?.string ?? ""
            scheduledAt = facts["scheduled_at"]?.string ?? ""
            deadlineAt = facts["deadline_at"]?.string ?? ""
            completedAt = facts["completed_at"]?.string
            note = facts["note"]?.string
        }

        /// The colour of the status.
        var tone: String {
            switch status {
            case "completed", "completed_late": "good"
            case "missed": "bad"
            case "due": "warn"
            case "scheduled": "info"
            default: "quiet"
            }
        }
    }

    let id: String
    let status: String
    /// Whether the other side is the receiver.
    let isReceiver: Bool
    /// What the visitor calls the other side.
    let name: String
    let displayName: String
    let alias: String?
    let counterpartID: String
    let consentBy: String?
    let ping: Ping?
    let lastCheckInAt: String?
    let lastNote: String?
    /// How the last check-in came (J05).
    let lastSource: String?
    /// The newest activity of the sender's things, where they share it (J04).
    let lastSign: (at: String, name: String)?
    /// Whether the other side sees the activity of the visitor's things; nil if the visitor is not the sender.
    let sharesActivity: Bool?
    let pingTime: String?
    /// The sender's current or upcoming break, as local dates.
    let pause: (from: String, until: String)?
    let phone: String?
    let isSuspended: Bool

    init(_ facts: JSONValue, _ words: Words) {
        id = facts["id"]?.string ?? ""
        status = facts["status"]?.string ?? ""
        isReceiver = facts["role"]?.string == "sender"
        displayName = facts["counterpart"]?["display_name"]?.string ?? ""
        counterpartID = facts["counterpart"]?["id"]?.string ?? ""
        alias = facts["alias"]?.string
        name = alias ?? displayName
        consentBy = facts["consent_by"]?.string
        ping = facts["today_ping"].flatMap { Ping($0, words) }
        lastCheckInAt = facts["last_check_in_at"]?.string
        lastNote = facts["last_check_in_note"]?.string
        lastSource = facts["last_check_in_source"]?.string
        sharesActivity = facts["share_activity"]?.boolean
        if let at = facts["last_sign"]?["at"]?.string {
            lastSign = (at, facts["last_sign"]?["name"]?.string ?? "")
        } else {
            lastSign = nil
        }
        pingTime = facts["ping_time"]?.string
        if let from = facts["break"]?["from"]?.string, let until = facts["break"]?["until"]?.string {
            pause = (from, until)
        } else {
            pause = nil
        }
        phone = facts["call"]?["phone"]?.string
        isSuspended = facts["suspended_reason"]?.string != nil
    }

    /// The state of today's ping in words, and its colour, which adds nothing to the words.
    func state(_ visit: Visit) -> (text: String, tone: String) {
        let words = visit.words
        func text(_ key: String, _ instant: String?) -> String {
            words("web.ping.\(key)", ["moment": .words(instant.map(words.moment) ?? "")])
        }
        switch status {
        case "pending":
            return (words(consentBy == "me" ? "web.connection.pending_me" : "web.connection.pending_them"), "warn")
        case "paused": return (words("connection.status.paused"), "quiet")
        default: break
        }
        guard let ping, ping.status != "cancelled" else {
            if isSuspended { return (words("web.connection.suspended"), "warn") }
            if let pause { return (words("web.connection.break", ["date": .words(words.date(pause.until))]), "quiet") }
            return (words("web.ping.none"), "quiet")
        }
        switch ping.status {
        case "completed": return (text("completed", ping.completedAt), "good")
        case "completed_late": return (text("completed_late", ping.completedAt), "good")
        case "missed": return (text("missed", ping.deadlineAt), "bad")
        case "due": return (words("web.ping.due", ["until": .words(words.until(ping.deadlineAt))]), "warn")
        default: return (text("scheduled", ping.scheduledAt), "info")
        }
    }

    /// When and how the last check-in came; nothing if none has.
    func lastCheckIn(_ words: Words) -> HTML {
        guard let lastCheckInAt, let source = words.source(lastSource) else { return "" }
        let text = words(
            "web.people.last_check_in", ["moment": .words(words.moment(lastCheckInAt)), "source": .words(source)])
        return "<p class=\"quiet\">\(text)</p>\n"
    }

    /// The last sign of activity in words; nil if there is none.
    func activity(_ words: Words) -> HTML? {
        guard let lastSign else { return nil }
        return words.html(
            "web.people.last_sign", ["time": "\(words.stamp(lastSign.at))", "name": "\(name: lastSign.name)"])
    }

    /// How today's check-in came, where it matters to a receiver: not by the app or the website.
    private func unusualSource(_ words: Words) -> String? {
        guard !isReceiver, let at = ping?.completedAt, at == lastCheckInAt, lastSource != "app", lastSource != "web"
        else { return nil }
        return words.source(lastSource)
    }

    /// The row of a list.
    func row(_ visit: Visit) -> HTML {
        let state = state(visit)
        var html: HTML = """
            <li><a href="/people/\(id)"><span class="name">\(name: name)</span><br>
            <span class="state \(state.tone)">\(state.text)</span>
            """
        if let note = ping?.note ?? lastNote, ping?.status.hasPrefix("completed") ?? false {
            html += "<br>\n<span>“\(name: note)”</span>"
        }
        if let source = unusualSource(visit.words) {
            html += "<br>\n<span class=\"quiet\">\(visit.words("web.source.came", ["source": .words(source)]))</span>"
        }
        if let activity = activity(visit.words) { html += "<br>\n<span class=\"quiet\">\(activity)</span>" }
        html += "</a>"
        if let phone, ping?.status == "missed" {
            html +=
                "\n<a class=\"inline\" href=\"tel:\(phone)\">\(visit.words.html("web.people.call", ["name": "\(name: name)"]))</a>"
        }
        return html + "</li>\n"
    }
}
