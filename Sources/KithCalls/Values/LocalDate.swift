public import Foundation

extension Kith {
    /// A day of the calendar, without an hour or a time zone, such as the day of a ping.
    ///
    /// In the API it is a text such as `2026-11-21`. A value can be written as that text:
    /// `let day: Kith.LocalDate = "2026-11-21"`.
    public struct LocalDate: Sendable, Hashable, Comparable {
        /// The year.
        public let year: Int
        /// The month, from 1 for January.
        public let month: Int
        /// The day of the month, from 1.
        public let day: Int

        /// Creates a day; nil if the calendar does not have it.
        public init?(year: Int, month: Int, day: Int) {
            guard (0...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year)
            else { return nil }
            self.init(known: year, month, day)
        }

        /// Creates the day in which `date` is in `timeZone`.
        public init(_ date: Date, in timeZone: TimeZone) {
            let days = Int(
                ((date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))) / 86400).rounded(.down))
            self.init(daysSince1970: days)
        }

        /// Creates a day from a text such as `2026-11-21`; nil if it is none.
        public init?(_ text: String) {
            let digits = Array(text.utf8)
            guard digits.count == 10, digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-"),
                let year = decimal(digits[0..<4]), let month = decimal(digits[5..<7]),
                let day = decimal(digits[8..<10])
            else { return nil }
            self.init(year: year, month: month, day: day)
        }

        package init(daysSince1970 days: Int) {
            // From days to the civil calendar: eras of 400 years that begin in March.
            let shifted = days + 719_468
            let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
            let dayOfEra = shifted - era * 146_097
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let month = (5 * dayOfYear + 2) / 153
            let year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
            self.init(known: year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
        }

        private init(known year: Int, _ month: Int, _ day: Int) {
            self.year = year
            self.month = month
            self.day = day
        }

        /// The number of days from 1970-01-01.
        package var daysSince1970: Int {
            let year = month <= 2 ? year - 1 : year
            let era = (year >= 0 ? year : year - 399) / 400
            let yearOfEra = year - era * 400
            let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
            return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        }

        /// The day that is `days` later, or earlier if it is negative.
        public func adding(days: Int) -> LocalDate { LocalDate(daysSince1970: daysSince1970 + days) }

        /// Whether one day is before another.
        public static func < (one: LocalDate, other: LocalDate) -> Bool {
            (one.year, one.month, one.day) < (other.year, other.month, other.day)
        }

        private static func days(in month: Int, of year: Int) -> Int {
            let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
            return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        }
    }
}

extension Kith.LocalDate: CustomStringConvertible {
    /// The day as a text such as `2026-11-21`.
    public var description: String { "\(padded(year, to: 4))-\(padded(month, to: 2))-\(padded(day, to: 2))" }
}

extension Kith.LocalDate: ExpressibleByStringLiteral {
    /// Creates a day from a literal, which must be valid.
    public init(stringLiteral text: String) {
        guard let date = Kith.LocalDate(text) else { preconditionFailure("\(text) is no day such as 2026-11-21") }
        self = date
    }
}

extension Kith.LocalDate: Codable {
    /// Decodes a text such as `2026-11-21`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = Kith.LocalDate(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no day")
        }
        self = date
    }

    /// Encodes a text such as `2026-11-21`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
