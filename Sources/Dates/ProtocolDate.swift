internal import Glibc

/// Dates as protocols write them: always in English and in UTC, whatever the process's locale and time zone are.
public enum ProtocolDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns an instant, in seconds since 1970, for a header field of HTTP (RFC 9110 §5.6.7):
    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    public static func http(_ seconds: Int64) -> String {
        text(seconds) + " GMT"
    }

    /// Returns an instant, in seconds since 1970, for a header field of an e-mail (RFC 5322 §3.3):
    /// `Sun, 06 Nov 1994 08:49:37 +0000`.
    public static func mail(_ seconds: Int64) -> String {
        text(seconds) + " +0000"
    }

    private static func text(_ seconds: Int64) -> String {
        var (seconds, parts) = (time_t(seconds), tm())
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(digits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
        let clock = "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))"
        return "\(days[Int(parts.tm_wday)]), \(date) \(clock)"
    }
}
