internal import Pages
internal import Texts

/// The timeline of a rehearsal: a line for the silent days, one for each receiver with the moments at which they are
/// told, and one for each nominee with the wait and the time inside.
///
/// An alarm takes hours and a wait takes days or weeks, so each has a half of the width, with a scale of its own.
///
/// Positions along the line are percentages and heights are in em, so that it fits any width, and its texts grow with
/// the reader's. Colours come from classes of the style sheet; a wait is an outline and a grant is filled, so that no
/// colour says anything alone.
struct Timeline {
    private struct Lane {
        let title: String
        var bars: [Bar] = []
        /// The instants at which the owner is told.
        var notices: [Int] = []
        var waitBegan: Int?
        var grantBegan: Int?
    }

    /// Somebody who is told on the day of the alarm.
    private struct Told {
        let id: String
        let title: String
        var at: [Int] = []
        var again: [Int] = []
    }

    private struct Bar {
        let from: Int
        let until: Int
        let isGrant: Bool
    }

    /// The most nominees that are drawn. The table has all.
    private static let mostLanes = 12
    /// The most receivers that are drawn. The table has all.
    private static let mostTold = 8
    /// The most characters of a name in the drawing.
    private static let longestTitle = 28

    private let from: String
    let end: String
    /// The end, in seconds after the beginning.
    private let length: Int
    private let missed: [Int]
    private var told: [Told] = []
    /// Between which instants the alarm runs; nil if there is none to draw.
    private var alarm: (from: Int, until: Int)?
    private let alarmLabels: (from: String, until: String)
    private var lanes: [Lane] = []
    private let laneCount: Int

    /// Nil if nothing would follow.
    ///
    /// `alarm` are the steps of the visitor's plan.
    init?(
        from: String, _ steps: [RehearsalStep], _ rights: [EmergencyRight], alarm: [AlarmStep] = [], _ words: Words
    ) {
        let last = Self.last(of: steps)
        guard let begin = steps.isEmpty ? alarm.first?.at : from, let start = words.seconds(until: begin),
            let end = last?.at ?? alarm.last?.at
        else { return nil }
        func seconds(_ at: String) -> Int { (words.seconds(until: at) ?? start) - start }
        func seconds(_ step: RehearsalStep) -> Int { seconds(step.at) }
        self.from = begin
        self.end = end
        length = max(1, seconds(end))
        if let first = alarm.first, let over = alarm.last, seconds(first.at) < seconds(over.at) {
            self.alarm = (seconds(first.at), seconds(over.at))
            alarmLabels = (words.time(first.at), words.time(over.at))
        } else {
            alarmLabels = ("", "")
        }
        told = Self.told(alarm, words, at: seconds)
        let misses = alarm.filter { $0.kind == .missed }.map { seconds($0.at) }
        missed = Set(misses + steps.filter { $0.kind == .missed }.map { seconds($0.at) }).filter { [length] in
            $0 <= length
        }.sorted()
        var order: [String] = []
        var lanes: [String: Lane] = [:]
        for step in steps where step.at <= end {
            guard let nominee = step.nomineeID, let vault = step.vaultID, step.kind != .sleeping else { continue }
            let key = "\(vault)\(nominee)"
            if lanes[key] == nil { order.append(key) }
            let right = rights.first { $0.nomineeID == nominee && $0.vaultID == vault }
            let names = [right?.nominee, right?.vault].compactMap(\.self).map(Self.short)
            var lane = lanes[key] ?? Lane(title: names.joined(separator: " · "))
            let at = seconds(step)
            switch step.kind {
            case .wait: lane.waitBegan = at
            case .notice: lane.notices.append(at)
            case .grant:
                lane.bars.append(Bar(from: lane.waitBegan ?? 0, until: at, isGrant: false))
                lane.waitBegan = nil
                lane.grantBegan = at
            case .end:
                lane.bars.append(Bar(from: lane.grantBegan ?? 0, until: at, isGrant: true))
                lane.grantBegan = nil
            default: break
            }
            lanes[key] = lane
        }
        laneCount = order.count
        for key in order.prefix(Self.mostLanes) {
            guard var lane = lanes[key] else { continue }
            if let began = lane.waitBegan { lane.bars.append(Bar(from: began, until: length, isGrant: false)) }
            if let began = lane.grantBegan { lane.bars.append(Bar(from: began, until: length, isGrant: true)) }
            self.lanes.append(lane)
        }
    }

    /// The step at which every nominee has been inside once. If the silence continues, everything repeats.
    private static func last(of steps: [RehearsalStep]) -> RehearsalStep? {
        var seen: Set<String> = []
        var last: RehearsalStep?
        for step in steps where step.kind == .end {
            if seen.insert("\(step.vaultID ?? "")\(step.nomineeID ?? "")").inserted { last = step }
        }
        return last ?? steps.last { !$0.isDaily } ?? steps.last
    }

    /// A line for each receiver who is told in the alarm, and one for the staff.
    private static func told(_ steps: [AlarmStep], _ words: Words, at seconds: (String) -> Int) -> [Told] {
        var told: [Told] = []
        for step in steps {
            let isDesk = step.kind == .desk
            guard isDesk || step.kind == .told || step.kind == .again else { continue }
            let id = isDesk ? "" : step.personID ?? step.person
            if !told.contains(where: { $0.id == id }) {
                told.append(Told(id: id, title: isDesk ? words("web.plan.desk_short") : short(step.person)))
            }
            guard let index = told.firstIndex(where: { $0.id == id }) else { continue }
            if step.kind == .again {
                told[index].again.append(seconds(step.at))
            } else {
                told[index].at.append(seconds(step.at))
            }
        }
        return Array(told.prefix(mostTold))
    }

    private static func short(_ name: String) -> String {
        name.count > longestTitle / 2 ? name.prefix(longestTitle / 2 - 1) + "…" : name
    }

    /// Where an instant stands, in percent of the width from where the reader begins.
    private func part(_ seconds: Int) -> Double {
        func between(_ low: Double, _ high: Double, _ from: Int, _ until: Int) -> Double {
            low + (high - low) * Double(min(max(seconds, from), until) - from) / Double(max(1, until - from))
        }
        guard let alarm else { return between(2, 98, 0, length) }
        // Without a wait that follows, the alarm has the whole width.
        if lanes.isEmpty { return between(2, 98, alarm.from, alarm.until) }
        return seconds <= alarm.until ? between(2, 46, alarm.from, alarm.until) : between(50, 98, alarm.until, length)
    }

    /// The drawing, and below it the legend.
    func drawing(_ words: Words) -> HTML {
        let isMirrored = words.direction == "rtl"
        func x(_ seconds: Int) -> Double { isMirrored ? 100 - part(seconds) : part(seconds) }
        var shapes = scale(words, x: x)
        var top = 2.0
        func em(_ offset: Double) -> String { "\(((top + offset) * 100).rounded() / 100)em" }
        func axis(_ title: HTML, at offset: Double) -> HTML {
            """
            <text x="\(Self.percent(isMirrored ? 98 : 2))" y="\(em(1.2))" text-anchor="start">\(title)</text>
            <line class="axis" x1="2%" x2="98%" y1="\(em(offset))" y2="\(em(offset))"/>

            """
        }
        if !missed.isEmpty {
            shapes += axis("\(words("web.rehearsal.you"))", at: 2.1)
            for at in missed {
                shapes += "<circle class=\"missed\" cx=\"\(Self.percent(x(at)))\" cy=\"\(em(2.1))\" r=\".3em\"/>\n"
            }
            top += 3
        }
        for person in told {
            shapes += axis("\(words.texts.words(for: .name(person.title)))", at: 2.1)
            for (kind, moments, radius) in [("again", person.again, ".25em"), ("person", person.at, ".35em")] {
                for at in moments {
                    shapes +=
                        "<circle class=\"\(kind)\" cx=\"\(Self.percent(x(at)))\" cy=\"\(em(2.1))\" r=\"\(radius)\"/>\n"
                }
            }
            top += 3
        }
        for lane in lanes {
            shapes += axis("\(words.texts.words(for: .name(lane.title)))", at: 2.2)
            for bar in lane.bars {
                let (a, b) = (x(bar.from), x(bar.until))
                let kind = bar.isGrant ? "grant" : "wait"
                // Keep a grant of an hour visible on a line of months.
                let width = max(abs(b - a), 1)
                shapes += """
                    <rect class="\(kind)" x="\(Self.percent(min(min(a, b), 98 - width)))" y="\(em(1.7))" \
                    width="\(Self.percent(width))" height="1em" rx="3"/>

                    """
            }
            for at in lane.notices {
                let place = Self.percent(x(at))
                shapes +=
                    "<line class=\"told\" x1=\"\(place)\" x2=\"\(place)\" y1=\"\(em(1.55))\" y2=\"\(em(2.85))\"/>\n"
            }
            top += 3.25
        }
        if alarm != nil, !lanes.isEmpty {
            shapes += "<line class=\"gap\" x1=\"48%\" x2=\"48%\" y1=\"1.4em\" y2=\"\(em(0))\"/>\n"
        }
        let height = "\(((top + 0.5) * 100).rounded() / 100)em"
        let hidden: HTML =
            laneCount > lanes.count
            ? "<p class=\"quiet\">\(words("web.rehearsal.not_drawn", ["count": .number(laneCount - lanes.count)]))</p>\n"
            : ""
        return """
            <figure class="timeline-figure">
            <svg class="timeline" role="img" aria-labelledby="timeline-title" width="100%" height="\(height)">
            <title id="timeline-title">\(words("web.rehearsal.drawing"))</title>
            \(shapes)</svg>
            <figcaption>
            <ul class="signs">
            \(legend(words))</ul>
            </figcaption>
            </figure>
            \(hidden)
            """
    }

    private static func percent(_ number: Double) -> String { "\((number * 10).rounded() / 10)%" }

    /// The line at the top with its times and dates.
    private func scale(_ words: Words, x: (Int) -> Double) -> HTML {
        func label(_ place: Double, _ anchor: String, _ text: String) -> HTML {
            "<text x=\"\(Self.percent(place))\" y=\"1.1em\" text-anchor=\"\(anchor)\">\(text)</text>\n"
        }
        var labels: HTML = ""
        if let alarm {
            labels += label(x(alarm.from), "start", alarmLabels.from) + label(x(alarm.until), "end", alarmLabels.until)
        } else {
            labels += label(x(0), "start", words.shortDate(from))
        }
        if alarm == nil || !lanes.isEmpty { labels += label(x(length), "end", words.shortDate(end)) }
        return labels + "<line class=\"axis\" x1=\"2%\" x2=\"98%\" y1=\"1.75em\" y2=\"1.75em\"/>\n"
    }

    private func legend(_ words: Words) -> HTML {
        var meanings: HTML = ""
        func mean(_ sign: HTML, _ key: String) {
            meanings += """
                <li><svg class="timeline sign" aria-hidden="true" width="2em" height="1.2em">\(sign)</svg> \(words(key))</li>

                """
        }
        if !missed.isEmpty {
            mean("<circle class=\"missed\" cx=\"1em\" cy=\".6em\" r=\".3em\"/>", "web.rehearsal.sign.missed")
        }
        if !told.isEmpty {
            mean("<circle class=\"person\" cx=\"1em\" cy=\".6em\" r=\".35em\"/>", "web.plan.sign.told")
        }
        if told.contains(where: { !$0.again.isEmpty }) {
            mean("<circle class=\"again\" cx=\"1em\" cy=\".6em\" r=\".25em\"/>", "web.plan.sign.again")
        }
        if !lanes.isEmpty {
            mean(
                "<rect class=\"wait\" x=\".2em\" y=\".1em\" width=\"1.6em\" height=\"1em\" rx=\"3\"/>",
                "web.rehearsal.sign.wait")
            mean("<line class=\"told\" x1=\"1em\" x2=\"1em\" y1=\"0\" y2=\"1.2em\"/>", "web.rehearsal.sign.told")
            mean(
                "<rect class=\"grant\" x=\".2em\" y=\".1em\" width=\"1.6em\" height=\"1em\" rx=\"3\"/>",
                "web.rehearsal.sign.grant")
        }
        return meanings
    }
}
