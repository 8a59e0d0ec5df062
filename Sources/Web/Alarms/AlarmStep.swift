internal import JSON
internal import Pages
internal import Texts

/// A step of the rehearsal of a plan: what happens on the day on which the visitor does not check in.
struct AlarmStep {
    enum Kind: String {
        case due = "ping_due"
        case missed = "ping_missed"
        case told
        case desk = "desk_told"
        case again = "repeated"
    }

    let at: String
    let kind: Kind
    let personID: String?
    let person: String
    let channel: String?
    let text: String

    /// Nil for what belongs to another rehearsal, such as emergency access, or is of a kind that this page does not
    /// know.
    private init?(_ facts: JSONValue) {
        guard let kind = facts["kind"]?.string.flatMap(Kind.init) else { return nil }
        self.kind = kind
        at = facts["at"]?.string ?? ""
        personID = facts["person"]?["id"]?.string
        person = facts["person"]?["display_name"]?.string ?? ""
        channel = facts["channel"]?.string
        text = facts["text"]?.string ?? ""
    }

    /// The steps in the answer of `GET /v1/me/alarm-plan/rehearsal`; none if there is no answer, since such calls are
    /// counted.
    static func all(_ answer: JSONValue) -> [AlarmStep] { answer["steps"]?.elements.compactMap(AlarmStep.init) ?? [] }

    /// The step in words. Whoever has no channel is told nothing outside of the app, which the visitor should know in
    /// time.
    func html(_ words: Words) -> HTML {
        switch kind {
        case .told, .again:
            let way = channel.flatMap { Ways.all.contains($0) ? words("web.channel.\($0)") : nil }
            return words.html(
                way == nil ? "web.plan.step.unheard" : "web.plan.step.told",
                ["name": "\(name: person)", "channel": "\(way ?? "")", "text": "\(text)"])
        case .desk: return "\(words("web.plan.step.desk"))"
        default: return "\(text)"
        }
    }
}
