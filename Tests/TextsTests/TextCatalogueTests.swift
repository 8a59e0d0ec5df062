import Foundation
import Testing
import Texts

@Suite struct `The catalogue of texts` {
    static let catalogue = TextCatalogue.kith
    static let german = catalogue["de"]
    static let informal = catalogue["de-informal"]

    @Test func `fills in names, numbers and times as the language writes them`() {
        let german = Self.catalogue.texts(for: "de-AT")
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

    /// The languages with a complete file: all but English and the variants of others.
    static let complete = catalogue.languages.filter { $0.base == nil && $0.tag != "en" }.map(\.tag)

    @Test(arguments: complete)
    func `is complete in each language, with the same placeholders`(tag: String) throws {
        let language = try #require(Self.catalogue[tag])
        for key in Self.catalogue.keys {
            let text = try #require(language.texts[key], "\(key) is missing in \(tag).json")
            let english = try #require(Self.catalogue.english.texts[key])
            #expect(Set(text.placeholders) == Set(english.placeholders), "\(key)")
        }
    }

    @Test func `says which languages nobody has read who grew up with them`() {
        #expect(Self.catalogue.languages.filter { !$0.isReadByNative }.map(\.tag).sorted() == ["ar", "es"])
    }

    @Test func `counts in Arabic with its six forms, from right to left`() throws {
        let texts = Self.catalogue.texts(for: "ar-EG")
        #expect(texts.language.direction == .rightToLeft)
        let counted = Set([0, 1, 2, 5, 15, 100].map { texts("duration.left.days", ["count": .number($0)]) })
        #expect(counted.count >= 5, "\(counted)")
        #expect(texts.words(for: .words("+4915112345678")) == "\u{2068}+4915112345678\u{2069}")
        for key in Self.catalogue.keys {
            for words in texts.language.texts[key]?.sources.values ?? [:].values {
                let letters = words.replacing(/\{[a-z_]+\}/, with: "").contains { $0.isLetter }
                let hasArabic = words.unicodeScalars.contains { (0x600...0x6FF).contains($0.value) }
                #expect(
                    !letters || hasArabic || Self.same.contains(key) || Self.latin.contains(key), "\(key): \(words)")
            }
        }
    }

    @Test func `has no English left in Spanish, and says usted to everybody`() throws {
        let spanish = try #require(Self.catalogue["es"])
        let english: Set = ["the", "you", "your", "is", "are", "of", "to", "and", "not", "with", "vault", "pings"]
        let familiar: Set = ["tú", "tu", "tus", "te", "contigo", "vosotros", "os"]
        for key in Self.catalogue.keys {
            for words in spanish.texts[key]?.sources.values ?? [:].values {
                let left = words.replacing(/\{[a-z_]+\}/, with: "").lowercased().split { !$0.isLetter }.filter {
                    english.contains(String($0)) || familiar.contains(String($0))
                }
                #expect(left.isEmpty, "\(key): \(words)")
            }
        }
    }

    /// Texts that read the same in both languages.
    private static let same: Set<String> = [
        "button.ok", "nominees.chat", "page.invitation.code.label", "web.sign_in.code", "web.document.kilobytes",
        "web.document.megabytes", "web.invitation.link", "web.share.channel.link", "web.share.channel.airdrop",
        "web.connection.alias_label", "web.channel.push", "web.devices.web",
    ]

    /// Texts that are words of the Latin alphabet in Arabic, too.
    private static let latin: Set<String> = []

    @Test func `has no English left in German`() throws {
        let german = try #require(Self.german)
        let english = [
            "the", "you", "your", "is", "are", "of", "to", "and", "not", "has", "have", "this", "with", "check",
            "vault",
            "ping", "pings",
        ]
        for key in Self.catalogue.keys {
            let (own, original) = (german.texts[key]?.sources, Self.catalogue.english.texts[key]?.sources)
            if own == original {
                let words = original?[.other] ?? ""
                let isOnlyPlaceholders = !words.replacing(/\{[a-z_]+\}/, with: "").contains(where: \.isLetter)
                #expect(Self.same.contains(key) || isOnlyPlaceholders, "\(key) is English: \(words)")
            }
            for words in own?.values ?? [:].values {
                let left = words.replacing(/\{[a-z_]+\}/, with: "").lowercased().split { !$0.isLetter }.filter {
                    english.contains(String($0))
                }
                #expect(left.isEmpty, "\(key): \(words)")
            }
        }
    }

    @Test func `speaks to everybody as Sie, and to nobody in the informal variant`() throws {
        let (german, informal) = (try #require(Self.german), try #require(Self.informal))
        let familiar = /\b(du|dich|dir|dein|deine|deinem|deinen|deiner|deines)\b/.ignoresCase()
        let polite = /\b(Ihnen|Ihr|Ihre|Ihrem|Ihren|Ihrer|Ihres)\b/
        for key in Self.catalogue.keys {
            for words in german.texts[key]?.sources.values ?? [:].values {
                #expect(words.firstMatch(of: familiar) == nil, "\(key): \(words)")
            }
            for words in Self.catalogue.text(key, in: informal)?.text.sources.values ?? [:].values {
                #expect(words.firstMatch(of: polite) == nil, "\(key): \(words)")
                // "Sie" may begin a sentence about a thing; within one it is a person.
                #expect(words.firstMatch(of: /[a-zäöüß,{}] Sie\b/) == nil, "\(key): \(words)")
            }
        }
        for key in informal.texts.keys { #expect(german.texts[key] != informal.texts[key], "\(key) is no variant") }
    }

    @Test func `writes no date as computers do`() {
        let iso = /\d{4}-\d{2}-\d{2}/
        let time = LocalTime(1_804_579_200_000_000, in: "Europe/Berlin")
        for language in Self.catalogue.languages {
            for (key, text) in language.texts {
                for words in text.sources.values { #expect(!words.contains(iso), "\(language.tag) \(key): \(words)") }
            }
            let texts = Self.catalogue.texts(for: language.tag)
            for year in [nil, 2027] {
                #expect(!texts.words(for: .date(time.date, thisYear: year)).contains(iso), "\(language.tag)")
                #expect(!texts.words(for: .dateTime(time, thisYear: year)).contains(iso), "\(language.tag)")
            }
        }
    }

    @Test func `keeps every text within the bounds of its channel`() {
        for language in Self.catalogue.languages {
            for (key, text) in language.texts {
                let isTitle = key.hasSuffix(".title") || key.hasSuffix(".heading") || key.hasSuffix(".subject")
                let most =
                    switch TextChannel(of: key) {
                    // What a lock screen shows.
                    case .notification: isTitle ? 40 : 230
                    // Two segments with their names, the code and a link.
                    case .sms, .voice: 130
                    case .mail: isTitle ? 70 : 200
                    case .message: 250
                    case .problem: isTitle ? 40 : 220
                    case .page, .screen, .web, .state: isTitle ? 80 : 320
                    case .part: 40
                    }
                for words in text.sources.values {
                    #expect((1...most).contains(words.count), "\(language.tag) \(key) has \(words.count): \(words)")
                    #expect(words == words.trimmingCharacters(in: .whitespaces), "\(language.tag) \(key)")
                    #expect(!words.contains(/[<>]|  |\p{Cc}/), "\(language.tag) \(key): \(words)")
                }
            }
        }
    }

    /// Who has missed a check-in or needs help, their number, the answers and a link cost one segment: 160 characters
    /// of the GSM alphabet.
    @Test(arguments: ["ping_missed", "help_requested"])
    func `keeps a German text message about an alarm within one segment`(type: String) throws {
        let link = "https://kith.example.com/a/12-Zm9yLW9uZS11c2Ut"
        for language in [try #require(Self.german), try #require(Self.informal)] {
            let texts = Texts(in: language)
            let body = texts("notification.\(type).receiver", ["name": .name("Alice Example")]) + " +4915112345678"
            let message =
                texts("sms.notification", ["title": .words("PRUUF"), "body": .words(body)])
                + " " + texts("sms.alarm", ["link": .words(link)])
            #expect(message.count <= 160, "\(language.tag): \(message)")
        }
    }

    /// The texts that the product fixes, byte for byte (P04-P26).
    @Test(arguments: [
        ("problem.invalid_code.detail", "Invalid code. Please check and try again."),
        ("problem.expired_code.detail", "This invitation code has expired. Please ask for a new code."),
        ("problem.self_connection.detail", "You cannot connect to your own code."),
        ("problem.connection_exists.detail", "You're already connected to this user."),
        ("problem.subscription_inactive.detail", "This receiver can't accept new connections right now."),
        ("notification.connection_request.title", "New Connection"),
        ("notification.connection_request.receiver", "{name} is now sending you pings"),
        ("notification.connection_request.sender", "{name} is now receiving your pings"),
        (
            "message.connection",
            """
            {name} wants to send you daily pings on {brand} to let you know they're safe. Download the app and use \
            code {code} to connect: {link}
            """
        ),
        ("notification.connection_paused.title", "Connection Paused"),
        ("notification.connection_paused.receiver", "{name} has paused their connection with you"),
        ("notification.connection_resumed.title", "Connection Resumed"),
        ("notification.connection_resumed.receiver", "{name} has resumed their connection with you"),
        ("notification.connection_removed.title", "Connection Removed"),
        ("notification.connection_removed.sender", "{name} has removed your connection"),
        ("notification.connection_removed.receiver", "{name} has removed you as a receiver"),
        ("name.role.receiver", "Receiver"), ("name.role.sender", "Sender"),
    ])
    func `keeps the fixed English texts`(key: String, text: String) {
        #expect(Self.catalogue.english.texts[key]?.sources == [.other: text])
    }

    @Test func `isolates a name that is written in the other direction, and no other`() {
        let english = Texts.english
        #expect(english.words(for: .name("Alice")) == "Alice")
        #expect(english.words(for: .name("Zoë Müller")) == "Zoë Müller")
        #expect(english.words(for: .name("أليس")) == "\u{2068}أليس\u{2069}")
        #expect(english.words(for: .name("👍 482915")) == "👍 482915")
    }

    @Test func `finds the key of a refusal that has values in it`() throws {
        let found = try #require(Self.catalogue.detail("This needs the access level full; yours is view."))
        #expect(found.key == "refusal.vault.level")
        #expect(found.values == ["level": "full", "own": "view"])
        #expect(
            Self.catalogue.detail("Send the body as application/json.") == nil, "what only developers read is English")
        #expect(
            try #require(Self.catalogue.message("must have 1 to 100 characters, and has 101")).values
                == ["from": "1", "to": "100", "count": "101"])
    }
}
