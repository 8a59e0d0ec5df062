internal import JSON

/// Whether an installation watches, as the status page says it (G11). It has no number of people.
struct SystemStatus: Sendable {
    /// How bad something is.
    enum Level: Int, Comparable {
        case ok, partly, down

        static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    /// What the status is about.
    enum Part: Hashable {
        case checkIns
        /// Whether missed check-ins are noticed, and alarms go on.
        case alarms
        case channel(String)
    }

    /// What is said of one part: one sentence of the catalogue.
    struct Line {
        let part: Part
        /// The last part of the sentence's key, such as `late`.
        let state: String
        /// When that began, or until when it lasts, as the API writes instants; nil if it is not known.
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
        /// When everybody had been told whose check-in waited because of it.
        let toldAt: String?
    }

    /// The parts, in the order of the page.
    let lines: [Line]
    /// The newest first.
    let outages: [Outage]
    /// When the database said so, in microseconds since 1970.
    let knownAt: Int64

    var level: Level { lines.map(\.level).max() ?? .down }

    init(lines: [Line], outages: [Outage], knownAt: Int64) {
        self.lines = lines
        self.outages = outages
        self.knownAt = knownAt
    }

    /// Reads the answer of `api.status`. `lateness` is the answer of `api.readiness`; nil if it could not be read.
    init(_ facts: JSONValue, lateness: JSONValue?, at now: Int64) {
        let serverDown = facts["server_down_since"]?.string
        var lines = [
            Line(
                part: .checkIns, state: serverDown == nil ? "ok" : "down",
                since: serverDown ?? facts["check_ins_since"]?.string)
        ]
        lines.append(Self.alarms(facts, lateness))
        for channel in facts["channels"]?.elements ?? [] {
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
                toldAt: outage["told_at"]?.string)
        }
        knownAt = now
    }

    /// What is said of the worker. Nobody is called missing in an interruption, so its end says from when on somebody
    /// can be.
    private static func alarms(_ facts: JSONValue, _ lateness: JSONValue?) -> Line {
        let (state, since): (String, String?) =
            if let down = facts["worker_down_since"]?.string {
                ("down", down)
            } else if facts["is_held"]?.boolean == true {
                ("held", nil)
            } else if let until = facts["rests_until"]?.string {
                ("rests", until)
            } else if let lateness {
                Readiness.isLate(lateness) ? ("late", nil) : ("ok", facts["alarms_since"]?.string)
            } else {
                ("unknown", nil)
            }
        return Line(part: .alarms, state: state, since: since)
    }

    /// What a server says while its database does not answer: check-ins cannot be taken, and the rest is not known.
    /// `known` is what it knew last.
    static func away(_ known: SystemStatus?, since: String?, at now: Int64) -> SystemStatus {
        SystemStatus(
            lines: [
                Line(part: .checkIns, state: since == nil ? "away" : "down", since: since),
                Line(part: .alarms, state: "unknown", since: nil),
            ], outages: known?.outages ?? [], knownAt: known?.knownAt ?? now)
    }

    /// The status of several databases as one. `others` has nil for one that cannot be asked.
    func combined(with others: [SystemStatus?]) -> SystemStatus {
        let all = [self] + others.compactMap(\.self)
        var parts: [Part] = []
        for part in all.flatMap({ $0.lines.map(\.part) }) where !parts.contains(part) { parts.append(part) }
        let lines = parts.map { part -> Line in
            let said = all.compactMap { status in status.lines.first { $0.part == part } }
            let isAway = all.count < others.count + 1
            // Where some are well and others not, nothing is true of everybody.
            let states = Set(said.map(\.state))
            if let state = states.first, states.count == 1, !isAway {
                return Line(part: part, state: state, since: said.compactMap(\.since).max())
            }
            return Line(part: part, state: "partly", since: nil)
        }
        let outages = Array(Set(all.flatMap(\.outages))).sorted {
            ($0.beganAt, $0.component) > ($1.beganAt, $1.component)
        }
        return SystemStatus(
            lines: lines, outages: Array(outages.prefix(100)), knownAt: all.map(\.knownAt).min() ?? knownAt)
    }
}
