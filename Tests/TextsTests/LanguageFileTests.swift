import Testing
import Texts

/// A language is one file and no code: these are an invented one, and one that is written from right to left.
@Suite struct `A further language` {
    private static let invented = """
        {
        "language": {
          "tag": "tlh", "name": "tlhIngan Hol", "direction": "ltr",
          "plurals": {"one": "n = 1", "few": "n % 10 = 2..4 and n % 100 != 12..14"},
          "dates": {
            "date": "EEEE, y-MM-dd", "date_of_this_year": "d/M", "time": "H.mm", "date_time": "{0} @ {1}",
            "months": ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"],
            "weekdays": ["mo", "tu", "we", "th", "fr", "sa", "su"]
          }
        },
        "texts": {
          "notification.ping_completed.receiver": "yIn {name}.",
          "notification.ping_reminder.sender": {"one": "wa' tup", "few": "{count} tupHom", "other": "{count} tupmey"}
        }
        }
        """
    private static let arabic = """
        {
        "language": {
          "tag": "arq", "name": "الدارجة", "direction": "rtl",
          "plurals": {"zero": "n = 0", "one": "n = 1", "two": "n = 2", "few": "n % 100 = 3..10", "many": "n % 100 = 11..99"},
          "dates": {
            "date": "d MMMM y", "date_of_this_year": "d MMMM", "time": "HH:mm", "date_time": "{1}، {0}",
            "months": ["يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"],
            "weekdays": ["الاثنين", "الثلاثاء", "الأربعاء", "الخميس", "الجمعة", "السبت", "الأحد"]
          }
        },
        "texts": {
          "notification.ping_completed.receiver": "{name} بخير.",
          "notification.ping_reminder.sender": {"zero": "لم يبق وقت ({count}).", "one": "بقيت دقيقة واحدة.", "two": "بقيت دقيقتان.", "few": "بقيت {count} دقائق.", "many": "بقيت {count} دقيقة.", "other": "بقيت {count} دقيقة."}
        }
        }
        """

    private static func catalogue(with file: String) throws -> TextCatalogue {
        try TextCatalogue(files: TextCatalogue.files + [("other.json", file)])
    }

    @Test func `is one file`() throws {
        let catalogue = try Self.catalogue(with: Self.invented)
        let texts = catalogue.texts(for: "tlh-Latn-KR")
        #expect(texts("notification.ping_completed.receiver", ["name": .name("Worf")]) == "yIn Worf.")
        let counted = [1, 3, 13, 22, 5].map { texts("notification.ping_reminder.sender", ["count": .number($0)]) }
        #expect(counted == ["wa' tup", "3 tupHom", "13 tupmey", "22 tupHom", "5 tupmey"])
        let time = LocalTime(1_804_579_200_000_000, in: "UTC")
        #expect(texts.words(for: .dateTime(time)) == "8.00 @ tu, 2027-03-09")
        #expect(texts.words(for: .dateTime(time, thisYear: 2027)) == "8.00 @ 9/3")
        #expect(
            texts("notification.ping_missed.receiver", ["name": .name("Worf")]) == "Worf has not checked in today.",
            "a text that is missing is English")
        #expect(
            texts("duration.left.days", ["count": .number(1)]) == "1 day", "and follows the plural rules of English")
    }

    @Test func `can be written from right to left`() throws {
        let catalogue = try Self.catalogue(with: Self.arabic)
        let texts = catalogue.texts(for: "arq-DZ")
        #expect(texts.language.direction == .rightToLeft)
        #expect(
            texts("notification.ping_completed.receiver", ["name": .name("Alice")]) == "\u{2068}Alice\u{2069} بخير.")
        #expect(texts("notification.ping_completed.receiver", ["name": .name("أليس")]) == "أليس بخير.")
        let counted = [0, 1, 2, 5, 15, 100].map { texts("notification.ping_reminder.sender", ["count": .number($0)]) }
        #expect(
            counted == [
                "لم يبق وقت (0).", "بقيت دقيقة واحدة.", "بقيت دقيقتان.", "بقيت 5 دقائق.", "بقيت 15 دقيقة.",
                "بقيت 100 دقيقة.",
            ])
        #expect(texts.words(for: .dateTime(LocalTime(1_804_579_200_000_000, in: "UTC"))) == "9 مارس 2027، 08:00")
    }

    @Test(arguments: [
        (#""tag": "tlh""#, #""tag": "de""#, "other.json: there is another file for de"),
        (
            #""direction": "ltr""#, #""direction": "up""#,
            "other.json: language must have direction, which is ltr or rtl"
        ),
        (#""one": "n = 1""#, #""one": "n is 1""#, "other.json: no plural condition of CLDR: n is 1"),
        ("H.mm", "h.mm", "other.json: no field of a date: h in h.mm"),
        (
            "{0} @ {1}", "{0}",
            "other.json: language.dates must have date_time, with {1} for the date and {0} for the time"
        ),
        (
            "yIn {name}.", "yIn {nam}.",
            "notification.ping_completed.receiver: tlh: there is no placeholder {nam}"
        ),
        (
            "yIn {name}.", "yIn.",
            "notification.ping_completed.receiver: tlh: the placeholder {name} must stand in it"
        ),
        (
            "{count} tupHom", "tupHom",
            "notification.ping_reminder.sender: tlh: the placeholder {count} must stand in it"
        ),
        (
            #""few": "{count}"#, #""many": "{count}"#,
            "notification.ping_reminder.sender: tlh: tlh has no plural category many"
        ),
        (
            "notification.ping_completed.receiver", "notification.ping_completed.everybody",
            "notification.ping_completed.everybody: tlh: there is no such text"
        ),
    ])
    func `is refused with what is wrong`(from: String, to: String, reason: String) {
        let refused = #expect(throws: CatalogueError.self) {
            try Self.catalogue(with: Self.invented.replacing(from, with: to))
        }
        #expect(refused?.description == reason)
    }

    @Test(arguments: [
        ("de", "de"), ("de-AT", "de"), ("DE_at", "de"), ("de-informal", "de-informal"), ("de-DE-x-work", "de"),
        ("en-US", "en"), ("es-MX", "es"), ("ar", "ar"), ("den", nil), ("fr", nil), ("", nil), ("-", nil),
    ])
    func `is found by the beginning of a tag`(tag: String, language: String?) {
        #expect(TextCatalogue.kith.language(for: tag)?.tag == language)
    }

    @Test(arguments: [
        ("de", "de"), ("fr, de;q=0.5, en;q=0.4", "de"), ("en;q=0.4,de-CH;q=0.5", "de"), ("de;q=0, en", "en"),
        ("fr;q=1, *;q=0.1", "de"), ("fr", nil), ("", nil), ("de;q=2", "de"), ("de;q=x", nil), ("en , de", "en"),
        (String(repeating: "fr,", count: 30) + "de", nil), (String(repeating: "x", count: 600), nil),
    ])
    func `is negotiated by weight`(field: String, language: String?) throws {
        let german = try #require(TextCatalogue.kith["de"])
        #expect(TextCatalogue.kith.language(accepting: field, default: german)?.tag == language)
    }
}
