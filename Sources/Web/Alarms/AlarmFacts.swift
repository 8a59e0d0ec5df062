internal import JSON
internal import Pages
internal import Texts

/// An alarm as the screens show it (K).
struct Alarm {
    enum Kind: String {
        case missed, help, unanswered, drill
    }

    enum Status: String {
        case open, taken, resolved
    }

    /// Somebody in an alarm, as the visitor knows them.
    struct Person: Equatable {
        /// Nil for another receiver whom the visitor does not know, and for a person of the tenant's staff.
        let id: String?
        let name: String
        /// Whether it is a person of the tenant's staff.
        let isOfDesk: Bool

        init?(_ facts: JSONValue?) {
            guard let name = facts?["display_name"]?.string else { return nil }
            id = facts?["id"]?.string
            self.name = name
            isOfDesk = facts?["desk"]?.boolean ?? false
        }

        /// The name, or "you".
        func html(_ visit: Visit) -> HTML {
            id != nil && id == visit.userID ? "\(visit.words("state.you"))" : "\(name: name)"
        }
    }

    let id: String
    let kind: Kind
    let status: Status
    /// What it is about, and who looks after it or how it ended.
    let state: StateFacts
    /// Whether it is about the visitor.
    let isMine: Bool
    let sender: String
    /// The first part of its page, for a receiver.
    let sheet: AlarmSheet
    let takenBy: Person?
    let isTakenByMe: Bool
    /// Whether the visitor has said that they can't look after it.
    let isDeclinedByMe: Bool
    let outcome: String?
    let openedAt: String
    let resolvedAt: String?
    /// Where the sender is, for the desk.
    let timeZone: String?
    let hasCareCard: Bool
    let hasPlace: Bool
    /// To how many receivers a message was written.
    let told: Int
    let lines: [AlarmLine]
    /// The lines of messages that no channel has taken: each by itself, while `lines` has those of a minute as one.
    private let waiting: [AlarmLine]

    init(_ facts: JSONValue) {
        id = facts["id"]?.string ?? ""
        // A server that is newer than this page may have another kind, which is then shown as the usual one.
        kind = facts["kind"]?.string.flatMap(Kind.init) ?? .missed
        status = facts["status"]?.string.flatMap(Status.init) ?? .open
        state = StateFacts(facts["state"])
        isMine = facts["role"]?.string == "sender"
        sender = facts["sender"]?["display_name"]?.string ?? ""
        takenBy = Person(facts["taken_by"])
        isTakenByMe = facts["taken_by_me"]?.boolean ?? false
        isDeclinedByMe = facts["declined_by_me"]?.boolean ?? false
        outcome = facts["outcome"]?.string
        openedAt = facts["opened_at"]?.string ?? ""
        timeZone = facts["time_zone"]?.string
        resolvedAt = facts["resolved_at"]?.string
        hasCareCard = facts["has_care_card"]?.boolean ?? false
        hasPlace = facts["has_place"]?.boolean ?? false
        told = facts["told"]?.integer ?? 0
        let all = facts["timeline"]?.elements.compactMap(AlarmLine.init) ?? []
        lines = AlarmLine.merged(all)
        waiting = all.filter { $0.kind == "being_told" }
        sheet = AlarmSheet(
            facts, name: sender, call: isMine ? nil : lines.last { $0.kind == "help" && $0.note != nil }?.note)
    }

    var path: String { AlarmScreen.path(of: id) }
    var isOver: Bool { status == .resolved }

    /// Whether it is real, so that somebody may have to go and look.
    var isReal: Bool { kind != .drill }

    /// What it is about, for the title of the window.
    var title: String { state.text.hasSuffix(".") ? String(state.text.dropLast()) : state.text }

    /// Whether it can be opened again by the visitor.
    var canReopen: Bool { isOver && !isMine && (outcome == "safe" || outcome == "help_called") }

    /// Those who were told and whom the visitor may know.
    private var known: [Person] {
        var known: [Person] = []
        for line in lines where line.kind == "told" {
            guard let person = line.person, person.id != nil, !known.contains(where: { $0.id == person.id }) else {
                continue
            }
            known.append(person)
        }
        return known
    }

    /// How many people have been reached.
    var reached: Int {
        let known = known
        return told == 0 ? 0 : max(told - beingTold(besides: known), known.count)
    }

    /// Who has been told: the names that the visitor may know, and how many others. Whoever has not been reached does
    /// not count.
    func audience(_ visit: Visit) -> HTML {
        let words = visit.words
        guard told > 0 else { return "\(words("web.alarm.told_nobody"))" }
        var known = known
        let reached = reached
        guard reached > 0 else { return "\(words("web.alarm.reached_nobody"))" }
        known = Array(known.sorted { $0.name < $1.name }.prefix(min(6, reached)))
        let others = reached - known.count
        var names = known.map { $0.html(visit) }
        if others > 0 { names.append("\(words("state.others", ["count": .number(others)]))") }
        return words.html("web.alarm.told", ["names": words.list(names)])
    }

    /// How many people a message was written to that no channel has taken yet, whom `told` counts. Of those whom the
    /// visitor does not know, each has a line in the first minute.
    private func beingTold(besides known: [Person]) -> Int {
        let named = Set(waiting.compactMap { $0.person?.id }).subtracting(known.compactMap(\.id))
        let unnamed = waiting.filter { $0.person?.id == nil && $0.at.prefix(16) == openedAt.prefix(16) }
        return named.count + unnamed.count
    }

    /// The row of a list.
    func row(_ visit: Visit) -> HTML {
        """
        <li data-key="\(id)"><a href="\(path)"><span class="name">\(state.text)</span><br>
        <span class="state \(state.tone)">\(state.detail ?? "")</span><br>
        <span class="quiet">\(visit.words("web.alarm.began", ["moment": .words(visit.words.moment(openedAt))]))</span></a></li>

        """
    }
}

/// An alarm that is not over, as every page has it (`api.page_frame`).
struct PresentAlarm {
    let id: String
    let kind: Alarm.Kind
    let state: StateFacts
    let isMine: Bool
    let takenBy: Alarm.Person?
    let isTakenByMe: Bool
    let openedAt: String

    /// Whether somebody has to act.
    var isUrgent: Bool { kind != .drill && takenBy == nil }

    init?(_ facts: JSONValue) {
        guard let id = facts["id"]?.string else { return nil }
        self.id = id
        kind = facts["kind"]?.string.flatMap(Alarm.Kind.init) ?? .missed
        state = StateFacts(facts["state"])
        isMine = facts["role"]?.string == "sender"
        takenBy = Alarm.Person(facts["taken_by"])
        isTakenByMe = facts["taken_by_me"]?.boolean ?? false
        openedAt = facts["opened_at"]?.string ?? ""
    }
}

/// A question "Are you OK?" that waits for the visitor's check-in (K06).
struct OpenAsk {
    let id: String
    let receiver: String
    let answerBy: String

    init?(_ facts: JSONValue) {
        guard let id = facts["id"]?.string, let answerBy = facts["answer_by"]?.string else { return nil }
        self.id = id
        self.answerBy = answerBy
        receiver = facts["receiver"]?["display_name"]?.string ?? ""
    }
}
