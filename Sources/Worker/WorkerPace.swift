/// The pace of a worker's loops, where the operator has chosen another than the usual one: how many rows a loop takes
/// at once, and how long it rests when it finds none.
public struct WorkerPace: Sendable, Equatable {
    /// What is wrong with a text that should be a pace, in words that follow the name of the setting.
    public struct Problem: Error, CustomStringConvertible {
        /// For example "must give plan_deliveries a batch from 1 to 5000".
        public let description: String
    }

    /// The chosen numbers of one loop; nil for the usual ones.
    struct Choice: Equatable {
        var batch: Int?
        var pause: Duration?
    }

    /// By the names of the loops.
    private(set) var choices: [String: Choice] = [:]

    /// The usual pace of every loop.
    public init() {}

    /// Reads a comma-separated list of `LOOP=BATCH/SECONDS`, in which the batch or `/SECONDS` may be missing. A batch
    /// is from 1 row to 10 times the usual one, and a pause from a tenth of the usual one to 10 times as long: beyond
    /// these a loop holds others up, or is late.
    ///
    /// - Throws: ``Problem`` for anything else, for a loop that does not exist, and for a batch of a loop that has
    ///   none.
    public init(_ text: String) throws(Problem) {
        for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = entry.split(separator: "=", omittingEmptySubsequences: false)
            let name = parts[0].drop { $0 == " " }
            guard parts.count == 2, !parts[1].isEmpty else {
                throw Problem(description: "must be a list like generate_daily_pings=500/10,sweep=/120")
            }
            guard let usual = WorkerLoop.known.first(where: { $0.name == name }) else {
                throw Problem(description: "names a loop that does not exist: \(name); admin.loops lists them")
            }
            guard choices[usual.name] == nil else { throw Problem(description: "names \(name) twice") }
            choices[usual.name] = try Choice(parts[1], for: usual)
        }
    }
}

extension WorkerPace.Choice {
    /// Reads `BATCH/SECONDS`, `BATCH` or `/SECONDS`.
    fileprivate init(_ text: Substring, for usual: WorkerLoop) throws(WorkerPace.Problem) {
        let numbers = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        if !numbers[0].isEmpty {
            guard let most = usual.largestBatch else {
                throw WorkerPace.Problem(description: "gives \(usual.name) a batch, which it does not have")
            }
            guard let batch = Int(numbers[0]), (1...most).contains(batch) else {
                throw WorkerPace.Problem(description: "must give \(usual.name) a batch from 1 to \(most)")
            }
            self.batch = batch
        }
        guard numbers.count == 2 else { return }
        let (least, most) = (usual.pause / .seconds(10), usual.pause / .seconds(1) * 10)
        guard let seconds = Double(numbers[1]), (least...most).contains(seconds) else {
            throw WorkerPace.Problem(
                description: "must give \(usual.name) a pause from \(Self.text(least)) to \(Self.text(most)) seconds")
        }
        pause = .milliseconds(Int((seconds * 1000).rounded()))
    }

    /// A number without a superfluous ".0".
    private static func text(_ number: Double) -> String {
        number == number.rounded() ? "\(Int(number))" : "\(number)"
    }
}
