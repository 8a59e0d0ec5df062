internal import Foundation

/// What somebody means who answers a text message.
package enum AnswerMeaning: String, Sendable, CaseIterable {
    case checkIn = "check_in"
    /// A check-in in words that say so. It alone ends a call for help of the person's own: "ok" can be meant as thanks.
    case iAmSafe = "i_am_safe"
    case help
    /// The keys of a question: "1" and "2". What they answer is a matter of what the person was asked.
    case one
    case two
    /// STOP, START and HELP, as carriers demand them.
    case stop
    case start
    case info
}

/// An answer to a text message, reduced to what can be compared with a short list of words: letters, digits, and emoji
/// of the list.
///
/// A word counts only if it stands alone. "Not ok" is no check-in, and neither is "ok?", because nobody may be called
/// safe by mistake. A call for help is heard within other words too.
package struct AnswerText: Sendable, Hashable {
    /// The words in lower case, with single spaces.
    let words: String
    /// The emoji, without variants and skin tones.
    let emoji: [Unicode.Scalar]

    /// The length in characters from which on a text is none of the answers.
    private static let longest = 100

    /// Reads a text; nil if it asks something, or is too long to be one of the answers.
    package init?(_ text: String) {
        guard text.utf8.count <= 8 * Self.longest, text.count <= Self.longest else { return nil }
        let raw = Self.folded(text)
        guard !raw.unicodeScalars.contains(where: Self.questionMarks.contains) else { return nil }
        self.init(folded: raw)
        guard !words.isEmpty || !emoji.isEmpty else { return nil }
    }

    /// Reads the beginning of a text of any length, with questions.
    init(ofAnyLength text: String) {
        self.init(folded: Self.folded(String(decoding: text.utf8.prefix(4096), as: UTF8.self)))
    }

    private static func folded(_ text: String) -> String {
        // U+00B4 and U+0060 stand for an apostrophe; compatibility mapping would make a space of the first.
        text.replacing("\u{B4}", with: "'").replacing("`", with: "'").precomposedStringWithCompatibilityMapping
    }

    private init(folded raw: String) {
        var latin = String.UnicodeScalarView()
        for scalar in raw.unicodeScalars where !Self.isInvisible(scalar) {
            latin.append(Self.lookAlikes[scalar] ?? scalar)
        }
        var words = ""
        var emoji: [Unicode.Scalar] = []
        for token in String(latin).lowercased().split(whereSeparator: \.isWhitespace) {
            var plain = ""
            let token = Self.withoutSmile(token)
            for (index, scalar) in token.unicodeScalars.enumerated() {
                if scalar.properties.isEmoji, scalar.value > 0x238C {
                    emoji.append(scalar)
                } else if scalar == "-" || scalar == "\u{2013}" || scalar == "\u{2014}" || scalar == "\u{2010}" {
                    // -1 is not 1.
                    let isSign =
                        index == 0
                        && token.unicodeScalars.dropFirst().first.map { $0.properties.numericType != nil } ?? false
                    plain += isSign ? "-" : " "
                } else if let umlaut = Self.umlauts[scalar] {
                    plain += umlaut
                } else if !Self.dropped.contains(scalar) {
                    plain.unicodeScalars.append(scalar)
                }
            }
            words += " " + plain
        }
        self.words = words.split(separator: " ").joined(separator: " ")
        self.emoji = emoji
    }

    /// What this answer means if `meanings` lists it; nil if it has anything else in it, or two meanings.
    func meaning(in meanings: [AnswerText: AnswerMeaning]) -> AnswerMeaning? {
        // "OK" with a thumb says it twice.
        var found = Set(emoji.map { meanings[AnswerText(words: "", emoji: [$0])] })
        if !words.isEmpty { found.insert(meanings[AnswerText(words: words, emoji: [])]) }
        // "1" with a thumb is "1".
        if found == [.one, .checkIn] { return .one }
        // "I'm safe" with a thumb says so.
        if found == [.iAmSafe, .checkIn] { return .iAmSafe }
        return found.count == 1 ? found.first ?? nil : nil
    }

    /// Whether this calls for help, whatever else it says: by an emoji or a word that nobody uses otherwise, or by one
    /// of the answers `help` with nothing but assent, words of urgency and repeats. A call for help that is none does
    /// less harm than one that nobody hears.
    func callsForHelp(_ help: Set<AnswerText>) -> Bool {
        guard !emoji.contains(where: { help.contains(AnswerText(words: "", emoji: [$0])) }) else { return true }
        let tokens = words.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        guard !tokens.contains(Self.distress), !" \(tokens.joined(separator: " ")) ".contains(" s o s ") else {
            return true
        }
        guard !words.unicodeScalars.contains(where: Self.questionMarks.contains) else { return false }
        let plain = tokens.filter { !Self.besides.contains($0) }
        return (1...4).contains { length in
            guard plain.count >= length, plain.count.isMultiple(of: length),
                plain.indices.allSatisfy({ plain[$0] == plain[$0 % length] })
            else { return false }
            let phrase = plain.prefix(length).joined(separator: " ")
            // HELP alone asks what can be answered, as carriers demand it. With another word, or twice, it is a call.
            let isUrgent = plain.count < tokens.count || plain.count > length
            return help.contains(AnswerText(words: phrase, emoji: []))
                || isUrgent && help.contains(AnswerText(words: "please \(phrase)", emoji: []))
        }
    }

    private init(words: String, emoji: [Unicode.Scalar]) {
        self.words = words
        self.emoji = emoji
    }

    /// A token without a typed smile at its end. A sad face stays, and then the text is none of the answers.
    private static func withoutSmile(_ token: Substring) -> Substring {
        for smile in [":-)", ":)", ";-)", ";)", ":-d", ":d", "=)", "^^"] where token.hasSuffix(smile) {
            return token.dropLast(smile.count)
        }
        return token
    }

    /// Joiners, variants of emoji, skin tones, and marks of direction.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xFE00...0xFE0F, 0x1F3FB...0x1F3FF, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2069, 0xFEFF, 0xAD,
            0x20E3:
            true
        default: false
        }
    }

    private static let distress = "sos"
    private static let besides: Set<String> = [
        "yes", "ok", "okay", "ja", "please", "pls", "plz", "now", "quick", "quickly", "urgent", "urgently", "bitte",
        "schnell", "sofort",
        "dringend", "jetzt",
    ]
    private static let questionMarks = Set("?\u{61F}\u{BF}\u{37E}".unicodeScalars)

    /// Punctuation that changes nothing. A colon or a slash stays.
    private static let dropped = Set("'’‘ʼ′.,!\"“”„‟«»()*_~…。！、".unicodeScalars)
    private static let umlauts: [Unicode.Scalar: String] = ["ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"]

    /// Letters of a Cyrillic or Greek keyboard that look like Latin ones: whoever types OK there means OK.
    private static let lookAlikes: [Unicode.Scalar: Unicode.Scalar] = {
        let pairs = zip(
            "АВЕКМНОРСТУХІЅЈаеорсухкіѕјΑΒΕΖΗΙΚΜΝΟΡΤΥΧοκι".unicodeScalars,
            "ABEKMHOPCTYXISJaeopcyxkisjABEZHIKMNOPTYXoki".unicodeScalars)
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0, $1) })
    }()
}

extension TextCatalogue {
    /// What an answer means in each language that lists it, by the language's tag in lower case. Empty if nobody would
    /// understand it.
    package func meanings(of text: String) -> [String: AnswerMeaning] {
        let answer = AnswerText(text)
        // Somebody may call for help in any language, and say more.
        let help = Set(listedAnswers.values.flatMap { $0.filter { $0.value == .help }.keys })
        let calls = AnswerText(ofAnyLength: text).callsForHelp(help)
        return listedAnswers.compactMapValues { answer?.meaning(in: $0) ?? (calls ? .help : nil) }
    }
}

extension TextLanguage {
    /// The answers of this language as they are compared.
    var listedAnswers: [AnswerText: AnswerMeaning] {
        var listed: [AnswerText: AnswerMeaning] = [:]
        for (meaning, words) in answers {
            for word in words { if let answer = AnswerText(word) { listed[answer] = meaning } }
        }
        return listed
    }
}
