import Foundation
import Testing

/// A row of the table of docs/limits.md that says up to which size something was measured: quoted from
/// docs/performance.md.
struct LimitMeasurement: Sendable {
    /// The thing that was measured.
    let what: String
    /// The benchmark whose row is quoted.
    let benchmark: String
    /// A regular expression whose group is the size in that row.
    let size: String
    /// How many units of the limit one of the size is, such as the days of a month.
    var days = 1
    /// The limit beside it; nil if the code has none.
    let limit: LimitReading?
    /// The limit as the page has it, with `{}` for its number.
    let bound: String

    static let all = [
        LimitMeasurement(
            what: "connections in one database", benchmark: "scale-check-in", size: "([0-9]+) connections against",
            limit: nil, bound: "none in the code"),
        LimitMeasurement(
            what: "senders who are asked in the same minute", benchmark: "due-minute",
            size: "the last of ([0-9]+) senders",
            limit: nil, bound: "none in the code"),
        LimitMeasurement(
            what: "senders whose alarms open in the same minute", benchmark: "alarms-minute",
            size: "the alarm of one of ([0-9]+) senders", limit: nil, bound: "none in the code"),
        LimitMeasurement(
            what: "senders of one receiver, on the dashboard", benchmark: "dashboard",
            size: "dashboards of ([0-9]+) senders",
            limit: LimitReading(
                "sql/connections/internal.connections.sql", "offset ([0-9]+) limit 1\n    \\);", adding: 1),
            bound: "{}"),
        LimitMeasurement(
            what: "people invited in one call", benchmark: "invite-1000", size: "connection-invitations of ([0-9]+)",
            limit: LimitReading(
                "Sources/API/Connections/Endpoint+invitations.swift",
                "\\.array\\(of: \\.component\\(\\.newRecipient\\), count: 1\\.\\.\\.([0-9]+)\\)"),
            bound: "{}"),
        LimitMeasurement(
            what: "nominees who are told that a vault is open", benchmark: "open-vault",
            size: "each telling ([0-9]+) nominees",
            limit: LimitReading("sql/nominees/internal.nominees.sql", "p_more > ([0-9]+) from kith\\.nominees"),
            bound: "{}"),
        LimitMeasurement(
            what: "size of one document in MiB", benchmark: "document-memory-up", size: "while ([0-9]+) MiB go up",
            limit: LimitReading(
                "Sources/API/Documents/DocumentVersion.swift", "maximumSize = ([0-9_ <]+)\n", unit: 1 << 20),
            bound: "{} MiB"),
        LimitMeasurement(
            what: "event streams of one server", benchmark: "streams-memory", size: "([0-9]+) open streams",
            limit: LimitReading(LimitChapter.rates, "public var streams = ([0-9_]+)\n"), bound: "{}, `KITH_STREAMS`"),
        LimitMeasurement(
            what: "tenants whose pings one worker makes", benchmark: "generate-tenants",
            size: "connections of ([0-9]+) tenants", limit: nil, bound: "none in the code"),
        LimitMeasurement(
            what: "tenants in the map of one server", benchmark: "cells-map-100",
            size: "and ([0-9]+) tenants in the map",
            limit: nil, bound: "none in the code"),
        LimitMeasurement(
            what: "cells in the map of one server", benchmark: "cells-map-100", size: "with ([0-9]+) cells",
            limit: nil, bound: "none in the code"),
        LimitMeasurement(
            what: "cells that answer at once", benchmark: "cells-check-in-3", size: "one server with ([0-9]+) cells",
            limit: nil, bound: "none in the code"),
        LimitMeasurement(
            what: "months of partitions, for a check-in", benchmark: "partitions-check-in",
            size: "([0-9]+) earlier months",
            days: 31, limit: .most("ping_retention_days"), bound: "{} days, `ping_retention_days`"),
        LimitMeasurement(
            what: "days of history, for the pings of a day", benchmark: "generate-history",
            size: "([0-9]+) days of history",
            limit: .most("ping_retention_days"), bound: "{} days, `ping_retention_days`"),
    ]

    func row() throws -> String {
        let page = try Repository.text("docs/performance.md")
        let line = try #require(
            page.split(separator: "\n").first { $0.hasPrefix("| `\(benchmark)` |") },
            "docs/performance.md has no benchmark \(benchmark)")
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        let description = cells[1]
        let size = try #require(
            try NSRegularExpression(pattern: size).firstMatch(
                in: description, range: NSRange(description.startIndex..., in: description)
            ).flatMap { Range($0.range(at: 1), in: description) }.flatMap { Int(description[$0]) },
            "docs/performance.md does not say \(size) of \(benchmark): \(description)")
        // The columns after the ratio are the target and whether it was met.
        let outcome = cells[5] == "–" ? "no target" : "target \(cells[6].replacing("*", with: ""))"
        let most = try limit?.value()
        let shown = bound.replacing("{}", with: most.map(Limit.shown) ?? "")
        let isBeyond = most.map { $0 > size * days } ?? false
        return """
            | \(what) | \(Limit.shown(size)) | `\(benchmark)`, \(outcome) | \(shown)\(isBeyond ? ": more than was measured" : "") |
            """
    }
}
