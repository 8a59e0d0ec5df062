import Problems
import Testing
import Texts
import Web

@Suite struct `The words of pages` {
    @Test func `count days by the calendar, also over days of 23 and 25 hours`() {
        // Clocks go forward on 28 March 2027 in Berlin, and back on 31 October.
        let spring = Reader(now: "2027-03-28T22:30:00Z", zone: "Europe/Berlin").words
        #expect(spring.moment("2027-03-27T07:59:00Z") == "on Saturday, 27 March 2027 at 08:59")
        #expect(spring.moment("2027-03-28T06:59:00Z") == "yesterday at 08:59")
        let autumn = Reader(now: "2027-10-30T22:30:00Z", zone: "Europe/Berlin").words
        #expect(autumn.moment("2027-10-31T23:10:00Z") == "tomorrow at 00:10")
        #expect(autumn.until("2027-10-31T23:10:00Z") == "until tomorrow at 00:10")
    }

    @Test(arguments: [
        // The hour that is left out ends at 03:00, and the first of two is meant.
        ("2027-03-28", 2, 30, "Europe/Berlin", 1_806_195_600), ("2027-10-31", 2, 30, "Europe/Berlin", 1_824_942_600),
        ("2027-03-09", 20, 0, "America/Los_Angeles", 1_804_651_200), ("2027-03-09", 9, 0, "UTC", 1_804_582_800),
    ])
    func `find the instant of a local time as pings do`(
        _ date: String, _ hour: Int, _ minute: Int, _ zone: String, _ seconds: Int
    ) throws {
        let local = LocalTime(date: try #require(CalendarDate(date)), hour: hour, minute: minute)
        #expect(local.instant(in: zone) == Int64(seconds) * 1_000_000)
    }

    @Test func `add days over months, leap days and years`() throws {
        for (date, days, expected) in [
            ("2027-02-28", 1, "2027-03-01"), ("2028-02-28", 1, "2028-02-29"), ("2026-12-31", 1, "2027-01-01"),
            ("2027-01-01", -1, "2026-12-31"), ("2000-03-01", -1, "2000-02-29"), ("1970-01-01", 0, "1970-01-01"),
        ] {
            #expect(try #require(CalendarDate(date)).adding(days: days) == CalendarDate(expected))
        }
    }

    @Test func `word refusals and fields in the language of the page`() throws {
        let german = Reader(language: "de", refused: .invalid("until", "must not be before the first day"))
        let visit = try german.visit("/me/break")
        let error = try #require(visit.error(of: "until"))
        #expect(error != "must not be before the first day" && error == german.words("field.break.order"))
        let transition = Problem(.invalidTransition, "Only a paused connection can be resumed.")
        #expect(!transition.text(in: german.words).contains("Only"))
        #expect(transition.text(in: Reader().words) == "Only a paused connection can be resumed.")
        // What a page has worded itself stays.
        #expect(german.words.message("Wählen Sie mindestens eines.") == "Wählen Sie mindestens eines.")
    }

    @Test func `have a German text for each refusal of a page`() {
        let german = Reader(language: "de").words
        for refusal in [
            "This page has no such button. Load it again.", "Choose a single file.", "Send at most 20 files at once.",
            "This form came from another site. Open this site itself and try again.",
            """
            This form had been sent before with something else in it. See whether that is enough; if not, send it \
            again.
            """,
            "This check-in was kept for somebody else. Sign in as that person to send it.",
            "You are sending files already. Please wait until that is done.", "Send at most 501 MiB at once.",
        ] {
            #expect(german.refusal(refusal) != refusal)
        }
    }
}
