/// The number of the rescue services where somebody is.
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

    /// The number of somebody's time zone, which says where they are. Where countries with different numbers share the
    /// zone, or it says nothing, their phone number or the region of their device decides.
    package static func of(zone: String, phone: String? = nil, region: String? = nil) -> String {
        let countries = Zone.countries(of: zone)
        let numbers = Set(countries.map { of(country: $0) })
        if numbers.count == 1, let number = numbers.first { return number }
        if let other = phone.map(of(phone:)) ?? region.map({ of(country: $0) }),
            numbers.isEmpty || numbers.contains(other)
        {
            return other
        }
        return of(country: countries.first)
    }

    private static func of(phone: String) -> String {
        let digits = phone.drop { $0 == "+" }
        return table.first { row in row.callingCodes.contains { digits.hasPrefix($0) } }?.number ?? usual
    }
}
