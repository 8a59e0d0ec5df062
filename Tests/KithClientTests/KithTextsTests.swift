import Foundation
import KithClient
import Testing

@Suite struct `The texts of screens` {
    @Test func `choose the plural form by the language's categories`() throws {
        #expect(KithTexts.english.dashboardOpen(count: 1) == "1 open ping")
        #expect(KithTexts.english.dashboardOpen(count: 15) == "15 open pings")
        let polish = try KithTexts(
            language: "pl",
            json: Data(
                #"{"problem.retry.seconds":{"one":"{count} sekunda","few":"{count} sekundy","other":"{count} sekund"}}"#
                    .utf8)
        ) { $0 == 1 ? .one : (2...4).contains($0 % 10) && !(12...14).contains($0 % 100) ? .few : .many }
        #expect(polish.problemRetrySeconds(count: 1) == "1 sekunda")
        #expect(polish.problemRetrySeconds(count: 23) == "23 sekundy")
        #expect(polish.problemRetrySeconds(count: 12) == "12 sekund", "many is left out, so other stands for it")
        #expect(polish.dashboardOpen(count: 1) == "1 open ping", "a text that is left out is English")
    }

    @Test func `are in the language that the person prefers`() {
        #expect(KithTexts.preferred(["fr-CH", "de-AT", "en"]).language == "de")
        #expect(KithTexts.preferred(["de_informal"]).language == "de-informal")
        #expect(KithTexts.preferred(["fr", "it"]).language == "en")
        #expect(KithTexts.preferred([]).language == "en")
    }

    @Test func `do not fill in braces that come with a value`() {
        #expect(KithTexts.english.connectDone(name: "{name} {count}") == "Connected to {name} {count}")
    }

    @Test(arguments: [
        (#"["Verbinden"]"#, String?.none), (#"{"connect.button":{"lots":"x","other":"y"}}"#, nil),
        (#"{"connect.buttn":"Verbinden"}"#, "connect.buttn"), (#"{"connect.done":"Hallo {nme}"}"#, "connect.done"),
        (#"{"dashboard.open":{"one":"Eine offene Frage"}}"#, "dashboard.open"),
    ])
    func `refuse a catalogue that would show nonsense`(json: String, key: String?) {
        let refused = #expect(throws: KithTexts.InvalidCatalogue.self) {
            try KithTexts(language: "de", json: Data(json.utf8))
        }
        #expect(refused?.key == key)
    }
}
