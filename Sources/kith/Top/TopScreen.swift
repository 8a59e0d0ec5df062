internal import JSON

/// One screen of `kith top`, as text that needs neither colour nor more than 80 columns.
struct TopScreen {
    /// A tenant's key, or its users together.
    struct Busy {
        var tenant: String
        var caller: String
        var requests: Int
        var refused: Int
        var faults: Int
        /// How many times as many requests as in the hours of the last week; nil if there were none.
        var timesBefore: String?
    }

    /// The numbers of a screen, all from one instant.
    struct Sample {
        /// The answer of `admin.overview`; nil if it waited too long for a lock.
        var overview: JSONValue?
        /// The sessions of PostgreSQL that have waited longest for a lock: the program, the seconds, and the session
        /// that it waits for.
        var locks: [(program: String, seconds: Int, waitsFor: String)]
        /// The callers with the most requests since the beginning of the last hour, as `admin.busiest` returns them.
        var busiest: [Busy] = []
        /// The sessions that have locked tables, with what ends each. Asked for if there is no overview.
        var holders: [(what: String, remedy: String)] = []
        /// The cells, the one of this database first; empty with one database.
        var cells: [String] = []
        /// Nil if the server's metrics cannot be read.
        var requests: RequestFigures?
        /// When the sample was taken.
        var at: ContinuousClock.Instant
    }

    let sample: Sample
    let earlier: Sample?
    /// The address of the metrics, for the line that says that they cannot be read.
    let metrics: String

    /// The lines, each at most `width` columns wide; at most `height` of them.
    func lines(width: Int, height: Int) -> [String] {
        let all =
            sample.overview == nil
            ? heldUp + locks + requests
            : cells + late + obstacles + pings + alarms + channels + requests + tenants + busiest + locks + instances
        return all.prefix(height).map { String(PlainText.line($0).prefix(width)) }
    }

    // MARK: - Parts

    private var ages: JSONValue? { sample.overview?["ages"] }

    /// What a screen shows whose numbers cannot be read, because somebody has locked a table.
    private var heldUp: [String] {
        let holders = sample.holders.flatMap { ["- \($0.what)", "    \($0.remedy)"] }
        return ["A lock keeps the numbers from being read. Who has locked tables:"]
            + (holders.isEmpty ? ["- nobody any more"] : holders) + [""]
    }

    private var cells: [String] {
        guard let here = sample.cells.first, sample.cells.count > 1 else { return [] }
        let others = sample.cells.dropFirst().joined(separator: ", ")
        return ["CELL     \(here), one of \(sample.cells.count); kith top --cell NAME shows another: \(others)"]
    }

    private var late: [String] {
        let kinds = [
            ("generation", "oldest_run_seconds"), ("due pings", "oldest_due_seconds"),
            ("misses", "oldest_miss_seconds"),
            ("breaks", "oldest_break_seconds"), ("alarms", "oldest_alarm_seconds"),
            ("planning", "oldest_unplanned_seconds"),
            ("sending", "oldest_delivery_seconds"), ("set aside", "oldest_set_aside_seconds"),
        ]
        let late = kinds.compactMap { what, name -> String? in
            guard let age = ages?[name]?.integer, age > 0 else { return nil }
            return "\(what) \(Self.duration(age))"
        }
        let beat = ages?["worker_beat_seconds"]?.integer
        return [
            "LATE     " + (late.isEmpty ? "nothing" : late.joined(separator: ", ")),
            "WORKER   " + (beat.map { "last heartbeat \(Self.duration($0)) ago" } ?? "has never run")
                + ((beat ?? .max) > 60 ? "   <-- start one: kith worker" : ""),
        ]
    }

    private var pings: [String] {
        let counts = sample.overview?["pings"]
        func count(_ name: String) -> String {
            let number = counts?[name]?["count"]?.integer ?? 0
            return Self.grouped(number) + (counts?[name]?["is_more"]?.boolean == true ? "+" : "")
        }
        return [
            "PINGS    due \(count("due"))   coming within an hour \(count("next_hour"))",
            "         missed in 24 hours \(count("missed_today"))   missed, not told yet \(count("late"))", "",
        ]
    }

    private var alarms: [String] {
        func number(_ name: String) -> Int { sample.overview?["alarms"]?[name]?.integer ?? 0 }
        let (open, untold) = (number("open"), number("untold"))
        var line = "ALARMS   open \(Self.grouped(open))   taken \(Self.grouped(number("taken")))"
        if open > 0 { line += "   untaken for \(Self.duration(number("oldest_open_seconds")))" }
        if untold > 0 { line += "   known to nobody \(Self.grouped(untold)): kith doctor" }
        return [line, ""]
    }

    private var channels: [String] {
        let before = earlier?.overview?["channels"]?.elements ?? []
        let rows = (sample.overview?["channels"]?.elements ?? []).map { channel -> String in
            let name = channel["channel"]?.string ?? ""
            let old = before.first { $0["channel"]?.string == name }
            func since(_ member: String) -> String {
                guard let old = old?[member]?.integer, let new = channel[member]?.integer, new >= old else {
                    return "-"
                }
                return Self.grouped(new - old)
            }
            let numbers = [
                Self.grouped(channel["waiting"]?.integer ?? 0), Self.duration(channel["oldest_seconds"]?.integer ?? 0),
                since("sent"), since("failed"), since("dropped"),
            ]
            return Self.left(name, 9) + numbers.map { Self.right($0, 11) }.joined()
        }
        let heads = ["waiting", "oldest", "sent", "failed", "dropped"].map { Self.right($0, 11) }.joined()
        return [Self.left("CHANNEL", 9) + heads + " (new)"] + rows + [""]
    }

    private var requests: [String] {
        guard let figures = sample.requests else {
            return ["REQUESTS \(metrics) does not answer: set KITH_METRICS_LISTEN to a server's", ""]
        }
        let waiting = "   waiting for the database \(figures.waiting)   streams \(Self.grouped(figures.streams))"
        guard let earlier, let before = earlier.requests,
            let course = figures.course(since: before, over: (sample.at - earlier.at) / .seconds(1))
        else { return ["REQUESTS \(Self.grouped(figures.requests)) since the start" + waiting, ""] }
        let p99 = course.p99.map { $0.isFinite ? "<= \(Self.milliseconds($0))" : "longer than the last bucket" } ?? "-"
        return [
            """
            REQUESTS \(Self.rate(course.requests)) a second   p99 \(p99)   faults \(Self.rate(course.faults)) a \
            second
            """,
            "      " + waiting, "",
        ]
    }

    private var instances: [String] {
        let all = sample.overview?["instances"]?.elements ?? []
        guard !all.isEmpty else { return ["RUNNING  no server and no worker in the last 10 minutes"] }
        let rows = all.prefix(6).flatMap { instance in
            [Self.instance(instance)]
                + (instance["paces"]?.elements ?? []).map { "         " + ($0.string ?? "") }
        }
        return ["RUNNING"] + rows + (all.count > 6 ? ["         and \(all.count - 6) more"] : [])
    }

    private static func instance(_ instance: JSONValue) -> String {
        left(instance["component"]?.string ?? "", 9) + left(instance["instance"]?.string ?? "", 32)
            + "up \(left(duration(instance["up_seconds"]?.integer ?? 0), 8)) beat " + beat(instance)
    }

    private var tenants: [String] {
        let all = sample.overview?["tenants"]?.elements ?? []
        guard !all.isEmpty else { return [] }
        let rows = all.map { tenant in
            Self.left(tenant["tenant"]?.string ?? "", 25)
                + ["due", "alarms", "unreached", "deliveries"].map {
                    Self.right(Self.grouped(tenant[$0]?.integer ?? 0), 11)
                }.joined()
                + Self.right(tenant["oldest_seconds"]?.integer.map(Self.duration) ?? "-", 11)
        }
        let heads = ["due", "alarms", "unreached", "waiting", "oldest"].map { Self.right($0, 11) }.joined()
        let more = (all.first?["of"]?.integer ?? 0) - all.count
        return [Self.left("TENANTS", 25) + heads] + rows + (more > 0 ? ["and \(Self.grouped(more)) more"] : []) + [""]
    }

    private var busiest: [String] {
        guard !sample.busiest.isEmpty else { return [] }
        let heads = ["requests", "refused", "faults", "x usual"].map { Self.right($0, 10) }.joined()
        let rows = sample.busiest.map { busy in
            Self.left("\(busy.tenant) \(busy.caller)", 40)
                + [busy.requests, busy.refused, busy.faults].map { Self.right(Self.grouped($0), 10) }.joined()
                + Self.right(busy.timesBefore ?? "new", 10)
        }
        return [Self.left("BUSIEST since the last full hour", 40) + heads] + rows + [""]
    }

    private var locks: [String] {
        guard !sample.locks.isEmpty else { return [] }
        return ["LOCKS"]
            + sample.locks.map { "\($0.program) waits for \(Self.duration($0.seconds)) for \($0.waitsFor)" } + [""]
    }

    private var obstacles: [String] {
        let all = sample.overview?["obstacles"]?.elements ?? []
        guard !all.isEmpty else { return ["Nothing stands in the way.", ""] }
        return ["IN THE WAY"]
            + all.flatMap { ["- \($0["what"]?.string ?? "")", "    \($0["remedy"]?.string ?? "")"] } + [""]
    }

    // MARK: - Text

    /// The last heartbeat of an instance, with what is wrong with it.
    private static func beat(_ instance: JSONValue) -> String {
        let age = instance["beat_seconds"]?.integer ?? 0
        let ahead = instance["clock_ahead_ms"]?.integer ?? 0
        let wrong =
            age > 60 ? "   <-- silent" : abs(ahead) > 2000 ? "   <-- clock off by \(duration(abs(ahead) / 1000))" : ""
        return "\(duration(age)) ago" + wrong
    }

    static func duration(_ seconds: Int) -> String {
        // What a clock that is ahead has written is no age below zero.
        switch max(seconds, 0) {
        case ..<120: "\(max(seconds, 0)) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    static func grouped(_ number: Int) -> String {
        var text = ""
        for (place, digit) in String(number.magnitude).reversed().enumerated() {
            if place > 0 && place % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + String(text.reversed())
    }

    private static func rate(_ rate: Double) -> String {
        rate >= 10 ? grouped(Int(rate.rounded())) : String((rate * 10).rounded() / 10)
    }

    private static func milliseconds(_ seconds: Double) -> String {
        let milliseconds = seconds * 1000
        guard milliseconds >= 10 else { return "\((milliseconds * 10).rounded() / 10) ms" }
        // A lying server's number must not stop the program.
        return "\(Int(exactly: milliseconds.rounded()) ?? .max) ms"
    }

    private static func left(_ text: String, _ width: Int) -> String {
        let short = String(PlainText.line(text).prefix(width - 1))
        return short + String(repeating: " ", count: width - short.count)
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 1)) + text
    }
}
