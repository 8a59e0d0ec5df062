internal import Foundation

/// A date of the Gregorian calendar, without a time zone.
package struct CalendarDate: Sendable, Hashable {
    package let year: Int
    /// The month, from 1.
    package let month: Int
    package let day: Int

    /// Creates a date from its parts, which are not checked.
    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads a date as the API writes it: `2027-03-09`. Nil for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The day of the week, from 0 for Monday.
    package var weekday: Int {
        // Sakamoto's method: the days that the months before this one shift the weekday by.
        let shift = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1]
        let year = month < 3 ? self.year - 1 : self.year
        return (year + year / 4 - year / 100 + year / 400 + shift + day + 6) % 7
    }

    /// The date some days later, or earlier if `days` is negative. Days of the calendar, which do not all have 24
    /// hours.
    package func adding(days: Int) -> CalendarDate { CalendarDate(daysSince1970: daysSince1970 + days) }
}

/// A date and a time of day as a clock in some time zone shows them.
package struct LocalTime: Sendable, Hashable {
    package let date: CalendarDate
    package let hour: Int
    package let minute: Int

    /// Creates a local time from its parts, which are not checked.
    package init(date: CalendarDate, hour: Int, minute: Int) {
        self.date = date
        self.hour = hour
        self.minute = minute
    }

    /// The local date and time in a zone at an instant in microseconds since 1970-01-01 UTC. An unknown zone counts as
    /// UTC.
    package init(_ instant: Int64, in zone: String) {
        let seconds = Int((Double(instant) / 1_000_000).rounded(.down))
        let offset = TimeZone(identifier: zone)?.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))) ?? 0
        let (days, second) = (seconds + offset).dividedFloored(by: 86_400)
        self.init(date: CalendarDate(daysSince1970: days), hour: second / 3600, minute: second % 3600 / 60)
    }
}

extension LocalTime {
    /// The instant at which a clock in a time zone shows this time, in microseconds since 1970-01-01 UTC. In the hour
    /// that a clock leaves out it is the end of that hour, and in one that it repeats the first of the two, as the
    /// times of pings are (X25). An unknown zone counts as UTC.
    package func instant(in zone: String) -> Int64 {
        let naive = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60
        guard let zone = TimeZone(identifier: zone) else { return Int64(naive) * 1_000_000 }
        func offset(at seconds: Int) -> Int {
            zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        }
        let (before, after) = (offset(at: naive - 86_400), offset(at: naive + 86_400))
        var seconds = naive - before
        if offset(at: seconds) != before {
            seconds = naive - after
            if offset(at: seconds) != after,
                let change = zone.nextDaylightSavingTimeTransition(after: Date(timeIntervalSince1970: Double(seconds)))
            {
                seconds = Int(change.timeIntervalSince1970)
            }
        }
        return Int64(seconds) * 1_000_000
    }
}

extension CalendarDate {
    /// The date that many days after 1970-01-01.
    fileprivate init(daysSince1970 days: Int) {
        // Years that begin in March, in eras of 400 years (Howard Hinnant, "chrono-Compatible Low-Level Date
        // Algorithms").
        let (era, dayOfEra) = (days + 719_468).dividedFloored(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        self.init(
            year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// How many days after 1970-01-01 the date is.
    fileprivate var daysSince1970: Int {
        let year = month <= 2 ? self.year - 1 : self.year
        let (era, yearOfEra) = year.dividedFloored(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int {
    fileprivate func dividedFloored(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
