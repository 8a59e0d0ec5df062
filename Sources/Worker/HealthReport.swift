internal import Foundation

/// The report that the heartbeat sends to an outside address: how late the work is, and which alarms have reached
/// nobody.
struct HealthReport: Equatable {
    /// Whether the operator has nothing to do.
    let isHealthy: Bool
    /// The text for the operator whom it alerts.
    let text: String
    /// The alarms in the report, as `worker.operator_told` takes them: a JSON array; nil when there are none.
    let alarms: [UInt8]?
    /// The same for each cell of which there is a report in this one.
    private(set) var alarmsOfCells: [String: [UInt8]] = [:]

    /// The answer of `worker.tell_operator`: how many alarms reached nobody, and the first of them.
    private struct Undelivered: Codable {
        struct Alarm: Codable {
            let tenant_id: Int
            let tenant: String
            let id: String
            let type: String
            let at: String
        }

        let undelivered_alarms: Int
        let alarms: [Alarm]
    }

    /// The age in seconds above which the operator is alerted (deploy/README.md, What to watch).
    static let tolerance = 300

    private init(isHealthy: Bool, text: String, alarms: [UInt8]?) {
        self.isHealthy = isHealthy
        self.text = text
        self.alarms = alarms
    }

    /// This report together with that of a cell.
    func adding(_ report: HealthReport, of cell: String) -> HealthReport {
        var both = HealthReport(
            isHealthy: isHealthy && report.isHealthy,
            text: text + report.text.split(separator: "\n").map { "cell \(cell): \($0)\n" }.joined(), alarms: alarms)
        both.alarmsOfCells = alarmsOfCells
        both.alarmsOfCells[cell] = report.alarms
        return both
    }

    /// A report of a single problem.
    init(problem: String) {
        self.init(isHealthy: false, text: problem + "\n", alarms: nil)
    }

    /// A report from the JSON answers of `worker.health` and `worker.tell_operator`; `undelivered` is nil when there is
    /// nothing to tell.
    init(ages: [UInt8], undelivered: [UInt8]?) {
        guard let ages = try? JSONSerialization.jsonObject(with: Data(ages)) as? [String: Any] else {
            self.init(problem: "the database did not report how late its work is: run kith doctor")
            return
        }
        let undelivered = undelivered.flatMap { try? JSONDecoder().decode(Undelivered.self, from: Data($0)) }
        let reported = undelivered?.alarms ?? []
        let numbers = ages.compactMap { name, value in (value as? Int).map { (name: name, value: $0) } }
            .sorted { $0.name < $1.name }
        let late = numbers.filter { $0.name.hasPrefix("oldest_") && $0.value > Self.tolerance }
        var lines =
            undelivered.map { ["alarms that reached nobody: \($0.undelivered_alarms) (admin.undelivered_alarms)"] }
            ?? []
        lines += reported.map { "  \($0.type) of \($0.at), tenant \($0.tenant), notification \($0.id)" }
        lines += late.map { "late: \($0.name)" }
        lines += numbers.map { "\($0.name) \($0.value)" }
        self.init(
            isHealthy: late.isEmpty && reported.isEmpty, text: lines.map { $0 + "\n" }.joined(),
            alarms: reported.isEmpty ? nil : (try? JSONEncoder().encode(reported)).map { Array($0) })
    }
}
