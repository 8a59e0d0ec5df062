extension TextCatalogue {
    /// The most ranges of an `Accept-Language` field to examine. Browsers send far fewer.
    private static let mostRanges = 20
    /// The longest `Accept-Language` field to read, in bytes.
    private static let longestField = 500

    /// The language of a locale (BCP 47), found by lookup (RFC 4647, section 3.4): `de-AT` is `de`. Nil if there is
    /// none.
    package func language(for locale: String?) -> TextLanguage? {
        guard let locale else { return nil }
        var range = locale.lowercased().replacing("_", with: "-")[...]
        while !range.isEmpty {
            if let language = self[String(range)] { return language }
            guard let end = range.lastIndex(of: "-") else { return nil }
            range = range[..<end]
            // A subtag of one letter introduces the next, so it goes with it.
            if range.dropLast().last == "-" { range = range.dropLast(2) }
        }
        return nil
    }

    /// The language that an `Accept-Language` field prefers (RFC 9110, section 12.5.4); nil if it names none of this
    /// catalogue.
    ///
    /// `*` is the default language, if there is one. Ranges of equal weight count in their order.
    package func language(accepting field: String?, default language: TextLanguage? = nil) -> TextLanguage? {
        guard let field, field.utf8.count <= Self.longestField else { return nil }
        var best: (language: TextLanguage, weight: Double)?
        for range in field.split(separator: ",", maxSplits: Self.mostRanges).prefix(Self.mostRanges) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let tag = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }.map {
                Double($0.dropFirst(2)) ?? 0
            }
            guard let found = tag == "*" ? language : self.language(for: tag) else { continue }
            let weighed = min(weight ?? 1, 1)
            if weighed > best?.weight ?? 0 { best = (found, weighed) }
        }
        return best?.language
    }

    /// The texts in the first of the locales that names a language, else in English.
    package func texts(for locales: String?..., own: TenantTexts? = nil) -> Texts {
        Texts(self, in: locales.lazy.compactMap { self.language(for: $0) }.first ?? english, own: own)
    }
}
