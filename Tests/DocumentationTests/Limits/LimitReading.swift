import Foundation
import Testing

/// A number of docs/limits.md, read where the code or the schema has it.
struct LimitReading: Sendable {
    /// The file that has the number.
    let file: String
    /// A regular expression whose group is the number. If it occurs several times, all must have the same one.
    let pattern: String
    /// What to add to the number: `offset 9` finds the tenth.
    let adding: Int
    /// The unit in which the page shows it, such as 1024 for bytes in KiB.
    let unit: Int

    init(_ file: String, _ pattern: String, adding: Int = 0, unit: Int = 1) {
        (self.file, self.pattern, self.adding, self.unit) = (file, pattern, adding, unit)
    }

    /// A limit of `internal.acts_a_day`.
    static func act(_ name: String) -> LimitReading {
        LimitReading("sql/foundation/internal.acts.sql", "when '\(name)' then ([0-9]+)\n")
    }

    /// A limit of `internal.code_limit`.
    static func code(_ name: String) -> LimitReading {
        LimitReading("sql/foundation/internal.code_limits.sql", "when '\(name)' then ([0-9]+)\n")
    }

    /// The default of a tenant's setting.
    static func setting(_ name: String) -> LimitReading {
        LimitReading(
            "sql/schema.sql", "CREATE TABLE kith\\.tenants \\([^;]*\n    \(name) integer DEFAULT ([0-9]+) NOT NULL")
    }

    /// The least that the setting may be, and the most: its CHECK constraint.
    static func least(_ setting: String) -> LimitReading {
        LimitReading("sql/schema.sql", "CONSTRAINT tenants_\\w+ CHECK \\(\\(\\(\(setting) >= ([0-9]+)\\) AND")
    }

    static func most(_ setting: String) -> LimitReading {
        LimitReading(
            "sql/schema.sql",
            "CONSTRAINT tenants_\\w+ CHECK \\(\\(\\(\(setting) >= [0-9]+\\) AND \\(\(setting) <= ([0-9]+)\\)")
    }

    /// The most that another CHECK constraint allows.
    static func most(_ constraint: String, of column: String, unit: Int = 1) -> LimitReading {
        LimitReading(
            "sql/schema.sql", "CONSTRAINT \(constraint) CHECK \\([^\n]*\\Q\(column)\\E <= ([0-9]+)\\)", unit: unit)
    }

    /// The number.
    func value() throws -> Int {
        let text = try Repository.text(file)
        let expression = try NSRegularExpression(pattern: pattern)
        let found = expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
            Range($0.range(at: 1), in: text).flatMap { Self.number(text[$0]) }
        }
        let number = try #require(found.first, "\(file) has no \(pattern)") + adding
        #expect(Set(found).count == 1, "\(file) has several numbers for \(pattern): \(found)")
        #expect(number % unit == 0, "\(number) of \(file) is no multiple of \(unit)")
        return number / unit
    }

    /// A number as code has it: `10_000`, `16 << 10`, or a word.
    private static func number(_ text: Substring) -> Int? {
        let parts = text.replacing("_", with: "").components(separatedBy: " << ").compactMap { Int($0) }
        return switch parts.count {
        case 1: parts[0]
        case 2: parts[0] << parts[1]
        default: nil
        }
    }
}
