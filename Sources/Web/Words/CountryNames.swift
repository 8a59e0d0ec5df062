internal import Foundation

/// The names of countries in a language (CLDR, by Foundation).
package struct CountryNames {
    private let locale: Locale

    /// The names in the language of a tag of BCP 47.
    package init(language: String) {
        locale = Locale(identifier: language)
    }

    /// The name of the country of a code of ISO 3166-1; the code where the language has none.
    package subscript(code: String) -> String { locale.localizedString(forRegionCode: code) ?? code }

    /// What a list of names is sorted by: Österreich stands among the names with O.
    package func key(of name: String) -> String {
        name.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: locale)
    }
}
