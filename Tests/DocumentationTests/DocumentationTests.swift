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
}
