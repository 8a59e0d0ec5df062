internal import KithCountries
internal import Pages
internal import Synchronization

/// The time zones that a person can choose: those of tzdata's `zone1970.tab`, by the names of their countries in the
/// reader's language. A country with one zone is one choice. `MeTests` compares the list with the machine's tzdata.
enum TimeZones {
    /// A labelled choice of a zone. What is chosen stands at the head with all its countries, since several share a
    /// zone. Where nothing is chosen yet, a module proposes the zone of the browser.
    static func choice(_ visit: Visit, name: String = "time_zone", value: String?) -> HTML {
        let words = visit.words
        let chosen = visit.typed(name) ?? value ?? ""
        let error = visit.error(of: name)
        var html: HTML = """
            <label for="\(name)">\(words("web.zone.label"))</label>
            <p class="hint" id="\(name)-hint">\(words("web.zone.hint"))</p>
            <select id="\(name)" name="\(name)" required data-zone aria-describedby="\(name)-hint"\
            \(error == nil ? "" : " aria-invalid=\"true\"" as HTML)>

            """
        let choices = choices(in: words.language)
        let head = chosen.isEmpty ? words("web.zone.choose") : choices.labels[chosen] ?? chosen
        html += "<option value=\"\(chosen)\" selected>\(head)</option>\n\(choices.options)</select>\n"
        if let error { html += "<p class=\"error\" id=\"\(name)-error\" role=\"alert\">\(error)</p>\n" }
        return html
    }

    /// The choices in a language.
    private struct Choices {
        /// One option for each zone of each country.
        var options: HTML = ""
        /// What a zone is called when it is chosen, by its name.
        var labels: [String: String] = [:]
    }

    private static func choices(in language: String) -> Choices {
        known.withLock { known in
            if let choices = known[language] { return choices }
            let choices = makeChoices(CountryNames(language: language))
            known[language] = choices
            return choices
        }
    }

    /// The most countries that the label of a chosen zone names.
    private static let mostNamed = 6

    private static func makeChoices(_ names: CountryNames) -> Choices {
        var zonesOfCountry: [String: Int] = [:]
        for zone in Zone.all { for country in zone.countries { zonesOfCountry[country, default: 0] += 1 } }
        func label(_ country: String, _ zone: Zone) -> String {
            zonesOfCountry[country] == 1 ? names[country] : "\(names[country]): \(zone.place)"
        }
        var choices = Choices()
        var options: [(zone: String, label: String, key: String)] = []
        for zone in Zone.all {
            let labels = zone.countries.map { label($0, zone) }
            let more = labels.count > mostNamed ? " …" : ""
            choices.labels[zone.name] = labels.prefix(mostNamed).joined(separator: ", ") + more
            options += labels.map { (zone.name, $0, names.key(of: $0)) }
        }
        for option in options.sorted(by: { $0.key < $1.key }) {
            choices.options += "<option value=\"\(option.zone)\">\(option.label)</option>\n"
        }
        choices.options += "<option value=\"UTC\">UTC</option>\n"
        return choices
    }

    /// By language.
    private static let known = Mutex<[String: Choices]>([:])
}

extension Zone {
    /// The place that stands for the zone, such as New York.
    fileprivate var place: String {
        name.split(separator: "/").dropFirst().joined(separator: ", ").replacing("_", with: " ")
    }
}
