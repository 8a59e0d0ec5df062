import Foundation
import KithClient
import Testing
import Texts

@Suite struct `The texts of the library` {
    @Test func `are those of the catalogue`() throws {
        let generated = LibraryTexts.generated()
        if ProcessInfo.processInfo.environment["KITH_WRITE_TEXTS"] != nil {
            try generated.write(to: LibraryTexts.swift, atomically: true, encoding: .utf8)
        }
        let isFresh = try String(contentsOf: LibraryTexts.swift, encoding: .utf8) == generated
        #expect(isFresh, "KithTexts+catalogue.swift is stale: run `make texts`")
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
