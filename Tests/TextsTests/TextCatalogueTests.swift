import Testing
import Texts

@Suite struct `The catalogue of texts` {
    @Test func `fills in names, numbers and times as the language writes them`() {
        let german = TextCatalogue.kith.texts(for: "de-AT")
        #expect(
            german("notification.ping_missed.receiver", ["name": .name("Alice")])
                == "Alice hat sich heute noch nicht gemeldet.")
        let time = LocalTime(1_804_579_200_000_000, in: "Europe/Berlin")
        #expect(german.words(for: .dateTime(time, thisYear: 2027)) == "9. März, 09:00 Uhr")
        #expect(german.words(for: .dateTime(time)) == "9. März 2027, 09:00 Uhr")
        #expect(Texts.english.words(for: .dateTime(time, thisYear: 2027)) == "9 March 2027, 09:00")
        #expect(
            Texts.english("notification.ping_reminder.sender", ["count": .number(1)]) == "1 minute left to check in.")
        #expect(
            Texts.english("notification.ping_reminder.sender", ["count": .number(15)]) == "15 minutes left to check in."
        )
    }
}
