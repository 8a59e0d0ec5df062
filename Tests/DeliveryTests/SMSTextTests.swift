import Testing

@testable import Delivery

@Suite struct `The length of a text message` {
    @Test(arguments: [
        ("", 1), (String(repeating: "a", count: 160), 1), (String(repeating: "a", count: 161), 2),
        (String(repeating: "a", count: 306), 2), (String(repeating: "a", count: 307), 3),
        // Umlauts are in the basic set; braces and the euro are in the extension table, and take two.
        (String(repeating: "ä", count: 160), 1), (String(repeating: "€", count: 80), 1),
        (String(repeating: "€", count: 81), 2),
        // 152 units, and a character of two that does not fit into the first segment of 153.
        (String(repeating: "a", count: 152) + "€" + String(repeating: "a", count: 152), 3),
        // A character that seven bits cannot write makes all of them UTF-16.
        (String(repeating: "é", count: 160), 1), (String(repeating: "ê", count: 70), 1),
        (String(repeating: "ê", count: 71), 2), (String(repeating: "ê", count: 135), 3),
        (String(repeating: "🔐", count: 35), 1), (String(repeating: "🔐", count: 36), 2),
        // 66 units and a surrogate pair: 67 would split it.
        (String(repeating: "ê", count: 66) + "🔐" + String(repeating: "ê", count: 65), 2),
        (String(repeating: "ê", count: 66) + "🔐" + String(repeating: "ê", count: 66), 3),
    ])
    func `is counted in segments as networks do`(text: String, segments: Int) {
        #expect(SMSText(text).segments == segments)
    }

    @Test func `is written plainly when typography alone would cost a segment`() {
        let long = "Alice lädt Sie auf PRUUF zum Tresor „Familie“ ein – Zur Einladung: https://pruuf.app/i/0a11ce00…"
        #expect(SMSText(long).segments == 2)
        #expect(
            SMSText(long).economical
                == """
                Alice lädt Sie auf PRUUF zum Tresor "Familie" ein - Zur Einladung: \
                https://pruuf.app/i/0a11ce00...
                """
        )
        #expect(SMSText(SMSText(long).economical).segments == 1)
    }

    @Test func `keeps its typography where that costs nothing`() {
        #expect(SMSText("Der Tresor „Familie“ ist offen.").economical == "Der Tresor „Familie“ ist offen.")
        let arabic = "أليس: " + String(repeating: "“x” ", count: 30)
        #expect(SMSText(arabic).economical == arabic, "the name needs UTF-16 anyway")
    }
}
