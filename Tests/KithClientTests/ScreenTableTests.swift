import Foundation
import KithClient
import Testing

/// Keeps docs/screens.md honest: the types, tests, names and colours in its tables are those of the library.
@Suite struct `The table of screens` {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func sources(_ folder: String) throws -> [String: String] {
        let urls = FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)
        let swift = (urls?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        return try Dictionary(
            uniqueKeysWithValues: swift.map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8)) })
    }

    private static func document() throws -> String {
        try String(contentsOf: root.appending(path: "docs/screens.md"), encoding: .utf8)
    }

    @Test func `names types and tests that exist`() throws {
        let code =
            try Self.sources("Sources/KithClient/Screens").values.joined()
            + Self.sources("Sources/KithClient/Texts").values.joined()
        let tests = try Self.sources("Tests/KithClientTests")
            .merging(Self.sources("Tests/EndToEnd/Client")) { one, _ in one }
        let table = try Self.document().components(separatedBy: "## Names")[0]
        let names = Set(table.matches(of: /`([A-Z][A-Za-z]+)`/).map { String($0.1) })
        #expect(names.count > 30)
        for name in names {
            let isType = try !code.matches(of: Regex("public (final )?(class|struct|enum|protocol) \(name)\\b")).isEmpty
            #expect(isType || tests["\(name).swift"] != nil, "docs/screens.md names \(name), which does not exist")
        }
    }

    @Test func `has every screen of the library`() throws {
        let table = try Self.document()
        let code = try Self.sources("Sources/KithClient/Screens").values.joined()
        let screens = code.matches(of: /public final class ([A-Za-z]+Screen)\b/).map { String($0.1) }
        #expect(screens.count >= 14)
        for screen in screens {
            #expect(table.contains("`\(screen)`"), "docs/screens.md lacks \(screen)")
        }
    }

    @Test func `names and colours statuses as the library does`() throws {
        var count = 0
        for row in try Self.document().components(separatedBy: "## Names")[1].split(separator: "\n") {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[0].contains("ping") || cells[0].contains("`") else { continue }
            let status = cells[0].firstMatch(of: /`([a-z_]+)`/).map { String($0.1) } ?? "unheard_of"
            let badge =
                switch cells[0].split(separator: " ").first {
                case "nominee": Kith.NomineeStatus(rawValue: status).badge()
                case "connection": Kith.ConnectionStatus(rawValue: status).badge()
                default: Kith.PingStatus(rawValue: status).badge()
                }
            #expect(badge.name == cells[1], "\(row)")
            #expect(badge.color.rawValue == cells[2], "\(row)")
            count += 1
        }
        #expect(count == 16)
    }
}
