import Foundation
import KithClient

/// The clock of every installation in the tests: it starts at noon on 9 March 2027 and runs on from there. So no result
/// depends on when or where the tests run.
enum Day {
    static let start = Date(timeIntervalSince1970: 1_804_593_600)

    /// Seconds by which that clock is ahead of the machine's.
    static let offset = offset(from: start)

    /// Seconds by which a clock that shows `start` now is ahead of the machine's.
    static func offset(from start: Date) -> Int {
        Int(start.timeIntervalSince1970) - Int(Date().timeIntervalSince1970)
    }

    static var now: Date { Date() + Double(offset) }

    /// The date in `zone`, `days` from now.
    static func date(_ days: Int = 0, zone: String = "UTC") -> String {
        text(days, zone, "yyyy-MM-dd")
    }

    /// The same date as an English notification writes it.
    static func words(_ days: Int = 0, zone: String = "UTC") -> String {
        text(days, zone, "d MMMM yyyy")
    }

    private static func text(_ days: Int, _ zone: String, _ format: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: zone)
        formatter.dateFormat = format
        return formatter.string(from: now + Double(days) * 86400)
    }

    /// The same date as a value of the client library.
    static func localDate(_ days: Int = 0, zone: String = "UTC") -> Kith.LocalDate {
        Kith.LocalDate(stringLiteral: date(days, zone: zone))
    }

    /// The instant `seconds` from now.
    static func instant(_ seconds: Double) -> String {
        (now + seconds).formatted(.iso8601)
    }

    /// Now, as an SQL expression: the database's own `now()` is the machine's.
    static var sql: String { "to_timestamp(\(now.timeIntervalSince1970))" }
}
