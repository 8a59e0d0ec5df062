import Foundation

/// The device's clocks at one moment: the wall clock, which people and networks set, and one that only runs on.
struct ClockReading: Sendable {
    var wall: Date
    var steady: ContinuousClock.Instant
    /// The start of the device since which ``steady`` counts, the same in all processes; nil if it is not known.
    var boot: String?

    static var now: ClockReading { ClockReading(wall: Date(), steady: .now, boot: present) }

    private static let present: String? = {
        #if canImport(Darwin)
            var (text, size) = ([CChar](repeating: 0, count: 64), 64)
            return sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 ? String(cString: text) : nil
        #else
            return try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #endif
    }()
}

/// The server's clock, as the field `Date` of its responses tells it.
///
/// `Date` has whole seconds and travels, so this clock is behind the server's by a second or two, and never ahead.
struct ServerClock: Sendable {
    /// The seconds by which the server's clock was ahead of the device's wall clock when a response was last heard; nil
    /// before the first.
    private(set) var skew: TimeInterval?
    private var heard: (date: Date, at: ContinuousClock.Instant)?

    init(skew: TimeInterval? = nil) {
        self.skew = skew
    }

    /// Whether the time does not depend on the device's wall clock alone.
    var isKnown: Bool { skew != nil }

    /// Whether a response was heard in this process, so that the time does not depend on the wall clock at all.
    var hasHeard: Bool { heard != nil }

    /// The longest exchange whose `Date` is taken for the present, in seconds.
    private static let longest = 5.0

    /// Takes the `Date` of a response to a request that was sent at `sent`. If the exchange took long, such as because
    /// the process was suspended, the response may be old. It then moves the clock only forward.
    mutating func hear(_ date: Date, at now: ClockReading, sent: ContinuousClock.Instant) {
        if hasHeard, sent.duration(to: now.steady).seconds > Self.longest, date < time(at: now) { return }
        skew = date.timeIntervalSince(now.wall)
        heard = (date, now.steady)
    }

    /// The time of the server at `moment`. A moment of this process is counted by the steady clock, so that it does not
    /// matter what happened to the wall clock since.
    func time(at moment: ClockReading) -> Date {
        guard let heard else { return moment.wall + (skew ?? 0) }
        return heard.date + heard.at.duration(to: moment.steady).seconds
    }

    /// Reads the value of a field `Date`, such as `Tue, 09 Mar 2027 12:00:00 GMT` (RFC 9110 §5.6.7). Every answer has
    /// one, and `DateFormatter` takes as long as the rest of a call.
    static func date(_ text: String) -> Date? {
        let parts = text.split { " ,:".contains($0) }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 8, parts[7] == "GMT", let month = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let numbers = [parts[1], parts[3], parts[4], parts[5], parts[6]].compactMap { Int($0) }
        guard numbers.count == 5 else { return nil }
        // The days since 1970, counted in years that begin in March, so that the leap day is the last one.
        let year = month < 2 ? numbers[1] - 1 : numbers[1]
        let day = (153 * ((month + 10) % 12) + 2) / 5 + numbers[0] - 1
        let days = year * 365 + year / 4 - year / 100 + year / 400 + day - 719_468
        return Date(timeIntervalSince1970: Double(days * 86400 + numbers[2] * 3600 + numbers[3] * 60 + numbers[4]))
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: TimeInterval { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
