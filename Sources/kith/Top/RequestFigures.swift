/// The requests of a server at one instant, from its `/metrics`.
struct RequestFigures {
    /// The answered requests, by the first digit of their status.
    var answers: [Int: Int] = [:]
    /// The requests that took at most so many seconds, by that bound in ascending order; the last bound is infinite.
    var buckets: [(bound: Double, count: Int)] = []
    var streams = 0
    /// Requests that wait for a connection to the database.
    var waiting = 0

    /// Reads Prometheus' text format. Lines that say nothing of these figures are passed over.
    init(text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                continue
            }
            let series = line[..<space]
            let name = series.prefix { $0 != "{" }
            // A lying server's number must not stop the program.
            let count = Int(exactly: value.rounded()) ?? 0
            switch name {
            case "kith_http_requests_total":
                guard let status = Self.label("status", of: series)?.first?.wholeNumberValue else { continue }
                answers[status] = (answers[status] ?? 0).addingReportingOverflow(count).partialValue
            case "kith_http_request_seconds_bucket":
                guard let bound = Self.label("le", of: series) else { continue }
                buckets.append((bound == "+Inf" ? .infinity : Double(bound) ?? .infinity, count))
            case "kith_event_streams": streams = count
            case "kith_postgres_waiting": waiting = waiting.addingReportingOverflow(count).partialValue
            default: continue
            }
        }
        buckets.sort { $0.bound < $1.bound }
    }

    var requests: Int { answers.values.reduce(0) { $0.addingReportingOverflow($1).partialValue } }

    /// The requests and faults a second since `earlier`, and the bound below which 99 of 100 of them were answered. Nil
    /// if a server has been started anew in between.
    func course(since earlier: RequestFigures, over seconds: Double) -> Course? {
        let more = requests.subtractingReportingOverflow(earlier.requests).partialValue
        let faults = (answers[5] ?? 0).subtractingReportingOverflow(earlier.answers[5] ?? 0).partialValue
        guard more >= 0, faults >= 0, seconds > 0, buckets.count == earlier.buckets.count else { return nil }
        let counts = zip(buckets, earlier.buckets).map {
            ($0.bound, $0.count.subtractingReportingOverflow($1.count).partialValue)
        }
        let all = counts.last?.1 ?? 0
        let p99 = all > 0 ? counts.first { Double($0.1) >= Double(all) * 0.99 }?.0 : nil
        return Course(requests: Double(more) / seconds, faults: Double(faults) / seconds, p99: p99)
    }

    /// The rates and the latency of requests between two instants.
    struct Course {
        /// Requests a second.
        var requests: Double
        /// Answers of 500 and above a second.
        var faults: Double
        /// In seconds; nil without a request.
        var p99: Double?
    }

    private static func label(_ name: String, of series: Substring) -> Substring? {
        guard let start = series.firstRange(of: "\(name)=\"")?.upperBound else { return nil }
        return series[start...].prefix { $0 != "\"" }
    }
}
