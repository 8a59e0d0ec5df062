/// How a language writes dates and times: patterns of CLDR (UTS #35, part 4, section 8, "Date Format Patterns") with
/// its names of months and weekdays.
package struct DateWords: Sendable {
    /// A pattern for dates of other years.
    package let date: DatePattern
    /// A pattern for dates of the year in which the text is worded.
    package let dateOfThisYear: DatePattern
    package let time: DatePattern
    /// Joins a date, `{1}`, and a time, `{0}`.
    package let dateTime: String
    /// The names of the months as they stand with a day.
    package let months: [String]
    /// The names of the weekdays, from Monday.
    package let weekdays: [String]

    /// A date, worded in `thisYear`.
    package func words(for date: CalendarDate, in thisYear: Int?) -> String {
        let pattern = date.year == thisYear ? dateOfThisYear : self.date
        return pattern.words(for: LocalTime(date: date, hour: 0, minute: 0), self)
    }

    /// A time of day.
    package func words(forTimeOf time: LocalTime) -> String {
        self.time.words(for: time, self)
    }

    /// A date and a time of day, worded in `thisYear`.
    package func words(for time: LocalTime, in thisYear: Int?) -> String {
        dateTime.replacing("{1}", with: words(for: time.date, in: thisYear))
            .replacing("{0}", with: words(forTimeOf: time))
    }
}

/// A date pattern of CLDR with the fields `d`, `dd`, `M`, `MM`, `MMMM`, `y`, `EEEE`, `H`, `HH`, `m` and `mm`.
package struct DatePattern: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        case literal(String)
        case field(Character, width: Int)
    }

    /// The pattern as it is written.
    package let source: String
    private let pieces: [Piece]

    private static let widths: [Character: Set<Int>] = [
        "d": [1, 2], "M": [1, 2, 4], "y": [1, 4], "E": [4], "H": [1, 2], "m": [1, 2],
    ]

    /// Parses a pattern.
    ///
    /// - Throws: ``CatalogueError`` for a letter that is none of the fields; literal letters stand between apostrophes.
    package init(_ source: String) throws(CatalogueError) {
        self.source = source
        var pieces: [Piece] = []
        var rest = source[...]
        while let character = rest.first {
            if character == "'" {
                let literal = rest.dropFirst().prefix { $0 != "'" }
                guard literal.endIndex < rest.endIndex else {
                    throw CatalogueError("an apostrophe is missing: \(source)")
                }
                pieces.append(.literal(literal.isEmpty ? "'" : String(literal)))
                rest = rest[rest.index(after: literal.endIndex)...]
            } else if character.isASCII && character.isLetter {
                let run = rest.prefix { $0 == character }
                guard Self.widths[character]?.contains(run.count) == true else {
                    throw CatalogueError("no field of a date: \(run) in \(source)")
                }
                pieces.append(.field(character, width: run.count))
                rest = rest[run.endIndex...]
            } else {
                pieces.append(.literal(String(character)))
                rest = rest.dropFirst()
            }
        }
        self.pieces = pieces
    }

    func words(for time: LocalTime, _ words: DateWords) -> String {
        pieces.map { piece in
            switch piece {
            case .literal(let text): text
            case .field("d", let width): Self.number(time.date.day, width)
            case .field("M", 4): words.months[time.date.month - 1]
            case .field("M", let width): Self.number(time.date.month, width)
            case .field("E", _): words.weekdays[time.date.weekday]
            case .field("H", let width): Self.number(time.hour, width)
            case .field("m", let width): Self.number(time.minute, width)
            case .field(_, let width): Self.number(time.date.year, width)
            }
        }.joined()
    }

    private static func number(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
