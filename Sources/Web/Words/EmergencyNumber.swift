package import Pages
package import Texts

/// The number of the rescue services where somebody is, as a link that calls it.
///
/// The table has the countries in which it is not 112, which mobile phones know everywhere (3GPP TS 22.101, 10.1.1).
/// Source: the numbers that libphonenumber 8.12 calls emergency numbers of the country (ShortNumberMetadata.xml); of
/// several, the one that sends an ambulance.
package enum EmergencyNumber {
    private static let usual = "112"

    /// Numbers with their countries (ISO 3166-1) and the calling codes of those.
    private static let table: [(number: String, countries: Set<String>, callingCodes: Set<String>)] = [
        (
            "911",
            [
                "AG", "AI", "AR", "AS", "BB", "BM", "BS", "CA", "CR", "DO", "EC", "GU", "JO", "KY", "MP", "MX", "PA",
                "PH",
                "PR", "PY", "SV", "US", "UY", "VG", "VI",
            ], ["1", "52", "54", "503", "506", "507", "593", "595", "598", "63", "962"]
        ),
        (
            "999", ["BD", "BH", "GB", "GG", "HK", "IM", "JE", "KE", "MO", "MY", "QA"],
            ["44", "60", "254", "852", "853", "880", "973", "974"]
        ),
        ("000", ["AU", "CC", "CX"], ["61"]), ("101", ["IL"], ["972"]), ("111", ["NZ"], ["64"]),
        ("115", ["VN"], ["84"]), ("119", ["JP", "KR", "TW"], ["81", "82", "886"]), ("120", ["CN"], ["86"]),
        ("123", ["EG"], ["20"]), ("192", ["BR"], ["55"]), ("995", ["SG"], ["65"]),
    ]

    /// `text` if it is the emergency number of a country; nil otherwise.
    package static func known(_ text: String) -> String? {
        text == usual || table.contains { $0.number == text } ? text : nil
    }

    /// The number of a country; 112 if it is unknown.
    package static func of(country: String?) -> String {
        country.flatMap { country in table.first { $0.countries.contains(country) }?.number } ?? usual
    }

    /// The number of somebody's time zone, which says where they are, or of their phone number where countries with
    /// different numbers share the zone, or it says nothing.
    package static func of(zone: String, phone: String?) -> String {
        let countries = TimeZones.all.first { $0.name == zone }?.countries ?? []
        let numbers = Set(countries.map { of(country: $0) })
        if numbers.count == 1, let number = numbers.first { return number }
        guard let digits = phone?.drop(while: { $0 == "+" }) else { return of(country: countries.first) }
        let ofPhone = table.first { row in row.callingCodes.contains { digits.hasPrefix($0) } }?.number ?? usual
        return numbers.isEmpty || numbers.contains(ofPhone) ? ofPhone : of(country: countries.first)
    }

    /// The first words of a page in place of one that calls for help, where nothing is known of its reader.
    package static func first(_ texts: Texts) -> HTML {
        "<p class=\"notice\" role=\"alert\">\(texts("web.offline.help"))</p>\n\(call(usual, texts))"
    }

    /// The first words of such a page to somebody who has called for help in vain, with the number of their country;
    /// nil if nothing is known of them.
    package static func notTold(_ texts: Texts, number: String?) -> HTML {
        "<p class=\"notice\" role=\"alert\">\(texts("web.help.unsent"))</p>\n\(call(number ?? usual, texts))"
    }

    /// The link that calls a number, on a page that nobody is signed in to.
    package static func call(_ number: String, _ texts: Texts) -> HTML {
        "<p><a class=\"button\" href=\"tel:\(number)\">\(texts("web.help.call", ["number": .words(number)]))</a></p>\n"
    }

    /// The link that calls it.
    static func link(_ visit: Visit) -> HTML {
        let number = visit.emergencyNumber
        return """
            <p><a class="button destructive" href="tel:\(number)">\(visit.words("web.help.call", ["number": .words(number)]))</a></p>

            """
    }
}
