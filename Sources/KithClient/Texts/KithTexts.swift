public import Foundation

/// The words of an app's screens in one language.
///
/// The library has the languages of Kith's catalogue (``all``). Screens and badges speak the device's language
/// (``preferred(_:)``) unless an app gives other texts. The functions of this type are generated from the catalogue,
/// one for each text, so that a missing parameter does not compile. A text that another language leaves out is English.
///
/// ```swift
/// let texts = KithTexts.preferred()      // the language of the device
/// print(KithTexts.english.connectDone(name: "Bob"))  // Connected to Bob
/// print(KithTexts.english.dashboardOpen(count: 1))   // 1 open ping
/// ```
public struct KithTexts: Sendable {
    /// A plural category of CLDR, the Unicode Common Locale Data Repository.
    public enum PluralCategory: String, Sendable, CaseIterable {
        /// The form for 0, in Arabic for example.
        case zero
        /// The form for 1.
        case one
        /// The form for 2, in Welsh for example.
        case two
        /// The form for few, in Polish for example.
        case few
        /// The form for many, in Russian for example.
        case many
        /// The form for every other number, which every plural text has.
        case other
    }

    /// A text of a catalogue. Parameters stand in braces, such as `{name}`.
    public enum Text: Sendable, Hashable {
        /// The same words for every number.
        case plain(String)
        /// The words by the category of the parameter `{count}`.
        case plural([PluralCategory: String])
    }

    /// Why a catalogue cannot be used.
    public struct InvalidCatalogue: Error, Sendable, Hashable, CustomStringConvertible {
        /// The key of the text; nil if the file is no catalogue.
        public let key: String?
        /// The reason.
        public let reason: String

        /// The key and the reason.
        public var description: String { key.map { "\($0): \(reason)" } ?? reason }
    }

    /// The language, as BCP 47 writes it.
    public let language: String

    private let texts: [String: Text]
    private let category: @Sendable (Int) -> PluralCategory

    /// The English words.
    public static let english = KithTexts(language: "en", texts: textsEn)

    /// The words in every language that the library has, English first.
    public static let all: [KithTexts] = [english] + translations

    /// The words in the first of the languages that the library has; English if it has none of them.
    ///
    /// A language is found by its tag or the beginning of it: the words of `de-AT` are those of `de`.
    ///
    /// - Parameter languages: Tags as BCP 47 writes them, in order of preference, such as a user's `locale`. The
    ///   default is the order of the device's settings.
    /// - Returns: The words of one language.
    public static func preferred(_ languages: [String] = Locale.preferredLanguages) -> KithTexts {
        languages.lazy.compactMap(best(for:)).first ?? english
    }

    private static func best(for language: String) -> KithTexts? {
        var range = language.lowercased().replacing("_", with: "-")[...]
        while true {
            if let texts = all.first(where: { $0.language == range }) { return texts }
            guard let end = range.lastIndex(of: "-") else { return nil }
            range = range[..<end]
        }
    }

    init(
        language: String, texts: [String: Text], category: @escaping @Sendable (Int) -> PluralCategory = Self.oneOther
    ) {
        self.language = language
        self.texts = texts
        self.category = category
    }

    /// Creates the words of a language from a catalogue: a JSON object of texts by key.
    ///
    /// - Parameters:
    ///   - language: The language, as BCP 47 writes it.
    ///   - json: The catalogue. It may leave out texts, which are then English.
    ///   - category: The plural category of a number in that language. The default is the rule of English and German.
    /// - Throws: ``InvalidCatalogue`` for an unknown key, an unknown parameter, and a plural text without the form
    ///   `other`.
    public init(
        language: String, json: Data, category: @escaping @Sendable (Int) -> PluralCategory = KithTexts.oneOther
    ) throws {
        let entries: [String: Entry]
        do {
            entries = try JSONDecoder().decode([String: Entry].self, from: json)
        } catch {
            throw InvalidCatalogue(key: nil, reason: "a catalogue is an object of texts, or of plural forms, by key")
        }
        var texts: [String: Text] = [:]
        for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
            guard let english = Self.textsEn[key] else { throw InvalidCatalogue(key: key, reason: "no such text") }
            let unknown = entry.text.parameters.subtracting(english.parameters).sorted()
            guard unknown.isEmpty else {
                throw InvalidCatalogue(key: key, reason: "unknown parameters: \(unknown.joined(separator: ", "))")
            }
            if case .plural(let forms) = entry.text, forms[.other] == nil {
                throw InvalidCatalogue(key: key, reason: "the form other is missing")
            }
            texts[key] = entry.text
        }
        self.init(language: language, texts: texts, category: category)
    }

    /// The category of languages that say `one` of 1 and `other` of every other whole number, as English and German do.
    public static let oneOther: @Sendable (Int) -> PluralCategory = { $0 == 1 ? .one : .other }

    /// The keys of all texts, sorted.
    public static var keys: [String] { textsEn.keys.sorted() }

    /// The text of a key with its parameters filled in.
    ///
    /// - Parameters:
    ///   - key: One of ``keys``.
    ///   - parameters: The values by name.
    ///   - count: The number that decides the plural form and stands for `{count}`.
    /// - Returns: The text; nil for an unknown key.
    public func text(_ key: String, _ parameters: [String: String] = [:], count: Int? = nil) -> String? {
        let own = texts[key]
        guard let text = own ?? Self.textsEn[key] else { return nil }
        var parameters = parameters
        if let count { parameters["count"] = "\(count)" }
        switch text {
        case .plain(let words): return words.filled(with: parameters)
        case .plural(let forms):
            let category = own == nil ? Self.oneOther(count ?? 0) : category(count ?? 0)
            return (forms[category] ?? forms[.other] ?? "").filled(with: parameters)
        }
    }

    /// The text of a key that the generated functions know.
    func known(_ key: String, _ parameters: [String: String] = [:], count: Int? = nil) -> String {
        text(key, parameters, count: count) ?? key
    }
}

extension KithTexts.Text {
    /// The names of the parameters.
    var parameters: Set<String> {
        switch self {
        case .plain(let words): words.parameters
        case .plural(let forms): forms.values.reduce(into: []) { $0.formUnion($1.parameters) }
        }
    }
}

/// A text as a catalogue's file has it.
private struct Entry: Decodable {
    let text: KithTexts.Text

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let words = try? container.decode(String.self) {
            text = .plain(words)
            return
        }
        let forms = try container.decode([String: String].self)
        text = .plural(
            try .init(
                uniqueKeysWithValues: forms.map { name, words in
                    guard let category = KithTexts.PluralCategory(rawValue: name) else {
                        throw DecodingError.dataCorruptedError(in: container, debugDescription: "no category \(name)")
                    }
                    return (category, words)
                }))
    }
}

extension String {
    /// The names that stand in braces.
    fileprivate var parameters: Set<String> {
        Set(split(separator: "{").dropFirst().compactMap { $0.contains("}") ? String($0.prefix { $0 != "}" }) : nil })
    }

    /// The text with its parameters filled in. A value that itself has braces is not filled in.
    fileprivate func filled(with parameters: [String: String]) -> String {
        var result = ""
        var rest = self[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            result += rest[..<open]
            result += parameters[name] ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}
