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
            // one number in many spellings
            ("+447700900123", nil, "+447700900123"), ("+4407700900123", nil, "+447700900123"),
            ("+44 (0)7700 900123", nil, "+447700900123"), ("+44-7700-900-123", nil, "+447700900123"),
            ("0044 7700 900123", nil, "+447700900123"), ("00 44 (0) 7700 900123", nil, "+447700900123"),
            ("００４４７７００９００１２３", nil, "+447700900123"), ("+٤٤٧٧٠٠٩٠٠١٢٣", nil, "+447700900123"),
            ("tel:+44-7700-900123", nil, "+447700900123"), ("tel:7700900123;phone-context=+44", nil, "+447700900123"),
            ("07700 900123", "GB", "+447700900123"), ("+44 7700 900123", "DE", "+447700900123"),
            ("+521 55 1234 5678", nil, "+525512345678"), ("+39 02 1234 5678", nil, "+390212345678"),
            // ranges that this package's plans do not have (yet): somebody's own number all the same
            ("+49 151 00000001", nil, "+4915100000001"), ("+1 555 555 5555", nil, "+15555555555"),
        ] as [(String, String?, String)])
    func `is read in international or national format`(text: String, region: String?, e164: String) throws {
        #expect(try PhoneNumber(text, region: region.flatMap { PhoneRegion($0) }).e164 == e164)
    }

    @Test(
        arguments: [
            ("", "DE", .noNumber), ("call me", "DE", .noNumber), ("\u{0}", "DE", .noNumber),
            ("🔐", nil, .noNumber), (String(repeating: "1", count: 1_000_000), "DE", .tooLong),
            ("0151 12345678", nil, .lacksCountry), ("+999 12345678", nil, .lacksCountry),
            ("4915112345678", nil, .lacksCountry), ("+999123456789", nil, .lacksCountry),
            ("00999123456789", nil, .lacksCountry), ("999123456789", nil, .lacksCountry),
            ("110", "DE", .notPossible), ("+49 1", nil, .tooShort),
            ("+49 151 123456789012345", nil, .tooLong), ("555-2671", "US", .notPossible),
            ("0900 1234567", "DE", .takesNoText), ("+1 000 000 0000", nil, .notPossible),
            ("+1 1234567890", nil, .notPossible), ("+52 1 1348 585 0186", nil, .notPossible),
            ("+44 00 7700 900123", nil, .tooLong), ("tel:+447700900123;ext=12", nil, .takesNoText),
            ("+1 800 356 9377", nil, .takesNoText), ("020 7946 0958 ext. 12", "GB", .takesNoText),
        ] as [(String, String?, PhoneNumberProblem)])
    func `that is unusable is refused with a reason`(text: String, region: String?, problem: PhoneNumberProblem) {
        #expect(throws: problem) { try PhoneNumber(text, region: region.flatMap { PhoneRegion($0) }) }
    }

    /// Otherwise a number that was stored would be looked up by another one.
    @Test func `in E.164 form reads as itself, whatever was given`() {
        var generator = SeededGenerator(state: 20_261_126)
        let codes = [
            "1", "7", "20", "33", "34", "36", "39", "44", "49", "52", "54", "55", "61", "86", "225", "241", "353",
            "370", "378", "380", "881",
        ]
        var read = 0
        for _ in 0..<20_000 {
            let trunk = ["", "0", "1", "8", "00", "06", "15", "9"].randomElement(using: &generator) ?? ""
            let digits = (0..<Int.random(in: 5...12, using: &generator)).map { _ in
                String(Int.random(in: 0...9, using: &generator))
            }
            let text = "+\(codes.randomElement(using: &generator) ?? "1")\(trunk)\(digits.joined())"
            guard let number = try? PhoneNumber(text) else { continue }
            read += 1
            #expect((try? PhoneNumber(number.e164)) == number, "\(text) became \(number.e164)")
            #expect((8...16).contains(number.e164.utf8.count), "\(text) became \(number.e164)")
        }
        #expect(read > 5000)
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

/// SplitMix64, so that a failure can be repeated.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
