import Foundation
import Testing
import Texts

@Suite struct `The refusals of the database` {
    /// Folders whose refusals only a tenant's server or an operator meets.
    private static let forDevelopers: Set<String> = [
        "canaries", "cells", "health", "imports", "loops", "migrations", "moving", "operation", "retention", "tenants",
        "webhooks",
    ]
    /// Details for a tenant's server or an operator in the other folders.
    private static let englishOnly = [
        "The document is there, in a version that If-None-Match excludes.", "What an operator does happens now.",
        "This call is for the tenant's server.", "Another user has this external_id.",
        "This user is not a receiver yet.", "This tenant has as many users as its quota allows.",
        """
        This key lacks the scope tokens, which a change of this user's 1 needs: whoever has a contact can sign in \
        with it.
        """,
    ]

    @Test func `have texts in the catalogue wherever a person meets them`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "sql")
        var count = 0
        for area in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where !area.contains(".") && !Self.forDevelopers.contains(area) {
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: area).path)
            for name in files where !name.hasPrefix("admin.") {
                let sql = try String(contentsOf: folder.appending(path: "\(area)/\(name)"), encoding: .utf8)
                let details = sql.matches(of: /(?:\bdetail = |'detail', )(?:format\(\s*)?((?:'(?:[^']|'')*'\s*)+)/)
                for found in details {
                    // A long literal stands in several lines, each between apostrophes.
                    let literal = String(found.1).replacing(/'\s*\n\s*'/, with: "").trimmingPrefix("'")
                    let text = literal.prefix(upTo: literal.lastIndex(of: "'") ?? literal.endIndex)
                    let detail = String(text).replacing("''", with: "'").replacing("%s", with: "1")
                    guard detail.contains(" "), !detail.hasPrefix("{"), !detail.hasPrefix("%"),
                        !Self.englishOnly.contains(detail)
                    else { continue }
                    count += 1
                    #expect(TextCatalogue.kith.detail(detail) != nil, "\(name): \(detail)")
                }
            }
        }
        #expect(count > 70)
    }
}
