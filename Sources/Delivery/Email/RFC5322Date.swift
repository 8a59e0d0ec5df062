internal import Glibc

/// Dates in the format of mail headers (RFC 5322 §3.3), independent of the process's locale.
enum RFC5322Date {
    static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Formats `instant`, in microseconds since 1970.
    static func text(of instant: Int64) -> String {
        var seconds = time_t(instant / 1_000_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        let (day, month) = (days[Int(parts.tm_wday)], months[Int(parts.tm_mon)])
        return "\(day), \(parts.tm_mday) \(month) \(1900 + parts.tm_year) \(clock) +0000"
    }
}
