internal import JSON
internal import Pages
internal import Texts

/// A line of an alarm's timeline.
struct AlarmLine {
    let at: String
    let kind: String
    let person: Alarm.Person?
    var channels: [String]
    let outcome: String?
    let note: String?

    init?(_ facts: JSONValue) {
        guard let at = facts["at"]?.string, let kind = facts["kind"]?.string else { return nil }
        self.at = at
        self.kind = kind
        person = Alarm.Person(facts["person"])
        channels = [facts["channel"]?.string].compactMap(\.self)
        outcome = facts["outcome"]?.string
        note = facts["note"]?.string
    }

    /// The lines with each telling once: whoever is told on several channels in one minute has been told once. Those
    /// whom the reader does not know are counted above the timeline, and are one line of a minute too.
    static func merged(_ lines: [AlarmLine]) -> [AlarmLine] {
        var merged: [AlarmLine] = []
        for line in lines {
            let same = merged.lastIndex {
                $0.kind == line.kind && tellings.contains(line.kind) && $0.person == line.person
                    && $0.at.prefix(16) == line.at.prefix(16)
            }
            guard let same else {
                merged.append(line)
                continue
            }
            for channel in line.channels where !merged[same].channels.contains(channel) {
                merged[same].channels.append(channel)
            }
        }
        return merged
    }

    private static let tellings: Set<String> = ["told", "being_told", "not_reached", "seen"]
    private static let kinds: Set<String> = tellings.union([
        "opened", "taken", "released", "declined", "lapsed", "left", "reopened", "resolved", "false_alarm",
        "checked_in", "expired", "noted", "card_viewed", "still_on_it", "missed", "help", "asked", "desk_told",
        "repeated",
    ])

    /// The line in words; nil for a kind that this page does not know.
    func html(_ visit: Visit) -> HTML? {
        guard Self.kinds.contains(kind) else { return nil }
        let words = visit.words
        var key = kind
        if kind == "resolved" { key = outcome == "help_called" ? "resolved.help_called" : "resolved.safe" }
        if kind == "told", !channels.isEmpty { key = "told_by" }
        // A machine answered. What was sent on other channels has lines of its own.
        if kind == "not_reached", channels == ["voice"] { key = "not_reached_by_call" }
        let ways = channels.filter(Ways.all.contains).map { words("web.channel.\($0)") }
        let text = words.html(
            "web.alarm.line.\(key)",
            ["name": person?.html(visit) ?? "", "channels": "\(ways.joined(separator: ", "))"])
        let said: HTML = note.map { "<br>\n<q>\(name: $0)</q>" } ?? ""
        return """
            <li data-key="\(at)\(kind)\(person?.id ?? "")"\(kind == "being_told" ? " data-waits" : "")><span class="quiet">\(words.stamp(at))</span> \(text)\(said)</li>

            """
    }
}
