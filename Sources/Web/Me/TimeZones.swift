internal import Foundation
internal import KithCountries
internal import Pages
internal import Problems
internal import Synchronization
internal import Texts

/// The time zones that a person can choose, by a city that they type: the places of tzdata with their countries, in the
/// reader's language. `TimeZonesTests` compares the list with the machine's tzdata.
enum TimeZones {
    /// A labelled field for a zone, with a list of places to complete what is typed. Where nothing is chosen yet, a
    /// module proposes the city of the browser's zone. The field `isOptional` for somebody who has UTC, which is right
    /// for few; then nothing is proposed, because a zone moves the check-in.
    static func choice(_ visit: Visit, value: String?, isOptional: Bool = false) -> HTML {
        let words = visit.words
        let places = places(in: words.language)
        let same = value.flatMap { places.besides[$0] } ?? ""
        let also: HTML =
            same.isEmpty ? "" : "<p class=\"hint\">\(words("web.zone.same", ["places": .words(same)]))</p>\n"
        let proposes: HTML = isOptional ? "" : " data-zone"
        return """
            \(visit.field(
                "time_zone", words("web.zone.label"), value: value.map { label(of: $0, visit) } ?? "",
                hint: words(isOptional ? "web.zone.utc" : "web.zone.hint"), isRequired: !isOptional,
                attributes: "maxlength=\"100\" autocomplete=\"off\" list=\"places\"\(proposes)"))\
            \(also)<datalist id="places">
            \(places.options)</datalist>

            """
    }

    /// Says what time it is where somebody lives, so that they notice a place that they did not mean.
    static func saved(_ zone: String, _ visit: Visit) -> Notice {
        let words = Words(visit.words.texts, timeZone: zone, now: visit.now)
        return Notice(
            "web.zone.saved", ["time": .words(words.time(visit.now)), "place": .words(label(of: zone, visit))])
    }

    /// What a zone is called in the reader's language, by its first city: "Berlin, Germany".
    static func label(of zone: String, _ visit: Visit) -> String {
        places(in: visit.words.language).labels[zone] ?? zone
    }

    /// The zone of a place that somebody has typed: a city, a country that has one zone, or a zone's own name.
    ///
    /// - Throws: ``Problem``, which says what else to type.
    static func zone(of text: String, _ visit: Visit) throws(Problem) -> String {
        let words = visit.words
        guard !text.isEmpty else { throw .invalid("time_zone", words("web.zone.choose")) }
        let places = places(in: words.language)
        let key = places.names.place(text)
        if places.homonyms.contains(key), let zone = places.cities[key] ?? places.others[key] {
            throw .invalid("time_zone", words("web.zone.exact", ["places": .words(places.labels[zone] ?? zone)]))
        }
        if let zone = places.cities[key] { return zone }
        if let found = places.countries[key] {
            if let zone = sole(of: found) { return zone }
            let cities = found.prefix(mostNamed).compactMap { places.cityOfZone[$0] }.joined(separator: ", ")
            throw .invalid("time_zone", words("web.zone.several", ["places": .words(cities)]))
        }
        guard let zone = places.others[key] else { throw .invalid("time_zone", words("web.zone.unknown")) }
        return zone
    }

    /// The first zone of a country whose zones all have the same time; nil if they differ.
    private static func sole(of zones: [String]) -> String? {
        let offsets = zones.map { zone in
            samples.map { TimeZone(identifier: zone)?.secondsFromGMT(for: Date(timeIntervalSince1970: $0)) }
        }
        guard let first = offsets.first, offsets.allSatisfy({ $0 == first }) else { return nil }
        return zones.first
    }

    /// A winter's day and a summer's day.
    private static let samples = [1_800_000_000.0, 1_816_000_000.0]

    /// The zones whose cities have the name of a better known or another place, in whatever language.
    private static let homonyms: Set = [
        "America/Argentina/Cordoba", "America/Merida", "America/Argentina/San_Juan", "America/Argentina/San_Luis",
        "America/La_Paz", "America/Indiana/Petersburg", "America/Indiana/Vincennes", "America/St_Johns",
        "America/Santiago", "America/North_Dakota/Center", "America/Indiana/Knox", "America/Indiana/Marengo",
        "America/Kentucky/Monticello", "America/North_Dakota/Beulah", "America/North_Dakota/New_Salem",
    ]
    /// The name of a city in Spain, which Grenada has in Spanish.
    private static let granada = "granada"

    /// The places in a language.
    private struct Places {
        let names: CountryNames
        /// One option for each city.
        var options: HTML = ""
        /// What a zone is called, by its name.
        var labels: [String: String] = [:]
        /// The city that stands for a zone, by the zone's name.
        var cityOfZone: [String: String] = [:]
        /// The countries of a zone besides that of its label, by its name.
        var besides: [String: String] = [:]
        /// The zone that the text of a city means, by its key.
        var cities: [String: String] = [:]
        /// The same of the cities of older names, which a country comes before; such a name is good for the API.
        var others: [String: String] = [:]
        /// The keys of cities that are asked back, because somebody may mean another place of that name.
        var homonyms: Set = [TimeZones.granada]
        /// The zones of a country, by the key of its name.
        var countries: [String: [String]] = [:]
    }

    private static func places(in language: String) -> Places {
        known.withLock { known in
            if let places = known[language] { return places }
            let places = makePlaces(in: language)
            known[language] = places
            return places
        }
    }

    /// The most places that a sentence names.
    private static let mostNamed = 6

    private static func makePlaces(in language: String) -> Places {
        let names = CountryNames(language: language)
        var places = Places(names: names)
        let format = DateFormatter()
        format.locale = Locale(identifier: language)
        // CLDR's exemplar city.
        format.dateFormat = "VVV"
        var options: [String: HTML] = [:]
        let isNow = Set(Zone.all.map(\.name))
        for (zone, country) in Zone.places {
            format.timeZone = TimeZone(identifier: zone)
            let city = format.string(from: Date(timeIntervalSince1970: 0))
            let label = "\(city), \(names[country])"
            let own = String(zone.split(separator: "/").last ?? "").replacing("_", with: " ")
            let isHomonym = homonyms.contains(zone) || names.place(city) == granada
            if isHomonym { places.homonyms.formUnion([city, own].map(names.place)) }
            let key = names.key(of: label)
            if isHomonym {
                // A browser knows its zone, whose city a module proposes by this option.
                options[key] = "<option value=\"\(label)\" data-city=\"\(own)\">\n"
            } else if options[key] == nil {
                options[key] = "<option value=\"\(label)\">\n"
            }
            places.cityOfZone[zone] = city
            places.labels[zone] = label
            for key in [label, zone].map(names.place) where places.cities[key] == nil { places.cities[key] = zone }
            for key in [city, own].map(names.place) {
                if isNow.contains(zone) {
                    if places.cities[key] == nil { places.cities[key] = zone }
                } else if places.others[key] == nil {
                    places.others[key] = zone
                }
            }
        }
        // A country's own zones come first, before those that it shares: Germany's is Berlin, and not Zurich.
        for isOwn in [true, false] {
            for zone in Zone.all {
                for country in zone.countries where (country == zone.countries[0]) == isOwn {
                    places.countries[names.place(names[country]), default: []].append(zone.name)
                }
            }
        }
        for zone in Zone.all {
            let others = zone.countries.dropFirst().map { names[$0] }
            places.besides[zone.name] =
                others.prefix(mostNamed).joined(separator: ", ") + (others.count > mostNamed ? " …" : "")
        }
        places.cities[names.place("UTC")] = "UTC"
        places.labels["UTC"] = "UTC"
        for option in options.sorted(by: { $0.key < $1.key }) {
            places.options += option.value
        }
        return places
    }

    /// By language.
    private static let known = Mutex<[String: Places]>([:])
}

extension CountryNames {
    /// What two spellings of a place have in common: case and accents do not count.
    fileprivate func place(_ text: String) -> String { key(of: text).trimmingCharacters(in: .whitespaces) }
}
