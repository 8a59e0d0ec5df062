import Foundation

/// Dates and instants around the server's now, as the API writes them.
enum Day {
    /// The date in `zone`, so many days from now.
    static func date(_ days: Int = 0, zone: String = "UTC") -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: zone)
        formatter.dateFormat = "yyyy-MM-dd"
        return formatter.string(from: Date() + Double(days) * 86400)
    }

    /// The instant so many seconds from now.
    static func instant(_ seconds: Double) -> String {
        (Date() + seconds).formatted(.iso8601)
    }
}
