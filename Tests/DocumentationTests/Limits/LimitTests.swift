import Foundation
import Testing

/// Compares docs/limits.md with what the code and the schema enforce, and with the API's documentation.
@Suite struct `The limits in docs/limits.md` {
    @Test func `are those of the code, the schema and the benchmarks`() throws {
        let page = try Repository.text(LimitPage.path)
        let written = try LimitPage.written(page)
        if ProcessInfo.processInfo.environment["KITH_WRITE_LIMITS"] != nil {
            try written.write(to: Repository.url(LimitPage.path), atomically: true, encoding: .utf8)
        }
        let lines = Set(page.split(separator: "\n"))
        let stale = written.split(separator: "\n").filter { !lines.contains($0) }
        #expect(page == written, "\(LimitPage.path) is stale: KITH_WRITE_LIMITS=1 writes it. It lacks: \(stale)")
    }

    @Test(arguments: LimitChapter.all.flatMap(\.limits).filter { !$0.bounds.isEmpty })
    func `are those of the API's documentation`(limit: Limit) throws {
        for bound in try limit.bounds.map(limit.filled) {
            #expect(try Self.sources().contains { $0.contains(bound) }, "no call is bound by: \(bound)")
        }
    }

    /// The texts of the API's source files. A long text is written in several lines.
    private static func sources() throws -> [String] {
        try Repository.files(in: "Sources/API").map { try Repository.text($0).replacing(/\\\n */, with: "") }
    }

    /// The numbers that stand in the bounds of calls and are no limits.
    private static let otherNumbers: Set = [
        "Invitations are kept for 90 days.", "Ids of messages are kept for 7 days.",
        "Ids of calls are kept for 7 days.",
    ]

    @Test func `include every number in a call's bound`() throws {
        let limits = LimitChapter.all.flatMap(\.limits)
        let known = try limits.flatMap { limit in try limit.bounds.map(limit.filled) }.sorted { $0.count > $1.count }
        let bound = try Regex(#"(?:bound:|static let \w+ =)\s+"([^"]*[0-9][^"]*)""#, as: (Substring, Substring).self)
        var bounds: [String] = []
        for path in Repository.files(in: "Sources/API") where path.contains("/Endpoint+") {
            bounds += try Repository.text(path).matches(of: bound).map { String($0.output.1) }
        }
        #expect(bounds.count > 30)
        for bound in bounds {
            let rest = (known + Self.otherNumbers).reduce(bound) { $0.replacing($1, with: "") }
            let number = rest.first(where: \.isNumber)
            #expect(number == nil, "no limit of docs/limits.md is the number in “\(rest)” of: \(bound)")
        }
    }

    @Test(arguments: [
        ("KITH_ADDRESS_LIMIT", "addressLimit"), ("KITH_USER_LIMIT", "userLimit"), ("KITH_TENANT_LIMIT", "tenantLimit"),
        ("KITH_SIGN_IN_LIMIT", "signInLimit"), ("KITH_INBOUND_LIMIT", "inboundLimit"),
    ])
    func `are the defaults of the rates in kith help and in deploy/README.md`(variable: String, name: String) throws {
        let rate = try LimitChapter.rate(name).map { String(try $0.value()) }.joined(separator: "/")
        let help = try Repository.text("Sources/kith/Configuration/Configuration.swift")
        let said = try Regex("\"\(variable)\",\\s+\"[^\"]*default \(rate)\"")
        #expect(help.contains(said), "kith help does not say \(rate) of \(variable)")
        let row = try Repository.text("deploy/README.md").split(separator: "\n").first {
            $0.hasPrefix("| `KITH_ADDRESS_LIMIT`")
        }
        #expect(row?.contains("`\(rate)`") == true, "deploy/README.md does not say \(rate) of \(variable)")
    }

    @Test func `include every limit that the database counts by name`() throws {
        let patterns = Set(LimitChapter.all.flatMap(\.limits).flatMap(\.readings).map(\.pattern))
        for (file, reading) in [
            ("sql/foundation/internal.acts.sql", LimitReading.act),
            ("sql/foundation/internal.code_limits.sql", LimitReading.code),
        ] {
            let text = try Repository.text(file)
            let names = text.prefix(upTo: text.range(of: "\n  end\n")?.upperBound ?? text.endIndex)
                .matches(of: /when '([a-z_]+)' then [0-9]+\n/).map { String($0.output.1) }
            #expect(names.count > 5)
            for name in names {
                #expect(patterns.contains(reading(name).pattern), "docs/limits.md does not have \(name) of \(file)")
            }
        }
    }

    /// A check such as `count(*) >= 10` beside a refusal with `quota_exceeded` is a limit.
    @Test func `include every file of the database that refuses what is too much`() throws {
        let limits = LimitChapter.all.flatMap(\.limits)
        let known = Set(limits.flatMap { $0.readings.map(\.file) + [$0.refusedIn].compactMap { $0 } })
        for path in Repository.files(in: "sql") where path.hasSuffix(".sql") && !path.hasPrefix("sql/migrations/") {
            let refuses = try Repository.text(path).contains(
                /(?:raise exception |'problem', )'(?:quota_exceeded|too_many_requests)'/)
            // An import meets the limit of connections as a person does.
            let isCovered = known.contains(path) || path == "sql/imports/internal.imported_connections.sql"
            #expect(!refuses || isCovered, "docs/limits.md has no limit of \(path)")
        }
    }
}
