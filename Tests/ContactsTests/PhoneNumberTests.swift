import Contacts
import Testing

@Suite struct `A phone number` {
    @Test(
        arguments: [
            ("+4915112345678", nil, "+4915112345678"), ("+49 (0)151 / 1234-5678", nil, "+4915112345678"),
            ("0151 12345678", "DE", "+4915112345678"), ("0049 151 12345678", "DE", "+4915112345678"),
            ("011 49 151 12345678", "US", "+4915112345678"), ("(415) 555-2671", "US", "+14155552671"),
            ("1 415 555 2671", "US", "+14155552671"), ("tel:+44-7911-123456", nil, "+447911123456"),
            ("07911 123456", "GB", "+447911123456"), ("02 12345678", "IT", "+390212345678"),
            // as address books hold them: directional marks, a no-break space, digits of another script
            ("\u{202A}+49 151 12345678\u{202C}", nil, "+4915112345678"), ("0151\u{A0}12345678", "DE", "+4915112345678"),
            ("٠١٥١١٢٣٤٥٦٧٨", "DE", "+4915112345678"), ("＋４９１５１１２３４５６７８", nil, "+4915112345678"),
            // numbers that belong to no country
            ("+881612345678", nil, "+881612345678"),
        ] as [(String, String?, String)])
    func `is read in international or national format`(text: String, region: String?, e164: String) throws {
        #expect(try PhoneNumber(text, region: region.flatMap { PhoneRegion($0) }).e164 == e164)
    }

    @Test(
        arguments: [
            ("", "DE", .noNumber), ("call me", "DE", .noNumber), ("\u{0}", "DE", .noNumber),
            ("🔐", nil, .noNumber), (String(repeating: "1", count: 1_000_000), "DE", .tooLong),
            ("0151 12345678", nil, .lacksCountry), ("+999 12345678", nil, .lacksCountry),
            ("110", "DE", .notPossible), ("+49 1", nil, .tooShort),
            ("+49 151 123456789012345", nil, .tooLong), ("555-2671", "US", .notPossible),
            ("+1 555 555 5555", nil, .notInUse), ("0900 1234567", "DE", .takesNoText),
            ("+1 800 356 9377", nil, .takesNoText), ("020 7946 0958 ext. 12", "GB", .takesNoText),
        ] as [(String, String?, PhoneNumberProblem)])
    func `that is unusable is refused with a reason`(text: String, region: String?, problem: PhoneNumberProblem) {
        #expect(throws: problem) { try PhoneNumber(text, region: region.flatMap { PhoneRegion($0) }) }
    }

    @Test(arguments: [("+4915112345678", "DE"), ("+12042345678", "CA"), ("+14155552671", "US"), ("+881612345678", nil)])
    func `belongs to a country, or to none`(e164: String, region: String?) throws {
        #expect(try PhoneNumber(e164).region?.code == region)
    }

    @Test(
        arguments: [
            ("de-DE", "DE"), ("de_DE", "DE"), ("pt-br", "BR"), ("zh-Hant-TW", "TW"), ("zh_Hant_HK_u", "HK"),
            ("sl-rozaj-IT", "IT"), ("en", nil), ("es-419", nil), ("de-XX", nil), ("de-u-co-phonebk", nil), ("", nil),
        ])
    func `takes its country from a language tag`(tag: String, region: String?) {
        #expect(PhoneRegion(languageTag: tag)?.code == region)
    }

    @Test func `can be read on several threads at once`() async {
        await withTaskGroup { group in
            for n in 0..<8 {
                group.addTask {
                    (0..<200).allSatisfy { i in
                        (try? PhoneNumber("0151 \(n)\(1_000_000 + i)", region: PhoneRegion("DE")).e164)
                            == "+49151\(n)\(1_000_000 + i)"
                    }
                }
            }
            for await allRead in group { #expect(allRead) }
        }
    }
}
