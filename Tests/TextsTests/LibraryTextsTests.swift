import Foundation
import KithClient
import Testing
import Texts

@Suite struct `The texts of the library` {
    @Test func `are those of the catalogue`() throws {
        let generated = LibraryTexts.generated()
        let manager = FileManager.default
        if ProcessInfo.processInfo.environment["KITH_WRITE_TEXTS"] != nil {
            try? manager.removeItem(at: LibraryTexts.folder)
            try manager.createDirectory(at: LibraryTexts.folder, withIntermediateDirectories: true)
            for (name, text) in generated {
                try text.write(to: LibraryTexts.folder.appending(path: name), atomically: true, encoding: .utf8)
            }
        }
        var found: [String: String] = [:]
        for name in try manager.contentsOfDirectory(atPath: LibraryTexts.folder.path) {
            found[name] = try String(contentsOf: LibraryTexts.folder.appending(path: name), encoding: .utf8)
        }
        let stale = Set(found.keys).union(generated.keys).filter { found[$0] != generated[$0] }.sorted()
        #expect(stale == [], "Sources/KithClient/Texts/Catalogue is stale: run `make texts`")
    }

    @Test func `have every key, in every plural form, with every parameter filled in`() throws {
        #expect(KithTexts.keys == LibraryTexts.keys)
        #expect(KithTexts.keys.count > 200)
        #expect(Set(KithTexts.keys.map(LibraryTexts.name(of:))).count == KithTexts.keys.count, "two keys have one name")
        for texts in KithTexts.all {
            for key in KithTexts.keys {
                let names = TextCatalogue.kith.english.texts[key]?.placeholders ?? []
                let parameters = Dictionary(uniqueKeysWithValues: names.map { ($0, "value of \($0)") })
                for count in [0, 1, 2, 5, 21] {
                    let words = try #require(texts.text(key, parameters, count: count))
                    let isWhole = !words.isEmpty && !words.contains("{") && !words.contains("}")
                    #expect(isWhole, "\(key): \(words)")
                    #expect(!words.hasPrefix(" ") && !words.hasSuffix(" "), "\(key)")
                }
            }
        }
        #expect(KithTexts.english.text("no.such.key") == nil)
    }
}
