import Foundation
import Testing
import Texts

@Suite struct `The table of texts` {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/texts.md")

    @Test func `has rows that are those of the catalogue`() throws {
        let table = Self.table
        if ProcessInfo.processInfo.environment["KITH_WRITE_TEXTS"] != nil {
            try table.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let isFresh = try String(contentsOf: Self.file, encoding: .utf8) == table
        #expect(isFresh, "docs/texts.md is stale: run `make texts`")
    }

    private static var table: String {
        let catalogue = TextCatalogue.kith
        let tags = catalogue.languages.map(\.tag)
        var lines = [
            "# The texts", "",
            """
            Every text that a person reads, by channel, from [the catalogue](../Sources/Texts/Catalogue). `make \
            texts` writes this page.
            """,
            "", "| channel | texts | \(tags.joined(separator: " | ")) |",
            "|---|---|\(tags.map { _ in "---|" }.joined())",
        ]
        for channel in TextChannel.allCases {
            let keys = catalogue.keys.filter { TextChannel(of: $0) == channel }
            let counts = catalogue.languages.map { language in "\(keys.count { language.texts[$0] != nil })" }
            lines.append("| \(channel.rawValue) | \(keys.count) | \(counts.joined(separator: " | ")) |")
        }
        lines += [
            "", "● has a text of its own, ○ takes that of its base.", "",
            "| key | channel | placeholders | \(tags.joined(separator: " | ")) |",
            "|---|---|---|\(tags.map { _ in "---|" }.joined())",
        ]
        for key in catalogue.keys {
            let marks = catalogue.languages.map { $0.texts[key] == nil ? "○" : "●" }
            let placeholders = catalogue.english.texts[key]?.placeholders ?? []
            lines.append(
                "| `\(key)` | \(TextChannel(of: key).rawValue) | \(placeholders.joined(separator: ", ")) | \(marks.joined(separator: " | ")) |"
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
