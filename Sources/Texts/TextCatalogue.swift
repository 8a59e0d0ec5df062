internal import JSON

/// Every text that a person reads, in every language: one file a language.
///
/// English has all texts. A text that another language leaves out is English.
package struct TextCatalogue: Sendable {
    /// The languages, English first, and a variant after its base.
    package let languages: [TextLanguage]
    private let byTag: [String: TextLanguage]
    /// For each language the texts of all keys, with the language that each comes from.
    private let whole: [String: [String: (text: TextTemplate, language: TextLanguage)]]
    /// The details of refusals, and the messages about fields.
    private let details: RefusalTexts
    private let messages: RefusalTexts
    /// What people answer in each language, by its tag in lower case. Emoji of English are in every language, so that
    /// words of the person's language can stand beside them.
    let listedAnswers: [String: [AnswerText: AnswerMeaning]]

    /// The catalogue of this program.
    package static let kith: TextCatalogue = {
        do throws(CatalogueError) {
            return try TextCatalogue(files: embeddedFiles)
        } catch {
            preconditionFailure("Sources/Texts/Catalogue: \(error)")
        }
    }()

    /// The files of this program's catalogue: their names and texts.
    package static var files: [(path: String, text: String)] { embeddedFiles }

    /// Reads and checks the files of a catalogue.
    ///
    /// - Throws: ``CatalogueError`` if there is no English, if a language has a text that English does not have, or if
    ///   the placeholders of a text differ from those of the English one.
    package init(files: [(path: String, text: String)]) throws(CatalogueError) {
        var byTag: [String: TextLanguage] = [:]
        var languages: [TextLanguage] = []
        var waiting = try files.map { file throws(CatalogueError) in
            do throws(InvalidJSON) {
                return (file.path, try JSONDocument(Array(file.text.utf8)))
            } catch {
                throw CatalogueError("\(file.path) \(error.reason)")
            }
        }
        // English is the measure of all others, and a variant needs its base.
        waiting.sort { Self.rank($0.1) < Self.rank($1.1) }
        for (path, document) in waiting {
            do throws(CatalogueError) {
                let language = try TextLanguage(file: document.root, bases: byTag)
                guard byTag.updateValue(language, forKey: language.tag.lowercased()) == nil else {
                    throw CatalogueError("there is another file for \(language.tag)")
                }
                languages.append(language)
            } catch {
                throw CatalogueError("\(path): \(error.reason)", key: error.key)
            }
        }
        guard let english = languages.first, english.tag == "en" else { throw CatalogueError("there is no English") }
        for language in languages.dropFirst() {
            for (key, text) in language.texts {
                do throws(CatalogueError) {
                    guard let original = english.texts[key] else { throw CatalogueError("there is no such text") }
                    try text.check(against: original, in: language)
                } catch {
                    throw CatalogueError("\(language.tag): \(error.reason)", key: key)
                }
            }
        }
        var whole: [String: [String: (text: TextTemplate, language: TextLanguage)]] = [:]
        for language in languages {
            var texts = english.texts.mapValues { ($0, english) }
            for layer in Self.chain(of: language, byTag).reversed() {
                for (key, text) in layer.texts { texts[key] = (text, layer) }
            }
            whole[language.tag] = texts
        }
        self.languages = languages
        self.byTag = byTag
        let emoji = english.listedAnswers.filter { $0.key.words.isEmpty }
        listedAnswers = byTag.mapValues { $0.listedAnswers.merging(emoji) { own, _ in own } }
        self.whole = whole
        details = RefusalTexts(english.texts, under: "refusal")
        messages = RefusalTexts(english.texts, under: "field")
    }

    /// The key of the English detail of a refusal, and the values of its placeholders; nil if the catalogue does not
    /// have it. Details for developers are English everywhere.
    package func detail(_ english: String) -> (key: String, values: [String: String])? { details.find(english) }

    /// The same for the message about a field.
    package func message(_ english: String) -> (key: String, values: [String: String])? { messages.find(english) }

    /// The keys of all texts, sorted.
    package var keys: [String] { english.texts.keys.sorted() }

    /// The language in which every text exists.
    package var english: TextLanguage { languages[0] }

    /// The language of exactly this tag, in any case of letters.
    package subscript(tag: String) -> TextLanguage? { byTag[tag.lowercased()] }

    /// A language and those whose texts stand for the ones that it leaves out, up to its base; English is not among
    /// them unless it is the language itself.
    package func chain(of language: TextLanguage) -> [TextLanguage] { Self.chain(of: language, byTag) }

    /// The text of a key in a language, and the language that it comes from; nil for an unknown key.
    package func text(_ key: String, in language: TextLanguage) -> (text: TextTemplate, language: TextLanguage)? {
        whole[language.tag]?[key]
    }

    private static func chain(of language: TextLanguage, _ byTag: [String: TextLanguage]) -> [TextLanguage] {
        [language] + (language.base.flatMap { byTag[$0.lowercased()] }.map { chain(of: $0, byTag) } ?? [])
    }

    private static func rank(_ document: JSONDocument) -> (Int, String) {
        let head = document.root["language"]
        let tag = head?["tag"]?.string ?? ""
        return (tag == "en" ? 0 : head?["base"] == nil ? 1 : 2, tag)
    }
}

extension TextTemplate {
    /// Checks that this text can stand for `original`: the same placeholders, each in every form, and only plural
    /// categories of the language. The form for a single number, such as "one minute left", may leave the number out.
    ///
    /// - Throws: ``CatalogueError`` with the reason.
    package func check(against original: TextTemplate, in language: TextLanguage) throws(CatalogueError) {
        let wanted = Set(original.placeholders)
        if isPlural && !original.isPlural { throw CatalogueError("has no plural forms: it must be a single text") }
        for (category, parts) in forms.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard !isPlural || language.plurals.categories.contains(category) else {
                throw CatalogueError("\(language.tag) has no plural category \(category.rawValue)")
            }
            var missing = wanted
            for case .placeholder(let name) in parts {
                guard wanted.contains(name) else { throw CatalogueError("there is no placeholder {\(name)}") }
                missing.remove(name)
            }
            if isPlural && language.plurals.isOfOneNumber(category) { missing.remove("count") }
            if let name = missing.sorted().first {
                throw CatalogueError("the placeholder {\(name)} must stand in it")
            }
        }
    }
}
