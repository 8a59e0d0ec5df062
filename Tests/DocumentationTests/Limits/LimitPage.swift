import Foundation
import Testing

/// docs/limits.md: prose that people write, and tables between marks that a program writes.
struct LimitPage {
    static let path = "docs/limits.md"

    /// The tables, by their names.
    static func tables() throws -> [(name: String, text: String)] {
        let limits = try LimitChapter.all.map { chapter in
            let head = "| what | limit | changed by | beyond it |\n| --- | --- | --- | --- |\n"
            return (chapter.name, head + (try chapter.limits.map { try $0.row() + "\n" }.joined()))
        }
        let head = "| what | measured up to | benchmark | limit |\n| --- | --- | --- | --- |\n"
        let measured = try LimitMeasurement.all.map { try $0.row() + "\n" }.joined()
        return limits + [("measured", head + measured), ("raised", try raised())]
    }

    /// What `admin.raise_quota` allows.
    private static func raised() throws -> String {
        let file = "sql/operation/admin.quotas.sql"
        let times = try LimitReading(file, "v_usual \\+ 1 and v_usual \\* ([0-9]+) then").value()
        let days = try LimitReading(file, "p_until > p_now \\+ interval '([0-9]+) days'").value()
        return """
            `admin.raise_quota` lets one person do up to \(times) times as much in a UTC day, for at most \(days) days, with a \
            reason that the audit keeps.

            """
    }

    /// The page with these tables.
    static func written(_ page: String) throws -> String {
        var page = page
        for (name, text) in try tables() {
            let (begin, end) = ("<!-- \(name): written by KITH_WRITE_LIMITS=1 -->\n", "<!-- end of \(name) -->")
            let start = try #require(page.range(of: begin), "\(path) has no mark \(begin)").upperBound
            let stop = try #require(page.range(of: end, range: start..<page.endIndex), "\(path) has no mark \(end)")
            page.replaceSubrange(start..<stop.lowerBound, with: "\n\(text)\n")
        }
        return page
    }
}
