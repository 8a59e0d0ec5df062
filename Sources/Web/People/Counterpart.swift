internal import JSON
internal import Pages
internal import Texts

/// A connection as the screens show it.
struct Counterpart {
    struct Ping {
        /// The sender's local date.
        let date: String
        let status: String
        let deadlineAt: String
        let completedAt: String?
        /// When the receiver was told that it was missed.
        let toldAt: String?
        /// Whether no channel has taken the message yet (`being_told`), or none will (`not_reached`).
        let telling: String?
        let note: String?

        /// Reads a ping. It counts as due from its time on, also in the moment before the worker announces it.
        init?(_ facts: JSONValue, _ words: Words) {
            guard let status = facts["status"]?.string else { return nil }
            let isDue = status == "scheduled" && words.isPast(facts["scheduled_at"]?.string ?? "")
            self.status = isDue ? "due" : status
            date = facts["date"]?.string ?? ""
            deadlineAt = facts["deadline_at"]?.string ?? ""
            completedAt = facts["completed_at"]?.string
            toldAt = facts["told_at"]?.string
            telling = facts["telling"]?.string
            note = facts["note"]?.string
        }

        var isCompleted: Bool { status == "completed" || status == "completed_late" }

        /// Whether the sender had checked in before the deadline, and it arrived after it (J07). Instants of the API
        /// sort as texts.
        var arrivedLate: Bool { status == "completed_late" && (completedAt ?? "") < deadlineAt }

        /// What became of it, as a suffix of keys. "Late" is only said where somebody had been told of a miss (X35).
        var outcome: String {
            guard status == "completed_late" else { return status }
            return arrivedLate ? "arrived_later" : toldAt == nil ? "completed" : status
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
    /// How things stand with the other side.
    let state: StateFacts
    /// Whether the other side is the receiver.
    let isReceiver: Bool
    /// What the visitor calls the other side.
    let name: String
    let displayName: String
    let alias: String?
    let counterpartID: String
    let consentBy: String?
    let ping: Ping?
    /// The newest miss of which the receiver was told, and which the sender has not answered.
    let missed: Ping?
    /// The sender's last test message (I07): when it was sent, when the receiver answered, and whether it reached them.
    let test: (sentAt: String, answeredAt: String?, reached: Bool)?
    /// Until when the sender has time to answer the visitor's question "Are you OK?" (K06); nil without one.
    let askedUntil: String?
    /// Whether a receiver can be reached at all; true where the tenant's own server tells them.
    var isReachable: Bool { ways?.isEmpty != true }
    /// On which channels a receiver can be reached; nil where the tenant's own server tells them, or for a sender.
    private let ways: [String]?
    let lastCheckInAt: String?
    let lastNote: String?
    /// How the last check-in came (J05).
    let lastSource: String?
    /// The newest activity of the sender's things, where they share it (J04).
    let lastSign: (at: String, name: String)?
    /// Whether the other side sees the activity of the visitor's things; nil if the visitor is not the sender.
    let sharesActivity: Bool?
    /// Whether the receiver may ask "Are you OK?" (K06).
    let mayAsk: Bool
    /// Whether the receiver sees the sender's care card without an alarm too (K07).
    let alwaysShowsCard: Bool
    /// The sender's break if it has begun, as local dates.
    let pause: (from: String, until: String)?
    let phone: String?
    let isSuspended: Bool

    init(_ facts: JSONValue, _ words: Words) {
        id = facts["id"]?.string ?? ""
        status = facts["status"]?.string ?? ""
        state = StateFacts(facts["state"])
        isReceiver = facts["role"]?.string == "sender"
        displayName = facts["counterpart"]?["display_name"]?.string ?? ""
        counterpartID = facts["counterpart"]?["id"]?.string ?? ""
        alias = facts["alias"]?.string
        name = alias ?? displayName
        consentBy = facts["consent_by"]?.string
        ping = facts["today_ping"].flatMap { Ping($0, words) }
        missed = facts["missed_ping"].flatMap { Ping($0, words) }
        test = facts["test"]?["sent_at"]?.string.map {
            ($0, facts["test"]?["answered_at"]?.string, facts["test"]?["reached"]?.boolean ?? false)
        }
        askedUntil = facts["asked_until"]?.string
        ways = facts["reachable_by"].flatMap { $0.kind == .array ? $0.elements.compactMap(\.string) : nil }
        lastCheckInAt = facts["last_check_in_at"]?.string
        lastNote = facts["last_check_in_note"]?.string
        lastSource = facts["last_check_in_source"]?.string
        sharesActivity = facts["share_activity"]?.boolean
        mayAsk = facts["may_ask"]?.boolean ?? true
        alwaysShowsCard = facts["always_care_card"]?.boolean ?? false
        if let at = facts["last_sign"]?["at"]?.string {
            lastSign = (at, facts["last_sign"]?["name"]?.string ?? "")
        } else {
            lastSign = nil
        }
        if let from = facts["break"]?["from"]?.string, let until = facts["break"]?["until"]?.string,
            from <= words.isoToday(in: facts["time_zone"]?.string)
        {
            pause = (from, until)
        } else {
            pause = nil
        }
        phone = facts["call"]?["phone"]?.string
        isSuspended = facts["suspended_reason"]?.string != nil
    }

    /// Whether the receiver is told if the sender does not check in.
    var isTold: Bool { status == "active" && !isSuspended }

    /// How things stand, as HTML.
    var lines: HTML { state.lines(waits: isBeingTold) }

    /// Whether the receiver is being told of a miss.
    var isBeingTold: Bool { isReceiver && missed?.telling == "being_told" }

    /// When and how the last check-in came. Nil if a receiver may not know, or if the lines say it already.
    func lastCheckIn(_ words: Words) -> String? {
        guard isReceiver || status == "active" else { return nil }
        guard let lastCheckInAt else { return isReceiver ? nil : words("web.people.no_check_in") }
        if missed == nil, let ping, ping.isCompleted, ping.completedAt == lastCheckInAt { return nil }
        return words.lastCheckIn(lastCheckInAt, from: lastSource)
    }

    /// The last sign of activity in words; nil if there is none.
    func activity(_ words: Words) -> HTML? {
        lastSign.map { words.lastSign($0.at, from: $0.name) }
    }

    /// How a receiver is reached: "push, text", or "can't be reached"; empty where nobody here knows.
    func reached(_ words: Words) -> String {
        guard let ways else { return words("web.people.reached_somehow") }
        guard !ways.isEmpty else { return words("web.people.unreached") }
        return ways.map { words("web.channel.\($0)") }.joined(separator: ", ")
    }

    /// How today's check-in came, in words, where it matters to a receiver: not by the app or the website.
    func came(_ words: Words) -> String? {
        guard !isReceiver, let at = ping?.completedAt, at == lastCheckInAt, lastSource != "app", lastSource != "web"
        else { return nil }
        return words.source(lastSource).map { words("state.source.came", ["source": .words($0)]) }
    }

    /// The row of a list.
    func row(_ visit: Visit) -> HTML {
        let words = visit.words
        var html: HTML = """
            <li><a class="somebody \(state.tone)" href="/people/\(id)">\(state.shape.html)<span><span class="name">\(name: name)</span><br>
            \(lines)
            """
        if let note = ping?.note ?? lastNote, missed == nil, ping?.isCompleted ?? false {
            html += "<br>\n<span>“\(name: note)”</span>"
        }
        if let came = came(words) { html += "<br>\n<span class=\"quiet\">\(came)</span>" }
        if !isReceiver, let last = lastCheckIn(words) { html += "<br>\n<span class=\"quiet\">\(last)</span>" }
        if let activity = activity(words) { html += "<br>\n<span class=\"quiet\">\(activity)</span>" }
        html += "</span></a>"
        if let phone, missed != nil {
            html +=
                "\n<a class=\"inline\" href=\"tel:\(phone)\"><span>\(words.html("web.people.call", ["name": "\(name: name)"]))</span></a>"
        }
        return html + "</li>\n"
    }
}
