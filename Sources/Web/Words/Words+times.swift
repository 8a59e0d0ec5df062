internal import Foundation
package import Texts

/// Dates and times. Instants are texts as the API writes them; an invalid one gives an empty text.
extension Words {
    /// The time of day of an instant, such as 09:02.
    package func time(_ instant: String) -> String {
        Self.microseconds(instant).map(time) ?? ""
    }

    /// The time of day of an instant in microseconds since 1970.
    package func time(_ instant: Int64) -> String {
        texts.words(for: .time(LocalTime(instant, in: timeZone)))
    }

    /// The instant of a time of day as the API writes it, `09:00`, on a local date of a time zone; nil if it is none.
    package func instant(ofDay text: String, on date: CalendarDate, in zone: String) -> Int64? {
        let parts = text.split(separator: ":").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        return LocalTime(date: date, hour: parts[0], minute: parts[1]).instant(in: zone)
    }

    /// When something happens or happened: "at 09:02", "yesterday at 09:02", "on Friday, 27 November 2026 at 09:02".
    package func moment(_ instant: String) -> String {
        Self.microseconds(instant).map(moment) ?? ""
    }

    /// The same for an instant in microseconds since 1970.
    package func moment(_ instant: Int64) -> String {
        worded(instant, "moment.at")
    }

    /// The end of something: "until 09:02", "until tomorrow at 09:02".
    package func until(_ instant: String) -> String {
        Self.microseconds(instant).map(until) ?? ""
    }

    /// The same for an instant in microseconds since 1970.
    package func until(_ instant: Int64) -> String {
        worded(instant, "moment.until")
    }

    /// The moment that lies some seconds from now, rounded up to a whole minute.
    package func moment(in seconds: Int) -> String {
        let minute = (now / 1_000_000 + Int64(seconds) + 59) / 60 * 60
        return self("moment.at.today", ["time": .words(time(minute * 1_000_000))])
    }

    /// The seconds from now to an instant; negative if it has passed, nil if the text is not an instant.
    package func seconds(until instant: String) -> Int? {
        Self.microseconds(instant).map { Int(($0 - now) / 1_000_000) }
    }

    /// A local date as the API writes it, `2026-11-27`: "Friday, 27 November 2026".
    package func date(_ text: String) -> String {
        CalendarDate(text).map(words) ?? text
    }

    /// The date of an instant.
    package func date(ofInstant instant: String) -> String {
        Self.microseconds(instant).map { words(for: LocalTime($0, in: timeZone).date) } ?? ""
    }

    /// The date and the time of an instant, such as "4 December, 09:00".
    package func day(_ instant: String) -> String {
        Self.microseconds(instant).map {
            texts.words(for: .dateTime(LocalTime($0, in: timeZone), thisYear: today.year))
        } ?? ""
    }

    /// The date of an instant without its weekday.
    package func shortDate(_ instant: String) -> String {
        Self.microseconds(instant).map {
            texts.words(for: .date(LocalTime($0, in: timeZone).date, thisYear: today.year))
        } ?? ""
    }

    /// The instant that lies some days ahead, as the API reads instants.
    package func instant(daysAhead days: Int) -> String {
        Self.instant(now + Int64(days) * 86_400_000_000)
    }

    /// An instant in microseconds since 1970 as the API writes it, to the second.
    package static func instant(_ microseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(microseconds / 1_000_000)).formatted(.iso8601)
    }

    /// The date on which the page is read.
    package var today: CalendarDate { LocalTime(now, in: timeZone).date }

    /// Whether an instant has come.
    package func isPast(_ instant: String) -> Bool {
        Self.microseconds(instant).map { $0 <= now } ?? false
    }

    /// Date and time of an instant, as a list shows them.
    package func stamp(_ instant: String) -> String {
        guard let instant = Self.microseconds(instant) else { return "" }
        let local = LocalTime(instant, in: timeZone)
        guard local.date != today else { return texts.words(for: .time(local)) }
        return texts.words(for: .dateTime(local, thisYear: today.year))
    }

    /// The time of an instant beside a date as the API writes it, with its own date if that is another.
    package func time(_ instant: String, beside date: String) -> String {
        guard let microseconds = Self.microseconds(instant) else { return "" }
        return CalendarDate(date) == LocalTime(microseconds, in: timeZone).date ? time(microseconds) : day(instant)
    }

    /// The date on which the page is read, in a time zone that need not be the reader's.
    package func today(in zone: String?) -> CalendarDate { LocalTime(now, in: zone ?? timeZone).date }

    /// The same as the API writes dates.
    package func isoToday(in zone: String?) -> String { Self.iso(today(in: zone)) }

    /// A date as the API writes dates.
    package static func iso(_ date: CalendarDate) -> String {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(digits(date.month))-\(digits(date.day))"
    }

    private func worded(_ instant: Int64, _ key: String) -> String {
        let local = LocalTime(instant, in: timeZone)
        let time = TextValue.words(texts.words(for: .time(local)))
        switch local.date {
        case today: return self("\(key).today", ["time": time])
        case today.adding(days: 1): return self("\(key).tomorrow", ["time": time])
        case today.adding(days: -1): return self("\(key).yesterday", ["time": time])
        default: return self("\(key).other", ["day": .words(words(for: local.date)), "time": time])
        }
    }

    private func words(for date: CalendarDate) -> String {
        self(
            "moment.day",
            [
                "weekday": .words(texts.language.dates.weekdays[date.weekday]),
                "date": .date(date, thisYear: today.year),
            ])
    }

    /// Microseconds since 1970.
    static func microseconds(_ instant: String) -> Int64? {
        guard let date = try? Date("\(instant.prefix(19))Z", strategy: .iso8601) else { return nil }
        return Int64(date.timeIntervalSince1970 * 1_000_000)
    }
}
