import Foundation
import Texts

/// The texts of KithClient, and the Swift that is generated for them from the catalogue.
enum LibraryTexts {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/KithClient/Texts/Catalogue")

    /// The keys of the texts that the library's screens show, sorted.
    static let keys = TextCatalogue.kith.keys.filter { TextChannel(of: $0) == .screen }

    /// The name of a text's function.
    static func name(of key: String) -> String {
        let words = key.split { $0 == "." || $0 == "_" }
        return words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The generated Swift, by the names of its files: one for each language, and one for the texts of each thing, such
    /// as a vault.
    static func generated() -> [String: String] {
        let catalogue = TextCatalogue.kith
        var files = ["KithTexts+translations.swift": file(translations())]
        for language in catalogue.languages {
            let entries = keys.flatMap { key in language.texts[key].map { entry(key, $0) } ?? [] }
            files["KithTexts+\(language.tag).swift"] = file(
                ["    static let \(constant(of: language)): [String: Text] = ["]
                    + (entries.isEmpty ? ["        :"] : entries) + ["    ]"])
        }
        for (thing, keys) in Dictionary(grouping: keys, by: { name(of: String($0.prefix { $0 != "." })) }) {
            let functions = keys.compactMap { key in catalogue.english.texts[key].map { function(key, $0) } }
            files["KithTexts+\(thing).swift"] = file(Array(functions.joined(separator: [""])))
        }
        return files
    }

    /// A file with an extension of `KithTexts`.
    private static func file(_ lines: [String]) -> String {
        """
        // swift-format-ignore-file
        // Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

        extension KithTexts {
        \(lines.joined(separator: "\n"))
        }

        """
    }

    private static func translations() -> [String] {
        let catalogue = TextCatalogue.kith
        var lines = [
            "    /// The languages of the catalogue beside English, a variant after its base.",
            "    static let translations: [KithTexts] = [",
        ]
        for language in catalogue.languages.dropFirst() {
            let layers = catalogue.chain(of: language).reversed().map(constant(of:))
            let merged = layers.dropFirst().reduce(layers[0]) { "\($0).merging(\($1)) { $1 }" }
            lines += [
                "        KithTexts(language: \(literal(language.tag)), texts: \(merged)) { number in",
                "            \(categories(of: language.plurals))", "        },",
            ]
        }
        return lines + ["    ]"]
    }

    /// The name of the constant with the texts of a language: `textsDeInformal`.
    private static func constant(of language: TextLanguage) -> String {
        "texts" + language.tag.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func entry(_ key: String, _ text: TextTemplate) -> [String] {
        let sources = text.sources
        guard text.isPlural else {
            return ["        \(literal(key)):", "            .plain(\(literal(sources[.other] ?? ""))),"]
        }
        let forms = sources.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "            .\($0.key.rawValue): \(literal($0.value))," }
        return ["        \(literal(key)): .plural(["] + forms + ["        ]),"]
    }

    private static func function(_ key: String, _ text: TextTemplate) -> [String] {
        let names = text.placeholders.filter { $0 != "count" }
        var parameters = names.map { "\($0): String" }
        if text.isPlural { parameters.append("count: Int") }
        let values = names.map { "\"\($0)\": \($0)" }.joined(separator: ", ")
        var arguments = values.isEmpty ? "" : ", [\(values)]"
        if text.isPlural { arguments += ", count: count" }
        let call = "known(\(literal(key))\(arguments))"
        let lines = ["    /// “\(text.sources[.other] ?? "")”"]
        guard !parameters.isEmpty else { return lines + ["    public var \(name(of: key)): String { \(call) }"] }
        return lines + [
            "    public func \(name(of: key))(\(parameters.joined(separator: ", "))) -> String {",
            "        \(call)",
            "    }",
        ]
    }

    /// A chain of conditions in Swift that gives the plural category of `number`.
    private static func categories(of rules: PluralRules) -> String {
        rules.conditions.map { condition in
            let alternatives = condition.alternatives.map { $0.map(comparison).joined(separator: " && ") }
            return "\(alternatives.joined(separator: " || ")) ? .\(condition.category.rawValue) : "
        }.joined() + ".other"
    }

    private static func comparison(_ relation: PluralRules.Relation) -> String {
        let value = relation.modulus.map { "number % \($0)" } ?? "number"
        let ranges = relation.ranges.map { range in
            range.count == 1
                ? "\(value) == \(range.lowerBound)" : "(\(range.lowerBound)...\(range.upperBound)).contains(\(value))"
        }
        let any = ranges.count == 1 ? ranges[0] : "(\(ranges.joined(separator: " || ")))"
        return relation.isNegated ? "!(\(any))" : any
    }

    private static func literal(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
