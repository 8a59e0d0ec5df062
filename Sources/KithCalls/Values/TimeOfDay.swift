extension Kith {
    /// A time of day on somebody's clock, such as the hour of a daily ping.
    ///
    /// In the API it is a text such as `09:00`. A value can be written as that text:
    /// `let time: Kith.TimeOfDay = "09:00"`.
    public struct TimeOfDay: Sendable, Hashable, Comparable {
        /// The hour, from 0 to 23.
        public let hour: Int
        /// The minute, from 0 to 59.
        public let minute: Int

        /// Creates a time of day; nil if no clock shows it.
        public init?(hour: Int, minute: Int) {
            guard (0..<24).contains(hour), (0..<60).contains(minute) else { return nil }
            self.hour = hour
            self.minute = minute
        }

        /// Creates a time of day from a text such as `09:00`; nil if it is none.
        public init?(_ text: String) {
            let digits = Array(text.utf8)
            guard digits.count == 5, digits[2] == UInt8(ascii: ":"), let hour = decimal(digits[0..<2]),
                let minute = decimal(digits[3..<5])
            else { return nil }
            self.init(hour: hour, minute: minute)
        }

        /// Whether one time is before another on the same day.
        public static func < (one: TimeOfDay, other: TimeOfDay) -> Bool {
            (one.hour, one.minute) < (other.hour, other.minute)
        }
    }
}

extension Kith.TimeOfDay: CustomStringConvertible {
    /// The time as a text such as `09:00`.
    public var description: String { "\(padded(hour, to: 2)):\(padded(minute, to: 2))" }
}

extension Kith.TimeOfDay: ExpressibleByStringLiteral {
    /// Creates a time of day from a literal, which must be valid.
    public init(stringLiteral text: String) {
        guard let time = Kith.TimeOfDay(text) else { preconditionFailure("\(text) is no time of day such as 09:00") }
        self = time
    }
}

extension Kith.TimeOfDay: Codable {
    /// Decodes a text such as `09:00`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = Kith.TimeOfDay(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no time of day")
        }
        self = time
    }

    /// Encodes a text such as `09:00`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
