internal import Pages
internal import Texts

/// The timeline of a rehearsal: a line for the silent days, and one for each nominee with the wait and the time inside.
///
/// Positions along the line are percentages and heights are in em, so that it fits any width, and its texts grow with the reader's. Colours come
/// from classes of the style sheet; a wait is an outline and a grant is filled, so that no colour says anything alone.
struct Timeline {
    private struct Lane {
        let title: String
        var bars: [Bar] = []
        /// The instants at which the owner is told.
        var notices: [Int] = []
        var waitBegan: Int?
        var grantBegan: Int?
    }

    private struct Bar {
        let from: Int
        let until: Int
        let isGrant: Bool
    }

    /// The most nominees that are drawn. The table has all.
    private static let mostLanes = 12
    /// The most characters of a name in the drawing.
    private static let longestTitle = 28

    private let from: String
    let end: String
    /// The end, in seconds after the beginning.
    private let length: Int
    private let missed: [Int]
    private var lanes: [Lane] = []
    private let laneCount: Int

    /// Nil if nothing would follow.
    init?(from: String, _ steps: [RehearsalStep], _ rights: [EmergencyRight], _ words: Words) {
        guard let start = words.seconds(until: from), let last = Self.last(of: steps) else { return nil }
        func seconds(_ step: RehearsalStep) -> Int { (words.seconds(until: step.at) ?? start) - start }
        self.from = from
        end = last.at
        length = max(1, seconds(last))
        missed = steps.filter { $0.kind == .missed }.map(seconds).filter { [length] in $0 <= length }
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

    private static func short(_ name: String) -> String {
        name.count > longestTitle / 2 ? name.prefix(longestTitle / 2 - 1) + "…" : name
    }

    /// The drawing, and below it the legend.
    func drawing(_ words: Words) -> HTML {
        let isMirrored = words.direction == "rtl"
        func x(_ seconds: Int) -> Double {
            let part = 2 + 96 * Double(min(max(seconds, 0), length)) / Double(length)
            return isMirrored ? 100 - part : part
        }
        func percent(_ number: Double) -> String { "\((number * 10).rounded() / 10)%" }
        var shapes: HTML = """
            <text x="\(percent(x(0)))" y="1.1em" text-anchor="start">\(words.shortDate(from))</text>
            <text x="\(percent(x(length)))" y="1.1em" text-anchor="end">\(words.shortDate(end))</text>
            <line class="axis" x1="2%" x2="98%" y1="1.75em" y2="1.75em"/>

            """
        var top = 2.0
        func em(_ offset: Double) -> String { "\(((top + offset) * 100).rounded() / 100)em" }
        if !missed.isEmpty {
            shapes += """
                <text x="\(percent(x(0)))" y="\(em(1.2))" text-anchor="start">\(words("web.rehearsal.you"))</text>
                <line class="axis" x1="2%" x2="98%" y1="\(em(2.1))" y2="\(em(2.1))"/>

                """
            for at in missed {
                shapes += "<circle class=\"missed\" cx=\"\(percent(x(at)))\" cy=\"\(em(2.1))\" r=\".3em\"/>\n"
            }
            top += 3
        }
        for lane in lanes {
            shapes += """
                <text x="\(percent(x(0)))" y="\(em(1.2))" text-anchor="start">\(words.texts.words(for: .name(lane.title)))</text>
                <line class="axis" x1="2%" x2="98%" y1="\(em(2.2))" y2="\(em(2.2))"/>

                """
            for bar in lane.bars {
                let (a, b) = (x(bar.from), x(bar.until))
                let kind = bar.isGrant ? "grant" : "wait"
                // Keep a grant of an hour visible on a line of months.
                let width = max(abs(b - a), 1)
                shapes += """
                    <rect class="\(kind)" x="\(percent(min(min(a, b), 98 - width)))" y="\(em(1.7))" \
                    width="\(percent(width))" height="1em" rx="3"/>

                    """
            }
            for at in lane.notices {
                let place = percent(x(at))
                shapes +=
                    "<line class=\"told\" x1=\"\(place)\" x2=\"\(place)\" y1=\"\(em(1.55))\" y2=\"\(em(2.85))\"/>\n"
            }
            top += 3.25
        }
        let height = "\(((top + 0.5) * 100).rounded() / 100)em"
        var meanings: HTML = ""
        func mean(_ sign: HTML, _ key: String) {
            meanings += """
                <li><svg class="timeline sign" aria-hidden="true" width="2em" height="1.2em">\(sign)</svg> \(words(key))</li>

                """
        }
        if !missed.isEmpty {
            mean("<circle class=\"missed\" cx=\"1em\" cy=\".6em\" r=\".3em\"/>", "web.rehearsal.sign.missed")
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
            \(meanings)</ul>
            </figcaption>
            </figure>
            \(hidden)
            """
    }
}
