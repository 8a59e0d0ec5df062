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

    /// The calls of `ScreenCalls` that are no generated function of the API.
    private static let ownCalls = [
        "sendCode": "requestOneTimeCode", "signIn": "signIn", "checkIn": "checkIn", "callForHelp": "callForHelp",
        "open": "openVault", "lock": "lockVault",
    ]

    @Test func `is of screens whose documentation lists the calls that they make`() throws {
        var sources = try Self.sources("Sources/KithClient/Screens")
        // The operations of each function of `ScreenCalls`.
        var operations: [String: Set<String>] = [:]
        var function = ""
        let own = sources.removeValue(forKey: "ScreenCalls.swift")
        for line in try #require(own).split(separator: "\n") {
            if let name = line.firstMatch(of: /^    (?:func|var) ([A-Za-z]+)/)?.1 {
                function = String(name)
                #expect(operations[function] == nil, "ScreenCalls has two functions \(function)")
                operations[function] = []
            }
            for call in line.matches(of: /\bapi\.([A-Za-z]+)\(/) { operations[function]?.insert(String(call.1)) }
            for call in line.matches(of: /\bkith\.(?:vaults\[id\]\.)?([A-Za-z]+)\(/) {
                operations[function]?.insert(try #require(Self.ownCalls[String(call.1)]))
            }
        }
        var (listed, made): ([String: Set<String>], [String: Set<String>]) = ([:], [:])
        for source in sources.values {
            for screen in source.matches(of: /((?:\n\/\/\/.*)+)\n@Observable @MainActor public final class ([A-Za-z]+)/)
            {
                let text = screen.1.replacing("\n///", with: "")
                let list = try #require(text.firstMatch(of: /Calls: ([^.]*)\./)?.1, "\(screen.2) lists no calls")
                listed[String(screen.2)] = Set(list.matches(of: /`([A-Za-z]+)`/).map { String($0.1) })
            }
            var type = ""
            for line in source.split(separator: "\n") {
                if let name = line.firstMatch(
                    of: /^(?:[@a-zA-Z]+ )*(?:class|struct|enum|protocol|extension) ([A-Za-z.]+)/)?.1
                {
                    type = String(name)
                }
                if line.contains(": LiveScreen {") { made[type, default: []].insert("streamEvents") }
                for call in line.matches(of: /\bcalls\.([A-Za-z]+)/) {
                    made[type, default: []].formUnion(operations[String(call.1)] ?? [])
                }
            }
        }
        #expect(listed.count >= 25)
        for (screen, calls) in listed { #expect(made[screen] == calls, "\(screen)") }
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

    /// The rows of each section of the list of screens.
    private static let rows = [19, 6, 15, 3, 3, 13, 19, 6]

    @Test func `has each row of the list of screens, with a type, a member and a test that exist`() throws {
        let code =
            try ["Screens", "Texts", "Links", "Files"].map {
                try Self.sources("Sources/KithClient/\($0)").values.joined()
            }
            .joined()
            + String(contentsOf: Self.root.appending(path: "Sources/KithClient/Kith+surface.swift"), encoding: .utf8)
        let tests =
            try Self.sources("Tests/KithClientTests").values.joined()
            + Self.sources("Tests/EndToEnd/Client").values.joined()
        var seen: [String] = []
        for row in try Self.document().components(separatedBy: "## Row by row")[1].split(separator: "\n") {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, cells[0].contains(/^[0-9]/) else { continue }
            seen += cells[0].components(separatedBy: ", ")
            for name in cells[2].matches(of: /`([A-Z][A-Za-z]+)(\.([a-zA-Z]+))?`/) {
                let isType = try code.contains(Regex("(class|struct|enum|protocol) \(name.1)\\b"))
                let isMember = try name.3.map { try code.contains(Regex("(var|func|let|case) \($0)\\b")) } ?? true
                #expect(isType && isMember, "\(name.0) does not exist")
            }
            #expect(cells[3].isEmpty || tests.contains("func `\(cells[3])`"), "no test: \(cells[3])")
        }
        let all = Self.rows.enumerated().flatMap { section, count in (1...count).map { "\(section + 1).\($0)" } }
        #expect(seen.sorted() == all.sorted())
    }
}
