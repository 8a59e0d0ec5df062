/// Counts answered requests by endpoint and status class, with their durations. It has no series per tenant (G03).
struct RequestCounters {
    /// The upper bounds of the histogram's buckets, in microseconds.
    static let bounds: [Int64] = [
        500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 2_500_000,
    ]

    /// Counts by endpoint and status class (2xx, 3xx, 4xx, 5xx). The last row counts requests that match no endpoint.
    private(set) var counts: [[Int]]
    /// Counts by bucket. The last one counts durations above every bound.
    private(set) var durations = [Int](repeating: 0, count: bounds.count + 1)
    /// The sum of all durations, in microseconds.
    private(set) var total: Int64 = 0

    init(endpoints: Int) {
        counts = Array(repeating: [0, 0, 0, 0], count: endpoints + 1)
    }

    mutating func count(endpoint: Int?, status: Int, microseconds: Int64) {
        counts[endpoint ?? counts.count - 1][min(max(status / 100 - 2, 0), 3)] += 1
        durations[Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count] += 1
        total += microseconds
    }

    /// Adds the counts of another event loop.
    static func += (sum: inout RequestCounters, other: RequestCounters) {
        for (endpoint, row) in other.counts.enumerated() {
            for (status, count) in row.enumerated() { sum.counts[endpoint][status] += count }
        }
        for (bucket, count) in other.durations.enumerated() { sum.durations[bucket] += count }
        sum.total += other.total
    }
}
