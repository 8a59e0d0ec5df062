internal import JSON

/// Whether an installation watches, as the status page says it (G11). It has no number of people.
struct SystemStatus: Sendable {
    /// The severity of a line.
    enum Level: Int, Comparable {
        case ok, partly, down

        static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// A part of the installation that the status describes.
    enum Part: Hashable {
        case checkIns
        /// Whether missed check-ins are noticed, and alarms go on.
        case alarms
        case channel(String)
    }

    /// A sentence of the catalogue about one part.
    struct Line {
        let part: Part
        /// The last part of the sentence's key, such as `late`.
        let state: String
        /// When that began, or until when it lasts, as the API writes instants; nil if the sentence has no time.
        let since: String?

        var level: Level {
            switch (part, state) {
            case (_, "ok"): .ok
            case (.checkIns, "down"), (.checkIns, "away"), (.alarms, "down"), (.alarms, "held"): .down
            default: .partly
            }
        }
    }

    /// A time in which Kith was interrupted.
    struct Outage: Hashable {
        /// `server` or `worker`.
        let component: String
        let beganAt: String
        /// Nil while it lasts.
        let endedAt: String?
        /// Whether the database was restored from a back-up.
        let isRestore: Bool
        /// Whether it concerned some of the tenants only.
        var isPartial = false

        /// Whether both lasted at the same time. Instants of the API sort as texts.
        func overlaps(_ other: Outage) -> Bool {
            component == other.component && beganAt <= other.endedAt ?? "9" && other.beganAt <= endedAt ?? "9"
        }

        /// The time in which one or the other lasted.
        func joined(with other: Outage) -> Outage {
            var end: String?
            if let endedAt, let otherEnd = other.endedAt { end = max(endedAt, otherEnd) }
            return Outage(
                component: component, beganAt: min(beganAt, other.beganAt), endedAt: end,
                isRestore: isRestore || other.isRestore, isPartial: isPartial || other.isPartial)
        }
    }

    /// The parts, in the order of the page.
    let lines: [Line]
    /// The newest first.
    let outages: [Outage]
    /// Where the list of outages begins if that is less than 90 days ago.
    let listedFrom: String?
    /// When the database said so, in microseconds since 1970.
    let knownAt: Int64

    var level: Level { lines.map(\.level).max() ?? .down }

    init(lines: [Line], outages: [Outage], listedFrom: String? = nil, knownAt: Int64) {
        self.lines = lines
        self.outages = outages
        self.listedFrom = listedFrom
        self.knownAt = knownAt
    }

    /// Reads the answer of `api.status`. `lateness` is the answer of `api.readiness`; nil if it could not be read.
    init(_ facts: JSONValue, lateness: JSONValue?, at now: Int64) {
        let serverDown = facts["server_down_since"]?.string
        let alarms = Self.alarms(facts, lateness)
        var lines = [
            Line(
                part: .checkIns, state: serverDown == nil ? "ok" : "down",
                since: serverDown ?? facts["check_ins_since"]?.string), alarms,
        ]
        // Without a worker nothing is sent, and what waits is seen by nobody.
        let sends = alarms.level != .down && alarms.state != "unknown"
        for channel in sends ? facts["channels"]?.elements ?? [] : [] {
            guard let name = channel["channel"]?.string, let state = channel["state"]?.string else { continue }
            lines.append(Line(part: .channel(name), state: state, since: channel["since"]?.string))
        }
        self.lines = lines
        outages = (facts["outages"]?.elements ?? []).compactMap { outage in
            guard let component = outage["component"]?.string, let beganAt = outage["began_at"]?.string else {
                return nil
            }
            return Outage(
                component: component, beganAt: beganAt, endedAt: outage["ended_at"]?.string,
                isRestore: outage["is_restore"]?.boolean == true)
        }
        listedFrom = facts["listed_from"]?.string
        knownAt = now
    }

    /// The line about the worker. An interruption calls nobody missing, so its end says from when on somebody can be.
    private static func alarms(_ facts: JSONValue, _ lateness: JSONValue?) -> Line {
        let (state, since): (String, String?) =
            if let down = facts["worker_down_since"]?.string {
                ("down", down)
            } else if facts["is_held"]?.boolean == true {
                ("held", nil)
            } else if let until = facts["rests_until"]?.string {
                ("rests", until)
            } else if let lateness, lateness["worker_beat_seconds"]?.integer != nil {
                isLate(lateness) ? ("late", nil) : ("ok", facts["alarms_since"]?.string)
            } else {
                ("unknown", nil)
            }
        return Line(part: .alarms, state: state, since: since)
    }

    /// Whether the worker is late with what a miss and an alarm depend on. Messages have lines of their own.
    private static func isLate(_ ages: JSONValue) -> Bool {
        ["oldest_run_seconds", "oldest_due_seconds", "oldest_miss_seconds", "oldest_alarm_seconds"].contains {
            (ages[$0]?.integer ?? 0) > Readiness.late
        }
    }

    /// The status while the database does not answer: check-ins cannot be taken, and the rest is not known. `known` is
    /// the last one before.
    static func away(_ known: SystemStatus?, at now: Int64) -> SystemStatus {
        SystemStatus(
            lines: [
                Line(part: .checkIns, state: "away", since: nil), Line(part: .alarms, state: "unknown", since: nil),
            ], outages: known?.outages ?? [], listedFrom: known?.listedFrom, knownAt: known?.knownAt ?? now)
    }

    /// The status of several databases as one. `others` has nil for one that cannot be asked.
    func combined(with others: [SystemStatus?]) -> SystemStatus {
        let all = [self] + others.compactMap(\.self)
        let isAway = all.count < others.count + 1
        var parts: [Part] = []
        for part in all.flatMap({ $0.lines.map(\.part) }) where !parts.contains(part) { parts.append(part) }
        let lines = parts.map { part -> Line in
            let said = all.compactMap { status in status.lines.first { $0.part == part } }
            // Where some are well and others not, nothing is true of everybody.
            let states = Set(said.map(\.state))
            if let state = states.first, states.count == 1, !isAway {
                return Line(part: part, state: state, since: said.compactMap(\.since).max())
            }
            return Line(part: part, state: "partly", since: nil)
        }
        var outages: [Outage] = []
        for var outage in all.flatMap(\.outages).sorted(by: { ($0.beganAt, $0.component) > ($1.beganAt, $1.component) })
        {
            outage.isPartial = isAway || !all.allSatisfy { $0.outages.contains { $0.overlaps(outage) } }
            // One of a server that several databases share is one, as long as the longest.
            if let same = outages.firstIndex(where: { $0.overlaps(outage) }) {
                outages[same] = outages[same].joined(with: outage)
                continue
            }
            outages.append(outage)
        }
        return SystemStatus(
            lines: lines, outages: Array(outages.prefix(100)), knownAt: all.map(\.knownAt).min() ?? knownAt)
    }
}
