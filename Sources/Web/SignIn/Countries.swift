internal import Pages
internal import Synchronization

/// The choice of a phone number's country, by name, so that nobody has to know its code.
enum Countries {
    /// A labelled choice among the visit's countries.
    static func choice(_ visit: Visit) -> HTML {
        guard !visit.countries.isEmpty else { return "" }
        let words = visit.words
        let chosen = visit.typed("country") ?? visit.country ?? ""
        var html: HTML = """
            <label for="country">\(words("web.sign_in.country"))</label>
            <select id="country" name="country">
            <option value="">\(words("web.sign_in.country_any"))</option>

            """
        for country in sorted(visit.countries, in: words.language) {
            let mark: HTML = country.code == chosen ? " selected" : ""
            html += "<option value=\"\(country.code)\"\(mark)>\(country.label)</option>\n"
        }
        return html + "</select>\n"
    }

    /// The countries with their labels in a language, by name.
    private static func sorted(
        _ countries: [Visit.Country], in language: String
    ) -> [(code: String, label: String)] {
        known.withLock { known in
            if let sorted = known[language] { return sorted }
            let names = CountryNames(language: language)
            let sorted = countries.map { (code: $0.code, label: "\(names[$0.code]) (+\($0.callingCode))") }
                .sorted { names.key(of: $0.label) < names.key(of: $1.label) }
            known[language] = sorted
            return sorted
        }
    }

    /// By language. The countries are those of the server's numbering plans, always the same.
    private static let known = Mutex<[String: [(code: String, label: String)]]>([:])
}
