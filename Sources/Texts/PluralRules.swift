/// A plural category of CLDR, the Unicode Common Locale Data Repository.
package enum PluralCategory: String, Sendable, Hashable, CaseIterable {
    case zero, one, two, few, many, other
}

/// The plural rules of a language in CLDR's syntax (UTS #35, part 3, section 5, "Language Plural Rules").
///
/// Only whole numbers are counted, so the operands `n` and `i` are the number, and those of decimals and exponents are
/// 0. Comparisons with those are decided when the rules are read.
package struct PluralRules: Sendable {
    /// A comparison such as `n % 10 = 2..4,9`.
    package struct Relation: Sendable {
        package let modulus: Int?
        package let isNegated: Bool
        package let ranges: [ClosedRange<Int>]

        func holds(for number: Int) -> Bool {
            let value = modulus.map { number % $0 } ?? number
            return ranges.contains { $0.contains(value) } != isNegated
        }
    }

    /// The conditions in CLDR's order. Each is a list of alternatives; all comparisons of an alternative must hold.
    package let conditions: [(category: PluralCategory, alternatives: [[Relation]])]
    /// The categories of one number alone.
    private let single: Set<PluralCategory>

    /// Parses the conditions of the categories. Samples after `@` are ignored. Numbers for which none holds are
    /// `other`.
    ///
    /// - Throws: ``CatalogueError`` for a condition that is not in CLDR's syntax.
    package init(_ sources: [PluralCategory: String]) throws(CatalogueError) {
        var conditions: [(category: PluralCategory, alternatives: [[Relation]])] = []
        for category in PluralCategory.allCases where category != .other {
            guard let source = sources[category] else { continue }
            let alternatives = try Self.alternatives(source)
            if !alternatives.isEmpty { conditions.append((category, alternatives)) }
        }
        self.conditions = conditions
        var counts: [PluralCategory: Int] = [:]
        for number in 0...1000 { counts[Self.category(of: number, by: conditions), default: 0] += 1 }
        single = Set(counts.filter { $0.value == 1 }.keys)
    }

    /// The categories that a plural text of the language can have; the last is `other`.
    package var categories: [PluralCategory] { conditions.map(\.category) + [.other] }

    /// The category of `number`.
    package func category(of number: Int) -> PluralCategory {
        Self.category(of: Int(clamping: number.magnitude), by: conditions)
    }

    private static func category(
        of number: Int, by conditions: [(category: PluralCategory, alternatives: [[Relation]])]
    ) -> PluralCategory {
        conditions.first { $0.alternatives.contains { $0.allSatisfy { $0.holds(for: number) } } }?.category ?? .other
    }

    /// Whether the category is that of one number alone, so that its form can do without the number: "one minute left".
    package func isOfOneNumber(_ category: PluralCategory) -> Bool { single.contains(category) }

    private static func alternatives(_ source: String) throws(CatalogueError) -> [[Relation]] {
        let tokens = tokens(of: source.prefix { $0 != "@" })
        var alternatives: [[Relation]] = []
        for alternative in tokens.split(separator: "or", omittingEmptySubsequences: false) {
            var relations: [Relation] = []
            var isPossible = true
            for relation in alternative.split(separator: "and", omittingEmptySubsequences: false) {
                guard let (operand, parsed) = Self.relation(Array(relation)) else {
                    throw CatalogueError("no plural condition of CLDR: \(source)")
                }
                if operand == "n" || operand == "i" {
                    relations.append(parsed)
                } else if !parsed.holds(for: 0) {
                    isPossible = false
                }
            }
            if isPossible { alternatives.append(relations) }
        }
        return alternatives
    }

    private static func relation(_ tokens: [String]) -> (operand: String, Relation)? {
        var tokens = tokens[...]
        guard let operand = tokens.popFirst(), "nivwftce".contains(operand), operand.count == 1 else { return nil }
        var modulus: Int?
        if tokens.first == "%" {
            tokens.removeFirst()
            guard let number = tokens.popFirst().flatMap({ Int($0) }), number > 0 else { return nil }
            modulus = number
        }
        guard let comparison = tokens.popFirst(), comparison == "=" || comparison == "!=" else { return nil }
        var ranges: [ClosedRange<Int>] = []
        for range in tokens.joined().split(separator: ",", omittingEmptySubsequences: false) {
            let bounds = range.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
            guard (1...2).contains(bounds.count), let low = bounds[0], let high = bounds[bounds.count - 1], low <= high
            else { return nil }
            ranges.append(low...high)
        }
        return (operand, Relation(modulus: modulus, isNegated: comparison == "!=", ranges: ranges))
    }

    private static func tokens(of text: Substring) -> [String] {
        var spaced = ""
        for character in text {
            switch character {
            case "%", "!": spaced += " \(character)"
            case "=": spaced += spaced.hasSuffix("!") ? "= " : " = "
            default: spaced.append(character)
            }
            if character == "%" { spaced += " " }
        }
        return spaced.split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
