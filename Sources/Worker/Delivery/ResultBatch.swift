/// Results on their way to the database, some at a time: one statement for many, and none waits for long.
struct ResultBatch<Result> {
    /// So many are not kept waiting for more.
    static var enough: Int { 100 }
    /// Nor any for longer.
    static var maximumDelay: Duration { .milliseconds(50) }
    /// What one statement takes at most.
    static var most: Int { 500 }
    /// A result that the database has refused so often by itself is given up.
    static var tolerance: Int { 5 }

    private var results: [Result] = []
    private var oldest: ContinuousClock.Instant?
    private var size = Self.most
    private var refusals = 0

    var isEmpty: Bool { results.isEmpty }
    var count: Int { results.count }

    mutating func append(_ result: Result, at now: ContinuousClock.Instant) {
        results.append(result)
        oldest = oldest ?? now
    }

    /// How long they may still wait at `now`; nil when there are none.
    func wait(at now: ContinuousClock.Instant) -> Duration? {
        guard let oldest else { return nil }
        return results.count >= Self.enough ? .zero : max(.zero, oldest + Self.maximumDelay - now)
    }

    /// Takes the next ones out.
    mutating func take() -> [Result] {
        let taken = Array(results.prefix(size))
        results.removeFirst(taken.count)
        if results.isEmpty { oldest = nil }
        return taken
    }

    /// What was taken is recorded.
    mutating func succeed() {
        size = Self.most
        refusals = 0
    }

    /// What was taken could not be recorded, because the database was away (`isRefused` false) or did not want it: then the one that is
    /// at fault is looked for, so that it does not keep the others. Gives what is given up.
    mutating func fail(_ taken: [Result], isRefused: Bool, at now: ContinuousClock.Instant) -> [Result] {
        if isRefused {
            size = max(1, taken.count / 2)
            refusals += taken.count == 1 ? 1 : 0
            if refusals >= Self.tolerance {
                refusals = 0
                return taken
            }
        }
        results.insert(contentsOf: taken, at: 0)
        oldest = oldest ?? now
        return []
    }
}
