import Foundation
import Testing

/// Checks that the references in the repository and the links in its documents resolve.
@Suite struct `The documentation` {
    @Test func `has a row in docs/product.md for each number that the repository refers to`() throws {
        // Excludes the hour of an instant, such as T23:00.
        let number = try NSRegularExpression(pattern: #"\b[A-Z][0-9]{2}\b(?!:)"#)
        let rows = try Repository.text("docs/product.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
        let known = Set(rows.flatMap { number.matches(in: $0.split(separator: "|")[0]) })
        #expect(known.count > 100)
        for folder in ["Sources", "sql", "Tests", "deploy", "docs"] {
            for path in Repository.files(in: folder) where path != "docs/product.md" {
                guard let text = try? Repository.text(path) else { continue }
                let unknown = Set(number.matches(in: text)).subtracting(known).sorted()
                #expect(unknown.isEmpty, "\(path) refers to what docs/product.md does not have: \(unknown)")
            }
        }
    }

    @Test func `links only to files that exist`() throws {
        let link = try NSRegularExpression(pattern: #"(?<=\]\()[^)#:\s]+(?=[)#])"#)
        let documents =
            ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
            + ["deploy", "docs", "sql", "Tests"].flatMap(Repository.files).filter { $0.hasSuffix(".md") }
        for document in documents {
            for target in link.matches(in: try Repository.text(document)) {
                let file = Repository.url(document).deletingLastPathComponent().appending(path: target)
                #expect(FileManager.default.fileExists(atPath: file.path), "\(document) links to \(target)")
            }
        }
    }

    @Test func `lists every decision in the index of decisions`() throws {
        let index = try Repository.text("docs/decisions/README.md")
        for path in Repository.files(in: "docs/decisions") where !path.hasSuffix("/README.md") {
            let name = path.split(separator: "/").last ?? ""
            let isListed = index.contains("](\(name))")
            #expect(isListed, "docs/decisions/README.md does not list \(name)")
        }
    }

    @Test func `has no line of SQL that is wider than 120 columns`() throws {
        // Migrations do not change, and the schema is dumped.
        let fixed = ["sql/migrations/", "sql/schema.sql"]
        for path in Repository.files(in: "sql") where path.hasSuffix(".sql") && !fixed.contains(where: path.hasPrefix) {
            for (n, line) in try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated()
            {
                #expect(line.count <= 120, "\(path), line \(n + 1) has \(line.count) columns")
            }
        }
    }

    @Test func `lists the channels of messages in one place of the SQL`() throws {
        let word = "(?:apns|web_push|email|sms|voice)"
        let list = try NSRegularExpression(pattern: "'(\(word))', ?'(?!\\1')\(word)'|\\{apns,web_push\\}")
        let exceptions = [
            "sql/foundation/internal.channels.sql": "the place",
            "sql/emergency/internal.emergency_settings.sql": "how a check-in can come, which is another thing",
            "sql/notifications/internal.ways_to_tell.sql": "each way has its own condition",
            "sql/canaries/internal.canaries.sql": "each kind of contact has its own condition",
        ]
        for path in Repository.files(in: "sql")
        where path.hasSuffix(".sql") && !path.hasPrefix("sql/migrations/") && path != "sql/schema.sql" {
            let found = try list.matches(in: Repository.text(path))
            #expect(found.isEmpty || exceptions[path] != nil, "\(path) lists channels: \(found)")
            #expect(!found.isEmpty || exceptions[path] == nil, "\(path) is no exception any more")
        }
    }

    @Test func `has no comment in Swift that is wider than 120 columns`() throws {
        // The formatter keeps code within that width, and leaves comments alone. Texts of the catalogue are quoted
        // whole.
        for path in ["Sources", "Tests"].flatMap(Repository.files)
        where path.hasSuffix(".swift") && !path.contains("/Texts/Catalogue/") {
            let lines = try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false)
            for (n, line) in lines.enumerated() where line.utf8.count > 120 && line.count > 120 {
                let isComment = line.drop { $0 == " " }.hasPrefix("//")
                #expect(!isComment, "\(path), line \(n + 1) has \(line.count) columns")
            }
        }
    }

    /// The last column of the glossary names the table, column, function or type that a word is, or a value, an
    /// endpoint or a folder.
    @Test func `names in the glossary only what exists`() throws {
        let paths = ["sql", "Sources"].flatMap(Repository.files).filter {
            $0.hasSuffix(".sql") || $0.hasSuffix(".swift")
        }
        let declaration = try NSRegularExpression(
            pattern: #"\b(table|view|function|struct|class|enum|actor|protocol|typealias|not exists) [\w.]+"#)
        let texts = try paths.map { try Repository.text($0) }
        let declared = Set(
            texts.flatMap(declaration.matches).compactMap { $0.split(separator: " ").last.map(String.init) })
        let schema = try Repository.text("sql/schema.sql")
        func exists(_ name: String) -> Bool {
            let parts = name.split(separator: ".")
            if parts.count == 3 {
                let table = schema.range(of: "CREATE TABLE \(parts[0]).\(parts[1]) (").map { schema[$0.upperBound...] }
                return table?.prefix { $0 != ";" }.contains("\n    \(parts[2]) ") ?? false
            }
            if declared.contains(name) { return true }
            if parts.count == 2 || name.first?.isUppercase == true && !name.contains(" ") { return false }
            let word = String(name.split(separator: " ").last ?? "")
            return texts.contains { $0.contains(word) }
                || FileManager.default.fileExists(atPath: Repository.url(name).path)
        }
        for row in try Repository.text("docs/glossary.md").split(separator: "\n") where row.hasPrefix("| ") {
            let place = row.split(separator: "|").last { !$0.allSatisfy(\.isWhitespace) } ?? ""
            for name in place.matches(of: /`([^`]+)`/).map({ String($0.output.1) }) {
                let isThere = exists(name)
                #expect(isThere, "docs/glossary.md names \(name): \(row)")
            }
        }
    }

    @Test func `has a word in the glossary for each table, and each word once`() throws {
        let glossary = try Repository.text("docs/glossary.md")
        let rows = glossary.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| word |") }
        let words = rows.compactMap { $0.split(separator: "|").dropFirst().first }
        #expect(Set(words).count == words.count)
        let tables = try Repository.text("sql/schema.sql").matches(of: /CREATE TABLE (kith\.[a-z_]+) \(/)
            .map { String($0.1) }.filter { !$0.hasSuffix("_default") }
        #expect(tables.count > 90)
        for table in tables {
            let isThere = try rows.contains { try $0.contains(Regex("`\(table)\\b")) }
            #expect(isThere, "docs/glossary.md has no word for \(table)")
        }
    }

    @Test func `is linked from the README, page by page`() throws {
        let readme = try Repository.text("README.md")
        let pages = Repository.files(in: "docs").filter { $0.hasSuffix(".md") && $0.split(separator: "/").count == 2 }
        for page in pages {
            let isLinked = readme.contains("(\(page))")
            #expect(isLinked, "README.md does not link \(page)")
        }
        let guide = try Repository.text("CONTRIBUTING.md")
        let folders = Set(
            Repository.files(in: "Tests").map { $0.split(separator: "/") }.filter { $0.count > 2 }.map { $0[1] })
        for folder in folders where !folder.hasSuffix("Tests") {
            let isThere = guide.contains("`Tests/\(folder)")
            #expect(isThere, "CONTRIBUTING.md does not say what Tests/\(folder) is")
        }
    }
}
