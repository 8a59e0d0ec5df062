internal import JSON

/// A language, or a variant of one, with the texts of its file.
package final class TextLanguage: Sendable {
    /// The direction in which the language is written, as HTML's `dir` has it.
    package enum Direction: String, Sendable {
        case leftToRight = "ltr"
        case rightToLeft = "rtl"
    }

    /// The tag (BCP 47), such as `de` or `de-informal`.
    package let tag: String
    /// The language's name of itself.
    package let name: String
    package let direction: Direction
    package let plurals: PluralRules
    package let dates: DateWords
    /// The tag of the language whose texts stand for those that this file leaves out; nil if that is English.
    package let base: String?
    /// The texts of the file by key.
    package let texts: [String: TextTemplate]
    /// Whether somebody who grew up with the language has read the texts. `kith doctor` names those that nobody has.
    package let isReadByNative: Bool
    /// What people answer to a text message in this language, by what it means. A variant takes its base's.
    package let answers: [AnswerMeaning: [String]]

    /// Reads a file of the catalogue. A variant has `base` in its head, and takes all that its head leaves out from
    /// that language, which is one of `bases`.
    ///
    /// - Throws: ``CatalogueError``.
    init(file json: JSONValue, bases: [String: TextLanguage]) throws(CatalogueError) {
        guard let head = json["language"], let tag = head["tag"]?.string, let name = head["name"]?.string,
            let entries = json["texts"], entries.kind == .object
        else { throw CatalogueError("must have language, with tag and name, and texts") }
        base = head["base"]?.string
        let parent = base.flatMap { bases[$0] }
        if let base, parent == nil { throw CatalogueError("there is no language \(base)") }
        self.tag = tag
        self.name = name
        guard let direction = head["direction"]?.string.flatMap(Direction.init) ?? parent?.direction else {
            throw CatalogueError("language must have direction, which is ltr or rtl")
        }
        self.direction = direction
        isReadByNative = head["is_read_by_native"]?.boolean ?? true
        if let rules = head["plurals"] {
            var sources: [PluralCategory: String] = [:]
            for (name, rule) in rules.members {
                guard let category = PluralCategory(rawValue: name), category != .other, let rule = rule.string else {
                    throw CatalogueError("language.plurals has no rule at \(name)")
                }
                sources[category] = rule
            }
            plurals = try PluralRules(sources)
        } else if let parent {
            plurals = parent.plurals
        } else {
            throw CatalogueError("language must have plurals")
        }
        if let dates = head["dates"] {
            self.dates = try DateWords(json: dates)
        } else if let parent {
            dates = parent.dates
        } else {
            throw CatalogueError("language must have dates")
        }
        var texts: [String: TextTemplate] = [:]
        for (key, value) in entries.members {
            do throws(CatalogueError) {
                texts[key] = try TextTemplate(json: value)
            } catch {
                throw CatalogueError(error.reason, key: key)
            }
        }
        self.texts = texts
        answers =
            try json["answers"].map { given throws(CatalogueError) in
                var answers: [AnswerMeaning: [String]] = [:]
                for (name, words) in given.members {
                    guard let meaning = AnswerMeaning(rawValue: name) else {
                        throw CatalogueError("answers has no \(name)")
                    }
                    answers[meaning] = words.elements.compactMap(\.string)
                }
                return answers
            } ?? parent?.answers ?? [:]
    }
}

extension DateWords {
    fileprivate init(json: JSONValue) throws(CatalogueError) {
        func pattern(_ name: String) throws(CatalogueError) -> DatePattern {
            guard let source = json[name]?.string else { throw CatalogueError("language.dates must have \(name)") }
            return try DatePattern(source)
        }
        date = try pattern("date")
        dateOfThisYear = try pattern("date_of_this_year")
        time = try pattern("time")
        dateTime = json["date_time"]?.string ?? ""
        guard dateTime.contains("{0}"), dateTime.contains("{1}") else {
            throw CatalogueError("language.dates must have date_time, with {1} for the date and {0} for the time")
        }
        months = json["months"]?.elements.compactMap(\.string) ?? []
        weekdays = json["weekdays"]?.elements.compactMap(\.string) ?? []
        guard months.count == 12, weekdays.count == 7 else {
            throw CatalogueError("language.dates must have 12 months, and 7 weekdays from Monday")
        }
    }
}
