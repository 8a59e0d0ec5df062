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
/// safe by mistake. A call for help is heard within other words too, and with blanks or repeats in its word.
package struct AnswerText: Sendable, Hashable {
    /// The words in lower case, with single spaces.
    let words: String
    /// The emoji and other symbols, without variants and skin tones.
    let emoji: [Unicode.Scalar]
    /// Whether a face that is typed as it is in Russia, "(((", or as "-_-", says that somebody is not well.
    private let isSad: Bool

    /// The length in characters from which on a text is none of the answers.
    private static let longest = 100

    /// Reads a text; nil if it asks something, or is too long to be one of the answers.
    package init?(_ text: String) {
        guard text.utf8.count <= 8 * Self.longest, text.count <= Self.longest else { return nil }
        let raw = LetterFolding.compatible(text)
        guard !raw.unicodeScalars.contains(where: Self.questionMarks.contains) else { return nil }
        self.init(compatible: raw)
        guard !words.isEmpty || !emoji.isEmpty else { return nil }
    }

    /// Reads the beginning of a text of any length, with questions, in each of the ways in which it can be read.
    static func readings(ofAnyLength text: String) -> [AnswerText] {
        let raw = LetterFolding.compatible(String(decoding: text.utf8.prefix(4096), as: UTF8.self))
        return [.look, .sound].map { AnswerText(compatible: raw, by: $0) }
    }

    private init(compatible raw: String, by reading: LetterFolding.Reading = .look) {
        var words = ""
        var emoji: [Unicode.Scalar] = []
        // A lone closing bracket is a smile.
        var isSad = raw.count(where: { $0 == "(" }) > raw.count(where: { $0 == ")" })
        for token in LetterFolding.folded(raw, by: reading).split(whereSeparator: \.isWhitespace) {
            var plain = ""
            let token = Self.withoutSmile(token)
            if Self.isSadFace(token) { isSad = true }
            for (index, scalar) in token.unicodeScalars.enumerated() {
                if scalar.value > 0x238C,
                    scalar.properties.isEmoji || scalar.properties.generalCategory == .otherSymbol
                {
                    emoji.append(scalar)
                } else if scalar == "-" || scalar == "\u{2013}" || scalar == "\u{2014}" || scalar == "\u{2010}" {
                    // -1 is not 1.
                    let isSign =
                        index == 0
                        && token.unicodeScalars.dropFirst().first.map { $0.properties.numericType != nil } ?? false
                    plain += isSign ? "-" : " "
                } else if scalar == "." || scalar == ",",
                    plain.unicodeScalars.suffix(2).count(where: Self.isLetter) == 2
                {
                    // "Stop.Thank you" has two words. "O.K." has one.
                    plain += " "
                } else if !Self.dropped.contains(scalar) {
                    plain.unicodeScalars.append(scalar)
                }
            }
            words += " " + plain
        }
        self.words = words.split(separator: " ").joined(separator: " ")
        self.emoji = emoji
        self.isSad = isSad
    }

    private init(words: String, emoji: [Unicode.Scalar]) {
        self.words = words
        self.emoji = emoji
        isSad = false
    }

    /// What this answer means if `meanings` lists it; nil if it has anything else in it, or two meanings. Emoji
    /// around a word say nothing, unless they say that somebody is not well.
    func meaning(in meanings: [AnswerText: AnswerMeaning]) -> AnswerMeaning? {
        let listed = emoji.map { meanings[AnswerText(words: "", emoji: [$0])] }
        guard !words.isEmpty else {
            // "👍👍" says it twice. No other emoji may stand beside it: there is no word that counts.
            guard Set(listed).count == 1, let meaning = listed.first ?? nil else { return nil }
            return isSad && meaning != .help ? nil : meaning
        }
        guard let meaning = Self.word(words, in: meanings) else { return nil }
        let beside = Set(listed.compactMap { $0 })
        guard !beside.contains(.help) else { return nil }
        switch meaning {
        case .help, .stop, .start, .info: return meaning
        // "2" with a thumb has two meanings.
        case .two: return beside.isEmpty && !isUnhappy ? meaning : nil
        case .checkIn, .iAmSafe, .one: return beside.isSubset(of: [.checkIn]) && !isUnhappy ? meaning : nil
        }
    }

    /// The meaning of a word. A word of the carriers, which starts or ends the messages, may have a courtesy beside it
    /// ("Stop. Thank you").
    private static func word(_ words: String, in meanings: [AnswerText: AnswerMeaning]) -> AnswerMeaning? {
        if let meaning = meanings[AnswerText(words: words, emoji: [])] { return meaning }
        var plain = words[...]
        var isShorter = true
        while isShorter {
            isShorter = false
            for courtesy in courtesies {
                if plain.hasPrefix(courtesy + " ") {
                    (plain, isShorter) = (plain.dropFirst(courtesy.count + 1), true)
                } else if plain.hasSuffix(" " + courtesy) {
                    (plain, isShorter) = (plain.dropLast(courtesy.count + 1), true)
                }
            }
        }
        let meaning = meanings[AnswerText(words: String(plain), emoji: [])]
        return meaning == .stop || meaning == .start ? meaning : nil
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }

    private var isUnhappy: Bool { isSad || emoji.contains(where: Self.unhappy.contains) }

    /// Whether this calls for help, whatever else it says: by an emoji or a word that nobody uses otherwise, or by one
    /// of the answers `help` with nothing but assent, words of urgency and repeats. A call for help that is none does
    /// less harm than one that nobody hears.
    func callsForHelp(_ help: Set<AnswerText>) -> Bool {
        guard !emoji.contains(where: { help.contains(AnswerText(words: "", emoji: [$0])) }) else { return true }
        // Flags are pairs of letters, and three letters can be SOS.
        guard !LetterFolding.flagLetters(of: emoji).contains(Self.distress) else { return true }
        let tokens = self.tokens
        guard !tokens.contains(where: { SpelledWord(Self.distress).isSpelled(by: $0) }),
            !" \(tokens.joined(separator: " ")) ".contains(" s o s ")
        else { return true }
        guard !isQuestion else { return false }
        let plain = tokens.filter { !Self.besides.contains($0) }
        let isRepeated = (1...4).contains { length in
            guard plain.count >= length, plain.count.isMultiple(of: length),
                plain.indices.allSatisfy({ plain[$0] == plain[$0 % length] })
            else { return false }
            let phrase = plain.prefix(length).joined(separator: " ")
            // HELP alone asks what can be answered, as carriers demand it. With another word, or twice, it is a call.
            let isUrgent = plain.count < tokens.count || plain.count > length
            return help.contains(AnswerText(words: phrase, emoji: []))
                || isUrgent && help.contains(AnswerText(words: "please \(phrase)", emoji: []))
        }
        return isRepeated || help.contains { $0.isSpelled(by: plain) }
    }

    /// Whether this is so near to a call for help that its writer should be asked: HELP with blanks or repeats, which
    /// is the carriers' word otherwise, a call with a typing error, a question of a word of help, or a longer text
    /// with one.
    func isNearHelp(_ help: Set<AnswerText>) -> Bool {
        let tokens = self.tokens
        let plain = tokens.filter { !Self.besides.contains($0) }
        let spelled = help.filter { !$0.words.isEmpty }.map(\.words) + [Self.carriers]
        if tokens.contains(where: { token in
            spelled.contains { !$0.contains(" ") && SpelledWord($0).isSpelled(by: token) }
        }) {
            // HELP as it is has its own answer.
            return words != Self.carriers
        }
        let joined = plain.joined()
        guard (3...30).contains(joined.count) else { return false }
        return spelled.contains { phrase in
            let letters = phrase.filter { $0 != " " }
            return SpelledWord(letters).isSpelled(by: joined)
                || letters.count > 3 && LetterFolding.isOneErrorApart(letters, joined)
                || letters.count <= 4 && joined != letters && LetterFolding.withoutDigits(joined) == letters
        }
    }

    /// Whether the tokens of a text are this phrase with repeated letters, or letter by letter.
    private func isSpelled(by tokens: [String]) -> Bool {
        let phrase = words.split(separator: " ").map(String.init)
        guard !phrase.isEmpty, !tokens.isEmpty else { return false }
        if phrase.count == 1 || tokens.allSatisfy({ $0.count == 1 }) {
            return SpelledWord(phrase.joined()).isSpelled(by: tokens.joined())
        }
        return phrase.count == tokens.count && zip(phrase, tokens).allSatisfy { SpelledWord($0).isSpelled(by: $1) }
    }

    private var tokens: [String] { words.split { !$0.isLetter && !$0.isNumber }.map(String.init) }

    private var isQuestion: Bool { words.unicodeScalars.contains(where: Self.questionMarks.contains) }

    /// A token without a typed smile at its end. A sad face stays, and then the text is none of the answers.
    private static func withoutSmile(_ token: Substring) -> Substring {
        for smile in [":-)", ":)", ";-)", ";)", ":-d", ":d", "=)", "^^"] where token.hasSuffix(smile) {
            return token.dropLast(smile.count)
        }
        return token
    }

    /// Whether a token without a letter is a face with eyes of dashes or a mouth of a line: its signs change nothing
    /// elsewhere.
    private static func isSadFace(_ token: Substring) -> Bool {
        !token.contains(where: { $0.isLetter || $0.isNumber }) && token.contains(where: { "_.".contains($0) })
            && token.firstMatch(of: /[-\u2010-\u2014.~'"]_+[-\u2010-\u2014.~'"]|[-\u2010-\u2014]\.+[-\u2010-\u2014]/)
                != nil
    }

    private static let distress = "sos"
    /// The word that carriers demand an answer to.
    private static let carriers = "help"
    private static let besides: Set<String> = [
        "yes", "ok", "okay", "ja", "please", "pls", "plz", "now", "quick", "quickly", "urgent", "urgently", "bitte",
        "schnell", "sofort", "dringend", "jetzt", "ya", "ahora", "rapido", "urgente", "الان", "بسرعة",
        "بسرعه", "فورا", "عاجل",
    ]
    /// What people add to STOP and START.
    private static let courtesies = [
        "please", "pls", "plz", "thank you", "thanks", "thx", "ty", "many thanks", "bitte", "danke", "danke schoen",
        "dankeschoen", "vielen dank", "por favor", "gracias", "muchas gracias", "hi", "hello", "hallo", "hola", "شكرا",
        "من فضلك",
    ]
    private static let questionMarks = Set("?\u{61F}\u{BF}\u{37E}".unicodeScalars)

    /// Punctuation that changes nothing. A colon or a slash stays.
    private static let dropped = Set("'’‘ʼ′.,!\"“”„‟«»()*_~…。！、‼".unicodeScalars)

    /// Emoji of people who are not well, of refusal and doubt, and of what a person needs help against: death, injury,
    /// weapons, fire and the services that come then. Beside them, "ok" is not believed. Any other picture beside a
    /// word says nothing: many people send flowers.
    private static let unhappy = Set(
        """
        ⚰⚱🪦🥀🕯✝🖤💉💊🌡🩺🩻🩼🦽🦼⛑⚕🔥🧯🚒🚓🚔🆘🔪🗡⚔🔫💣🧨🪓💥☢☣🛑🚩🧟👻👿🤯🥲😶🫥🫢🤐😾🙍🙎🤦🤷🖕💢🌪🆖😈🤥🫷\
        😐😑😒😓😔😕😖😞😟😠😡😢😣😤😥😦😧😨😩😪😫😬😭😮😯😰😱😲😳😵😷😿🙀🙁🙄🤒🤕🤢🤮🤧🤬🥴🥵🥶🥺🥹🫠🫤🫨🫣💔👎❌🚫⛔⚠☹☠💀🩸🩹🚑🏥🚨❓❔🙅
        """.unicodeScalars)
}

extension TextCatalogue {
    /// What an answer means in each language that lists it, by the language's tag in lower case. Empty if nobody would
    /// understand it.
    package func meanings(of text: String) -> [String: AnswerMeaning] {
        let reaction = MessageReaction(text)
        let answer = reaction == nil ? AnswerText(text) : nil
        // Somebody may call for help in any language, and say more.
        let calls = callsForHelp(reaction?.around ?? text)
        return listedAnswers.compactMapValues { answer?.meaning(in: $0) ?? (calls ? .help : nil) }
    }

    /// Whether an answer that means nothing is so near to a call for help that its writer should be asked.
    package func isNearHelp(_ text: String) -> Bool {
        AnswerText.readings(ofAnyLength: text).contains { $0.isNearHelp(wordsOfHelp) }
            || MessageReaction(text) != nil && callsForHelp(text)
    }

    private func callsForHelp(_ text: String) -> Bool {
        AnswerText.readings(ofAnyLength: text).contains { $0.callsForHelp(wordsOfHelp) }
    }

    private var wordsOfHelp: Set<AnswerText> {
        Set(listedAnswers.values.flatMap { $0.filter { $0.value == .help }.keys })
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
