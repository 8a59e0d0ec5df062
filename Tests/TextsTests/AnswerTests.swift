import Foundation
import Testing

@testable import Texts

/// What people answer to a text message, and what it means (J02). The lines of `answers.tsv` are a language, a meaning,
/// `-` for none, and the text, in which `\n` is a line break.
@Suite struct `An answer to a text message` {
    struct Line: CustomTestStringConvertible, Sendable {
        let language: String
        let meaning: AnswerMeaning?
        let text: String

        var testDescription: String { "\(language) \(text)" }
    }

    static let lines: [Line] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "answers.tsv")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { line in
            let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
            return Line(
                language: String(parts[0]), meaning: AnswerMeaning(rawValue: String(parts[1])),
                text: String(parts[2]).replacing("\\n", with: "\n"))
        }
    }()

    /// What the database makes of the meanings: the person's language decides, then English.
    private func meaning(of line: Line) -> AnswerMeaning? {
        let meanings = TextCatalogue.kith.meanings(of: line.text)
        return meanings[line.language] ?? meanings["en"]
    }

    @Test func `counts as the list says, in both languages, and no other does`() {
        #expect(Self.lines.count > 350)
        #expect(Self.lines.filter { $0.meaning == nil }.count > 150)
        for line in Self.lines {
            let found = meaning(of: line)
            #expect(
                found == line.meaning,
                "\(line.language) \(line.text.debugDescription) is \(found?.rawValue ?? "nothing")")
        }
    }

    @Test(arguments: [
        "h e l p", "heeelp", "HELPPP", "HELP?", "helpme", "hilfr", "Hifle", "hlep", "Hilfe?", "don't help me",
        "s0s", "С0С", "ich bin gestürzt und brauche Hilfe", "ＨＥＥＬＰ", "НЕЕLР",
    ])
    func `that is near to a call for help is asked back`(text: String) {
        #expect(TextCatalogue.kith.isNearHelp(text))
        #expect(!TextCatalogue.kith.meanings(of: text).values.contains { $0 == .checkIn || $0 == .iAmSafe })
    }

    @Test(arguments: ["HELP", "ok", "fineee", "I fell", "wer ist das", "22", "stop it", "", "🎉", "gute Nacht"])
    func `that is near to none is not`(text: String) {
        #expect(!TextCatalogue.kith.isNearHelp(text))
    }

    @Test func `means the same in a variant of a language`() {
        #expect(TextCatalogue.kith.meanings(of: "Mir geht's gut")["de-informal"] == .iAmSafe)
        #expect(TextCatalogue.kith.meanings(of: "Hilfe")["en"] == .help, "a call for help counts in any language")
    }

    @Test(arguments: [
        "ok 🆘", "🆘👍", "ok sos", "SOS SOS", "sos ok", "S O S", "sos?", "not ok, SOS", "please help", "help me please",
        "Please help me now!",
        "HELP NOW", "help help", "HILFE!", "hilfe hilfe", "bitte schnell hilfe", "help me", "Notfall!!!",
        "СОС!", "СОС.", "С О С", "С.О.С.", "СООС", "ССООСС", "СОС🙏", "СОС, помогите", "сос сос", "СО С", "ок, сос!",
        "«СОС»",
        "σος!", "ς.ο.σ", "Σ Ο Σ", "ΣΟΟΣ", "ՍՕՍ!", "Liked “x” SOS", "Reacted 🆘 to “Are you safe?”", "SOS (((", "SOS -_-",
        "I fell. It says “Reply SOS”", "Karl hat „SOS“ gerufen",
        "SOS: I fell in the kitchen and cannot get up. " + String(repeating: "x", count: 200),
    ])
    func `calls for help within other words, in any language`(text: String) {
        for language in TextCatalogue.kith.languages.map(\.tag) {
            let meanings = TextCatalogue.kith.meanings(of: text)
            #expect((meanings[language] ?? meanings["en"]) == .help, "\(language)")
        }
    }

    @Test(arguments: [
        "not ok", "ok but I fell", "danke für die hilfe", "no help needed", "asos", "ok :(", "I fell", "please",
        "ok (((",
        "ok(", "ОК ((", "👍 (", "1 ((", "ok -_-", "ok ._.", "ok ⚰️", "ok 🪦", "ok 🔥", "ok 🤷", "safe 🖤", "соус", "осос",
    ])
    func `means nothing with other words`(text: String) {
        #expect(TextCatalogue.kith.meanings(of: text).isEmpty)
    }

    @Test(arguments: [
        "Liked “PRUUF: You get texts again. Need help now? Reply SOS. STOP ends all texts.”",
        "Gefällt „PRUUF: Brauchen Sie jetzt Hilfe? Antworten Sie mit SOS.“", "👍 to “Reply SOS”",
        "\u{200A}\u{200B}👍\u{200B} to “\u{200A}Reply OK, or SOS if you need help.\u{200A}”",
        "Removed a like from “Reply SOS”", "Reacted ❤️ to “Need help now? Reply SOS”", "Lacht über „… SOS …“",
        "Hat „Antworten Sie mit SOS“ mit „Gefällt mir“ markiert", "Hat mit 👍 auf „… SOS …“ reagiert",
        "Emphasized \"SOS\"",
        "Anna loved «SOS»", "Loved “Do you need help? Reply SO", "👍 “SOS”",
    ])
    func `that is a reaction to another message is no call for help, and is asked back`(text: String) {
        #expect(TextCatalogue.kith.meanings(of: text).isEmpty)
        #expect(TextCatalogue.kith.isNearHelp(text) || !text.contains("SOS"))
    }

    @Test(arguments: ["Liked “ok”", "👍 to “OK”", "❤️ “ok”", "Liked “STOP”", "Gefällt „Mir geht es gut“"])
    func `that is a reaction to another message is no check-in`(text: String) {
        #expect(TextCatalogue.kith.meanings(of: text).isEmpty)
    }

    @Test(arguments: ["(ok)", "ok )", "ok :)", "ok ))", "ok 🌷", "ok 🎂☕", "\"ok\"", "ok...", "*ok*", "_ok_", "ok ^^"])
    func `is a check-in beside what says nothing`(text: String) {
        #expect(TextCatalogue.kith.meanings(of: text)["en"] == .checkIn)
    }

    /// The reply to "ok" while somebody calls for help names the word that ends the call, in capitals.
    @Test(arguments: TextCatalogue.kith.languages.map(\.tag))
    func `ends a call for help by the word that the reply names`(tag: String) throws {
        let language = try #require(TextCatalogue.kith[tag])
        let words = Texts(in: language)("sms.reply.help_goes_on").matches(of: /[A-ZÄÖÜ]{3,}/).map { String($0.output) }
        #expect(words.count == 1)
        let meanings = TextCatalogue.kith.meanings(of: try #require(words.first))
        #expect((meanings[tag] ?? meanings["en"]) == .iAmSafe)
    }

    @Test(arguments: ["ok", "yes", "good", "here", "👍", "❤️", "1", "ja", "gut", "sicher", "alles gut"])
    func `that can be thanks does not say that somebody is safe`(text: String) {
        #expect(!TextCatalogue.kith.meanings(of: text).values.contains(.iAmSafe))
    }

    @Test func `of any length takes bounded work`() {
        #expect(TextCatalogue.kith.meanings(of: String(repeating: "👍🏽", count: 100_000)).isEmpty)
        #expect(TextCatalogue.kith.meanings(of: "o" + String(repeating: "\u{301}", count: 10_000) + "k").isEmpty)
    }
}
