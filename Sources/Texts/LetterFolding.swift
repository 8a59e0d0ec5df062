internal import Foundation

/// Makes one letter of the many that mean it: of every case, with any accent, in any width or style, and of alphabets
/// whose letters look like Latin ones.
enum LetterFolding {
    /// A text in Unicode's compatibility form (UAX #15): full width, mathematical and circled letters become plain
    /// ones.
    static func compatible(_ text: String) -> String {
        // U+00B4 and U+0060 stand for an apostrophe; compatibility mapping would make a space of the first.
        text.replacing("\u{B4}", with: "'").replacing("`", with: "'").precomposedStringWithCompatibilityMapping
    }

    /// How a letter of another alphabet is read.
    enum Reading {
        /// The Latin letter that it looks like.
        case look
        /// The Latin letter that it sounds like, for the letters of SOS. Cyrillic and Greek keys spell it СОС and σος,
        /// which look like COC, or like nothing.
        case sound
    }

    /// A compatible text in lower case and Latin letters, without accents and what is invisible. German umlauts are two
    /// letters, as they are written where there is no key for them.
    static func folded(_ text: String, by reading: Reading = .look) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { fold(scalar, by: reading, into: &folded) }
        return String(folded).lowercased()
    }

    private static func fold(
        _ scalar: Unicode.Scalar, by reading: Reading, into folded: inout String.UnicodeScalarView
    ) {
        if scalar.isASCII {
            folded.append(scalar)
        } else if let umlaut = umlauts[scalar] {
            folded.append(contentsOf: umlaut.unicodeScalars)
        } else if !isInvisible(scalar) {
            for part in String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars where !isMark(part) {
                folded.append(reading == .sound ? sounds[part] ?? latin(part) : latin(part))
            }
        }
    }

    /// The Latin letter that a letter looks like in its own case, or else in the other one: a keyboard without shift
    /// types the other.
    private static func latin(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar.isASCII { return scalar }
        let cases: [Unicode.Scalar?] = [
            scalar, scalar.properties.uppercaseMapping.unicodeScalars.first,
            scalar.properties.lowercaseMapping.unicodeScalars.first,
        ]
        return cases.compactMap { $0.flatMap { lookAlikes[$0] } }.first ?? scalar
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: isInvisible(scalar)
        }
    }

    /// Joiners, variants of emoji, skin tones, and marks of direction.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F3FB...0x1F3FF).contains(scalar.value) || scalar.value == 0x20E3
            || scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
    }

    /// The letters that regional indicators in a row spell.
    static func flagLetters(of emoji: [Unicode.Scalar]) -> String {
        String(
            String.UnicodeScalarView(
                emoji.map { (0x1F1E6...0x1F1FF).contains($0.value) ? Unicode.Scalar($0.value - 0x1F1E6 + 0x61)! : " " })
        )
    }

    /// A word in which digits that look like letters are these letters.
    static func withoutDigits(_ word: String) -> String {
        String(word.map { ["0": "o", "1": "i", "3": "e", "5": "s"][$0] ?? $0 })
    }

    /// Whether two different words differ by one letter that was missed, added or mistaken, or by two that were
    /// swapped.
    static func isOneErrorApart(_ first: String, _ second: String) -> Bool {
        let (a, b) = (Array(first), Array(second))
        guard a != b, abs(a.count - b.count) <= 1 else { return false }
        let start = zip(a, b).prefix { $0 == $1 }.count
        let (restA, restB) = (a.dropFirst(start), b.dropFirst(start))
        if restA.dropFirst() == restB || restA == restB.dropFirst() { return true }
        return restA.count == restB.count
            && (restA.dropFirst() == restB.dropFirst()
                || restA.count > 1 && restA.first == restB.dropFirst().first && restA.dropFirst().first == restB.first
                    && restA.dropFirst(2) == restB.dropFirst(2))
    }

    private static let umlauts: [Unicode.Scalar: String] = [
        "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "ae", "Ö": "oe", "Ü": "ue", "ẞ": "ss", "æ": "ae", "Æ": "ae",
        "œ": "oe", "Œ": "oe",
    ]

    private static let sounds: [Unicode.Scalar: Unicode.Scalar] = [
        // Cyrillic, Greek, Armenian.
        "с": "s", "С": "s", "σ": "s", "ς": "s", "Σ": "s", "ս": "s", "Ս": "s", "օ": "o", "Օ": "o", "ո": "o", "Ո": "o",
    ]

    /// Letters that look like Latin ones, from Unicode's confusables (UTS #39) and for letters without a decomposition.
    private static let lookAlikes: [Unicode.Scalar: Unicode.Scalar] = {
        var pairs: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (letters, latin) in alphabets {
            precondition(letters.unicodeScalars.count == latin.unicodeScalars.count, letters)
            for (letter, plain) in zip(letters.unicodeScalars, latin.unicodeScalars) { pairs[letter] = plain }
        }
        return pairs
    }()

    private static let alphabets = [
        // Latin letters of other languages, small capitals, and letters in a black circle or square.
        ("ıİłŁøØđĐħĦŧŦɩɪʟʜꜱꜰᴀʙᴄᴅᴇɢᴊᴋᴍɴᴏᴘʀᴛᴜᴠᴡʏᴢɑɡ", "iilloodDhhttiilhsfabcdegjkmnoprtuvwyzag"),
        ("🅐🅑🅒🅓🅔🅕🅖🅗🅘🅙🅚🅛🅜🅝🅞🅟🅠🅡🅢🅣🅤🅥🅦🅧🅨🅩", "abcdefghijklmnopqrstuvwxyz"),
        ("🅰🅱🅲🅳🅴🅵🅶🅷🅸🅹🅺🅻🅼🅽🅾🅿🆀🆁🆂🆃🆄🆅🆆🆇🆈🆉", "abcdefghijklmnopqrstuvwxyz"),
        // Cyrillic.
        ("АВЕКМНОРСТУХІЅЈҮаворенкмтсухіѕјԁԛԝѵһӏьгпҺӀҒ", "ABEKMHOPCTYXISJYabopehkmtcyxisjdqwvhlbrnHlF"),
        // Greek.
        ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧΣΛϹϜαεηικνοπρτυχωσςλϲϳ", "ABEZHIKMNOPTYXSLCFaenikvonptuxwssLcj"),
        // Armenian.
        ("ՏՍՕՈԼՀՅԵտօոսհյլցզքիեֆ", "SUOULHJEsonuhjlgqpheF"),
        // Cherokee.
        ("ᎠᎡᎢᎥᎪᎫᎬᎭᎳᎵᎶᎷᎻᎼᎽᎾᎿᏀᏃᏎᏒᏔᏕᏚᏞᏟᏢᏦᏧᏩᏭᏮᏰᏴᏻᏂᎤᎰ", "DRTiAJEFWPGMHMYOAGZERWSSLCPKDGWbBBGhOF"),
        // Lisu, which some call mathematical.
        ("ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓥꓦꓧꓨꓪꓫꓬꓮꓰꓲꓳꓴ", "BPdDTGKJCZFMNLSRAVHGWXYAEIOU"),
    ]
}

/// A word as it is compared with what somebody has spelled: with repeated letters, and once or more.
struct SpelledWord {
    private let runs: [(letter: Character, count: Int)]

    init(_ word: String) {
        runs = Self.runs(of: word)
    }

    /// Whether `text`, which has no blanks, is this word with its letters repeated, or the word several times.
    func isSpelled(by text: String) -> Bool {
        let found = Self.runs(of: text)
        guard let first = runs.first, let last = runs.last, !found.isEmpty else { return false }
        // At a seam between two equal letters, their runs are one.
        let isSeamless = runs.count > 1 && first.letter == last.letter
        var expected: [(letter: Character, count: Int)] = []
        while expected.count < found.count {
            if isSeamless, !expected.isEmpty { expected.append(contentsOf: runs.dropFirst()) } else { expected += runs }
        }
        return expected.count == found.count
            && zip(found, expected).allSatisfy { $0.letter == $1.letter && $0.count >= $1.count }
    }

    private static func runs(of word: String) -> [(letter: Character, count: Int)] {
        var runs: [(letter: Character, count: Int)] = []
        for letter in word {
            if runs.last?.letter == letter { runs[runs.count - 1].count += 1 } else { runs.append((letter, 1)) }
        }
        return runs
    }
}
