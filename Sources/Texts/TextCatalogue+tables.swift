internal import JSON

extension TextCatalogue {
    /// The catalogue as `internal.load_texts` of the database reads it, as JSON: each language with the dates and
    /// plural categories that it has or takes from its base, and with its own texts.
    package var tables: [UInt8] {
        var json = JSONWriter()
        json.array(languages) { json, language in
            json.object { json in
                json.field("tag", language.tag)
                if let base = language.base { json.field("base", base) }
                json.field("direction", language.direction.rawValue)
                json.field("plurals", language.plurals.initials)
                json.object("dates") { $0.dates(language.dates) }
                json.object("texts") { json in
                    for (key, text) in language.texts.sorted(by: { $0.key < $1.key }) { json.field(key, text) }
                }
            }
        }
        return json.bytes
    }
}

extension PluralRules {
    /// The initials of the categories of 0 to 199, with `r`, the rest, for `other`. A rule of CLDR looks at a whole
    /// number itself below 100, and otherwise at its last two digits.
    fileprivate var initials: String {
        String(
            (0..<200).map { number -> Character in
                switch category(of: number) {
                case .zero: "z"
                case .one: "o"
                case .two: "t"
                case .few: "f"
                case .many: "m"
                case .other: "r"
                }
            })
    }
}

extension JSONWriter {
    fileprivate mutating func dates(_ dates: DateWords) {
        field("date", dates.date.source)
        field("date_of_this_year", dates.dateOfThisYear.source)
        field("time", dates.time.source)
        field("date_time", dates.dateTime)
        array("months", dates.months) { $0.string($1) }
        array("weekdays", dates.weekdays) { $0.string($1) }
    }

    fileprivate mutating func field(_ key: String, _ text: TextTemplate) {
        let sources = text.sources
        guard text.isPlural else {
            field(key, sources[.other] ?? "")
            return
        }
        object(key) { json in
            for category in PluralCategory.allCases {
                if let form = sources[category] { json.field(category.rawValue, form) }
            }
        }
    }
}
