import Foundation
import Testing
import Texts

@Suite struct `The table of texts` {
    /// For whoever reads the texts of all languages side by side. It is rendered, and not kept.
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: ".build/texts.md")

    /// `make texts` writes the table.
    @Test func `has rows that are those of the catalogue`() throws {
        let table = Self.table
        if ProcessInfo.processInfo.environment["KITH_WRITE_TEXTS"] != nil {
            try table.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == TextCatalogue.kith.keys.count)
        let columns = TextCatalogue.kith.languages.count + 2
        let torn = rows.filter { $0.replacing("\\|", with: "").count { $0 == "|" } != columns + 1 }
        #expect(torn == [])
    }

    private static var table: String {
        let catalogue = TextCatalogue.kith
        let tags = catalogue.languages.map(\.tag)
        var lines = [
            "# The texts", "",
            "Every text that a person reads, by channel. An empty cell takes the text of its base.", "",
            "| key | channel | \(tags.joined(separator: " | ")) |", "|---|---|\(tags.map { _ in "---|" }.joined())",
        ]
        for key in catalogue.keys {
            let texts = catalogue.languages.map { $0.texts[key].map(cell) ?? "" }
            lines.append("| `\(key)` | \(TextChannel(of: key).rawValue) | \(texts.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A text as a cell: the forms of a plural below each other.
    private static func cell(_ text: TextTemplate) -> String {
        PluralCategory.allCases.compactMap { category in
            text.forms[category].map { parts in
                (text.isPlural ? "\(category.rawValue): " : "")
                    + parts.map { part in
                        switch part {
                        case .words(let words): words
                        case .placeholder(let name): "{\(name)}"
                        }
                    }.joined()
            }
        }.joined(separator: "<br>").replacing("|", with: "\\|").replacing("\n", with: "<br>")
    }
}
