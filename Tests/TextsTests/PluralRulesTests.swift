import Testing
import Texts

@Suite struct `Plural rules` {
    @Test func `follow CLDR's conditions`() throws {
        // CLDR 46, plurals.xml: pl, ar and cy, with their samples.
        let polish = try PluralRules([
            .one: "i = 1 and v = 0 @integer 1", .few: "v = 0 and i % 10 = 2..4 and i % 100 != 12..14",
            .many: "v = 0 and i != 1 and i % 10 = 0..1 or v = 0 and i % 10 = 5..9 or v = 0 and i % 100 = 12..14",
        ])
        #expect(
            [0, 1, 2, 4, 5, 12, 21, 22, 104, 112].map(polish.category) == [
                .many, .one, .few, .few, .many, .many, .many, .few, .few, .many,
            ])
        let arabic = try PluralRules([
            .zero: "n = 0", .one: "n = 1", .two: "n = 2", .few: "n % 100 = 3..10", .many: "n % 100 = 11..99",
        ])
        #expect(
            [0, 1, 2, 3, 110, 11, 99, 100, 102].map(arabic.category) == [
                .zero, .one, .two, .few, .few, .many, .many, .other, .other,
            ])
        let breton = try PluralRules([.two: "n % 10 = 2 and n % 100 != 12,72,92", .many: "n != 0 and n % 1000000 = 0"])
        #expect([2, 12, 22, 72, 0, 1_000_000].map(breton.category) == [.two, .other, .two, .other, .other, .many])
        let japanese = try PluralRules([:])
        #expect(japanese.categories == [.other])
        #expect(japanese.category(of: .min) == .other)
    }

    @Test func `know which form can do without its number`() throws {
        let russian = try PluralRules([.one: "v = 0 and i % 10 = 1 and i % 100 != 11"])
        #expect(!russian.isOfOneNumber(.one))
        #expect(try PluralRules([.one: "i = 1 and v = 0"]).isOfOneNumber(.one))
    }

    @Test(arguments: [
        "i", "x = 1", "i = ", "i % 0 = 1", "i = 3..1", "i = 1 and", "or i = 1", "i within 1", "i = 1 v = 0",
    ])
    func `refuse what CLDR does not write`(condition: String) {
        #expect(throws: CatalogueError.self) { try PluralRules([.one: condition]) }
    }
}
