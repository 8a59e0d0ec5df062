import Foundation
import Pages
import Testing

@testable import Web

/// The places that somebody can type for their time zone.
@Suite struct `A place that somebody types` {
    /// The zones of the machine's tzdata with their countries.
    private static let known: [(zone: String, countries: [String])] = {
        let table = (try? String(contentsOfFile: "/usr/share/zoneinfo/zone1970.tab", encoding: .utf8)) ?? ""
        return table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: "\t")
            return (String(parts[2]), parts[0].split(separator: ",").map(String.init))
        }
    }()

    @Test(arguments: ["en", "de", "es", "ar"])
    func `leads to each zone of tzdata by its city, in every language`(language: String) throws {
        let visit = try Reader(language: language).visit("/me/profile")
        #expect(Self.known.count > 300)
        for (zone, _) in Self.known {
            #expect(try TimeZones.zone(of: TimeZones.label(of: zone, visit), visit) == zone)
            #expect(try TimeZones.zone(of: zone, visit) == zone)
            #expect(TimeZones.label(of: zone, visit) != zone, "Sources/KithCountries/Zone.swift lacks \(zone)")
        }
        let html = TimeZones.choice(visit, value: nil).text
        #expect(html.matches(of: /<option value="[^"]+, [^"]+">/).count > 400)
    }

    /// A module proposes the option of the city of the browser's zone, which must not be asked back.
    @Test(arguments: ["en", "de", "es", "ar"])
    func `is proposed with its country where others have its name`(language: String) throws {
        let visit = try Reader(language: language).visit("/me/profile")
        let html = TimeZones.choice(visit, value: nil).text
        let options = html.matches(of: /<option value="([^"]+)" data-city="([^"]+)">/).map {
            (String($0.1), String($0.2))
        }
        let cities = Set(options.map(\.1))
        #expect(cities.isSuperset(of: ["Cordoba", "Merida", "La Paz", "Santiago", "San Juan", "St Johns", "Knox"]))
        #expect(cities.count == options.count && !cities.contains("Oslo") && !cities.contains("Berlin"))
        for (label, city) in options {
            #expect(try TimeZones.zone(of: label, visit).replacing("_", with: " ").hasSuffix(city))
            #expect(throws: (any Error).self) { try TimeZones.zone(of: city, visit) }
        }
    }

    @Test func `means one zone`() throws {
        let visit = try Reader().visit("/me/profile")
        #expect(try TimeZones.zone(of: " tokyo ", visit) == "Asia/Tokyo")
        #expect(try TimeZones.zone(of: "SAO PAULO", visit) == "America/Sao_Paulo")
        #expect(try TimeZones.zone(of: "Calcutta", visit).hasPrefix("Asia/"))
        #expect(try TimeZones.zone(of: "Norway", visit) == "Europe/Berlin")
        // Germany has a village with the time of Zurich, which is that of Berlin.
        #expect(try TimeZones.zone(of: "Germany", visit) == "Europe/Berlin")
        // A country comes before an older name of a zone.
        #expect(try TimeZones.zone(of: "Samoa", visit) == "Pacific/Apia")
        let spanish = try Reader(language: "es").visit("/me/profile")
        #expect(throws: (any Error).self) { try TimeZones.zone(of: "Granada", spanish) }
        for (language, cities) in [
            ("en", ["Cordoba", "Córdoba", "Merida", "La Paz", "Santiago", "St. John’s", "Knox"]),
            ("es", ["Córdoba", "Mérida", "San Juan", "San Luis", "Granada"]), ("de", ["Santiago", "Cordoba"]),
            ("ar", ["كوردوبا", "سانتياغو", "لاباز", "Cordoba"]),
        ] {
            let visit = try Reader(language: language).visit("/me/profile")
            for city in cities {
                #expect(throws: (any Error).self, "\(city) in \(language)") { try TimeZones.zone(of: city, visit) }
            }
        }
        #expect(try TimeZones.zone(of: "Grenada", visit).hasPrefix("America/"), "the country has no namesake")
        for several in ["United States", "Russia", "Antarctica"] {
            #expect(throws: (any Error).self) { try TimeZones.zone(of: several, visit) }
        }
    }
}
