/// The texts in one language, with a tenant's own words where it has replaced some.
///
/// ```swift
/// let texts = TextCatalogue.kith.texts(for: "de-AT")
/// texts("page.join.title", ["brand": .name("PRUUF")])
/// ```
package struct Texts: Sendable {
    package let catalogue: TextCatalogue
    /// The language of the texts.
    package let language: TextLanguage
    /// The texts that the tenant has replaced.
    private let own: TenantTexts?

    package init(_ catalogue: TextCatalogue = .kith, in language: TextLanguage, own: TenantTexts? = nil) {
        self.catalogue = catalogue
        self.language = language
        self.own = own
    }

    /// The English texts.
    package static let english = Texts(in: TextCatalogue.kith.english)

    /// The text of a key with its placeholders filled in.
    ///
    /// An unknown key is a programming error. It is returned in place of its text, so that the tests that compare all
    /// texts notice it.
    package func callAsFunction(_ key: String, _ values: [String: TextValue] = [:]) -> String {
        var text = ""
        for part in parts(key, count: values.count) {
            switch part {
            case .words(let words): text += words
            case .placeholder(let name): text += values[name].map(words(for:)) ?? "{\(name)}"
            }
        }
        return text
    }

    /// The parts of a text in the plural form for `count`, for callers that fill in something other than plain text.
    package func parts(_ key: String, count: Int? = nil) -> [TextTemplate.Part] {
        guard let found = template(key) else { return [.words(key)] }
        return found.text.form(found.text.isPlural ? found.language.plurals.category(of: count ?? 0) : .other)
    }

    /// The plain text of a value in this language.
    package func words(for value: TextValue) -> String {
        switch value {
        case .name(let name): isolated(name)
        // A number such as +49… would end with its plus in a text from right to left.
        case .words(let words): words.hasPrefix("+") ? isolated(words) : words
        case .number(let number): String(number)
        case .date(let date, let year): language.dates.words(for: date, in: year)
        case .time(let time): language.dates.words(forTimeOf: time)
        case .dateTime(let time, let year): language.dates.words(for: time, in: year)
        }
    }

    /// Whether every text is the catalogue's English one, so that nothing needs to be worded anew.
    package var isPlainEnglish: Bool { own == nil && language.tag == catalogue.english.tag }

    /// Whether a text of this key exists in this language, its base, or the tenant's own words for them, so that it
    /// need not be English.
    package func hasOwn(_ key: String) -> Bool {
        template(key).map { $0.language.tag != catalogue.english.tag } ?? false
            || language.tag == catalogue.english.tag
    }

    /// The text of a key and the language whose plural rules it follows; nil for an unknown key.
    private func template(_ key: String) -> (text: TextTemplate, language: TextLanguage)? {
        guard let own else { return catalogue.text(key, in: language) }
        for layer in catalogue.chain(of: language) {
            if let text = own[layer.tag, key] ?? layer.texts[key] { return (text, layer) }
        }
        let english = catalogue.english
        return (own[english.tag, key] ?? english.texts[key]).map { ($0, english) }
    }

    /// The name, in the isolates of Unicode (UAX #9, section 2.4) if it has letters that are written in the other
    /// direction, or is a phone number in a text from right to left, so that neither reorders the other.
    private func isolated(_ name: String) -> String {
        let isOther =
            switch language.direction {
            case .leftToRight: name.hasLetters(written: .rightToLeft)
            case .rightToLeft: name.hasPrefix("+") || name.hasLetters(written: .leftToRight)
            }
        return isOther ? "\u{2068}\(name)\u{2069}" : name
    }
}

extension [String: TextValue] {
    /// The number that decides the plural form.
    fileprivate var count: Int? {
        if case .number(let number)? = self["count"] { return number }
        return nil
    }
}

extension String {
    /// Whether the text has letters of a direction. The scripts from right to left stand in a few blocks (UAX #9, table
    /// 4).
    func hasLetters(written direction: TextLanguage.Direction) -> Bool {
        unicodeScalars.contains { scalar in
            let isRightToLeft =
                switch scalar.value {
                case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
                default: false
                }
            return scalar.properties.isAlphabetic && isRightToLeft == (direction == .rightToLeft)
        }
    }
}
