/// Results on their way to the database. They are recorded in batches, and none waits for long.
struct ResultBatch<Result> {
    /// The number of results at which a batch is recorded without waiting for more.
    static var enough: Int { 100 }
    /// The longest that a result waits for more.
    static var maximumDelay: Duration { .milliseconds(50) }
    /// The most results that one statement takes.
    static var most: Int { 500 }
    /// The number of times that the database may refuse a single result before it is given up.
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

    /// Returns how long the results may still wait at `now`; nil when there are none.
    func wait(at now: ContinuousClock.Instant) -> Duration? {
        guard let oldest else { return nil }
        return results.count >= Self.enough ? .zero : max(.zero, oldest + Self.maximumDelay - now)
    }

    /// Removes and returns the next batch.
    mutating func take() -> [Result] {
        let taken = Array(results.prefix(size))
        results.removeFirst(taken.count)
        if results.isEmpty { oldest = nil }
        return taken
    }

    /// Records that the batch was stored.
    mutating func succeed() {
        size = Self.most
        refusals = 0
    }

    /// Puts back a batch that could not be stored. `isRefused` is false when the database could not be reached. When
    /// the database refused the batch, the next one is half as large, to isolate the result at fault so that it does
    /// not hold up the others. Returns the results that are given up.
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
