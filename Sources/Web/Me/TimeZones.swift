internal import Pages
internal import Synchronization

/// The time zones that a person can choose: those of tzdata's `zone1970.tab`, by the names of their countries in the
/// reader's language. A country with one zone is one choice. `MeTests` compares the list with the machine's tzdata.
enum TimeZones {
    /// A zone and its countries (ISO 3166-1), as a line of `zone1970.tab` has them.
    struct Zone {
        let name: String
        let countries: [String]

        /// The place that stands for the zone, such as New York.
        var place: String {
            name.split(separator: "/").dropFirst().joined(separator: ", ").replacing("_", with: " ")
        }
    }

    /// All zones but UTC.
    static let all: [Zone] = {
        let words = table.split(whereSeparator: \.isWhitespace).map(String.init)
        return stride(from: 0, to: words.count - 1, by: 2).map { index in
            Zone(name: words[index], countries: words[index + 1].split(separator: ",").map(String.init))
        }
    }()

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
        for zone in all { for country in zone.countries { zonesOfCountry[country, default: 0] += 1 } }
        func label(_ country: String, _ zone: Zone) -> String {
            zonesOfCountry[country] == 1 ? names[country] : "\(names[country]): \(zone.place)"
        }
        var choices = Choices()
        var options: [(zone: String, label: String, key: String)] = []
        for zone in all {
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

    private static let table = """
        Europe/Andorra AD  Asia/Dubai AE,OM,RE,SC,TF  Asia/Kabul AF  Europe/Tirane AL  Asia/Yerevan AM
        Antarctica/Casey AQ  Antarctica/Davis AQ  Antarctica/Mawson AQ  Antarctica/Palmer AQ
        Antarctica/Rothera AQ  Antarctica/Troll AQ  Antarctica/Vostok AQ  America/Argentina/Buenos_Aires AR
        America/Argentina/Cordoba AR  America/Argentina/Salta AR  America/Argentina/Jujuy AR
        America/Argentina/Tucuman AR  America/Argentina/Catamarca AR  America/Argentina/La_Rioja AR
        America/Argentina/San_Juan AR  America/Argentina/Mendoza AR  America/Argentina/San_Luis AR
        America/Argentina/Rio_Gallegos AR  America/Argentina/Ushuaia AR  Pacific/Pago_Pago AS,UM  Europe/Vienna AT
        Australia/Lord_Howe AU  Antarctica/Macquarie AU  Australia/Hobart AU  Australia/Melbourne AU
        Australia/Sydney AU  Australia/Broken_Hill AU  Australia/Brisbane AU  Australia/Lindeman AU
        Australia/Adelaide AU  Australia/Darwin AU  Australia/Perth AU  Australia/Eucla AU  Asia/Baku AZ
        America/Barbados BB  Asia/Dhaka BD  Europe/Brussels BE,LU,NL  Europe/Sofia BG  Atlantic/Bermuda BM
        America/La_Paz BO  America/Noronha BR  America/Belem BR  America/Fortaleza BR  America/Recife BR
        America/Araguaina BR  America/Maceio BR  America/Bahia BR  America/Sao_Paulo BR  America/Campo_Grande BR
        America/Cuiaba BR  America/Santarem BR  America/Porto_Velho BR  America/Boa_Vista BR  America/Manaus BR
        America/Eirunepe BR  America/Rio_Branco BR  Asia/Thimphu BT  Europe/Minsk BY  America/Belize BZ
        America/St_Johns CA  America/Halifax CA  America/Glace_Bay CA  America/Moncton CA  America/Goose_Bay CA
        America/Toronto CA,BS  America/Iqaluit CA  America/Winnipeg CA  America/Resolute CA
        America/Rankin_Inlet CA  America/Regina CA  America/Swift_Current CA  America/Edmonton CA
        America/Cambridge_Bay CA  America/Inuvik CA  America/Dawson_Creek CA  America/Fort_Nelson CA
        America/Whitehorse CA  America/Dawson CA  America/Vancouver CA  Europe/Zurich CH,DE,LI
        Africa/Abidjan CI,BF,GH,GM,GN,IS,ML,MR,SH,SL,SN,TG  Pacific/Rarotonga CK  America/Santiago CL
        America/Coyhaique CL  America/Punta_Arenas CL  Pacific/Easter CL  Asia/Shanghai CN  Asia/Urumqi CN
        America/Bogota CO  America/Costa_Rica CR  America/Havana CU  Atlantic/Cape_Verde CV  Asia/Nicosia CY
        Asia/Famagusta CY  Europe/Prague CZ,SK  Europe/Berlin DE,DK,NO,SE,SJ  America/Santo_Domingo DO
        Africa/Algiers DZ  America/Guayaquil EC  Pacific/Galapagos EC  Europe/Tallinn EE  Africa/Cairo EG
        Africa/El_Aaiun EH  Europe/Madrid ES  Africa/Ceuta ES  Atlantic/Canary ES  Europe/Helsinki FI,AX
        Pacific/Fiji FJ  Atlantic/Stanley FK  Pacific/Kosrae FM  Atlantic/Faroe FO  Europe/Paris FR,MC
        Europe/London GB,GG,IM,JE  Asia/Tbilisi GE  America/Cayenne GF  Europe/Gibraltar GI  America/Nuuk GL
        America/Danmarkshavn GL  America/Scoresbysund GL  America/Thule GL  Europe/Athens GR
        Atlantic/South_Georgia GS  America/Guatemala GT  Pacific/Guam GU,MP  Africa/Bissau GW  America/Guyana GY
        Asia/Hong_Kong HK  America/Tegucigalpa HN  America/Port-au-Prince HT  Europe/Budapest HU  Asia/Jakarta ID
        Asia/Pontianak ID  Asia/Makassar ID  Asia/Jayapura ID  Europe/Dublin IE  Asia/Jerusalem IL
        Asia/Kolkata IN  Indian/Chagos IO  Asia/Baghdad IQ  Asia/Tehran IR  Europe/Rome IT,SM,VA
        America/Jamaica JM  Asia/Amman JO  Asia/Tokyo JP,AU  Africa/Nairobi KE,DJ,ER,ET,KM,MG,SO,TZ,UG,YT
        Asia/Bishkek KG  Pacific/Tarawa KI,MH,TV,UM,WF  Pacific/Kanton KI  Pacific/Kiritimati KI
        Asia/Pyongyang KP  Asia/Seoul KR  Asia/Almaty KZ  Asia/Qyzylorda KZ  Asia/Qostanay KZ  Asia/Aqtobe KZ
        Asia/Aqtau KZ  Asia/Atyrau KZ  Asia/Oral KZ  Asia/Beirut LB  Asia/Colombo LK  Africa/Monrovia LR
        Europe/Vilnius LT  Europe/Riga LV  Africa/Tripoli LY  Africa/Casablanca MA  Europe/Chisinau MD
        Pacific/Kwajalein MH  Asia/Yangon MM,CC  Asia/Ulaanbaatar MN  Asia/Hovd MN  Asia/Macau MO
        America/Martinique MQ  Europe/Malta MT  Indian/Mauritius MU  Indian/Maldives MV,TF  America/Mexico_City MX
        America/Cancun MX  America/Merida MX  America/Monterrey MX  America/Matamoros MX  America/Chihuahua MX
        America/Ciudad_Juarez MX  America/Ojinaga MX  America/Mazatlan MX  America/Bahia_Banderas MX
        America/Hermosillo MX  America/Tijuana MX  Asia/Kuching MY,BN  Africa/Maputo MZ,BI,BW,CD,MW,RW,ZM,ZW
        Africa/Windhoek NA  Pacific/Noumea NC  Pacific/Norfolk NF  Africa/Lagos NG,AO,BJ,CD,CF,CG,CM,GA,GQ,NE
        America/Managua NI  Asia/Kathmandu NP  Pacific/Nauru NR  Pacific/Niue NU  Pacific/Auckland NZ,AQ
        Pacific/Chatham NZ  America/Panama PA,CA,KY  America/Lima PE  Pacific/Tahiti PF  Pacific/Marquesas PF
        Pacific/Gambier PF  Pacific/Port_Moresby PG,AQ,FM  Pacific/Bougainville PG  Asia/Manila PH
        Asia/Karachi PK  Europe/Warsaw PL  America/Miquelon PM  Pacific/Pitcairn PN
        America/Puerto_Rico PR,AG,CA,AI,AW,BL,BQ,CW,DM,GD,GP,KN,LC,MF,MS,SX,TT,VC,VG,VI  Asia/Gaza PS
        Asia/Hebron PS  Europe/Lisbon PT  Atlantic/Madeira PT  Atlantic/Azores PT  Pacific/Palau PW
        America/Asuncion PY  Asia/Qatar QA,BH  Europe/Bucharest RO  Europe/Belgrade RS,BA,HR,ME,MK,SI
        Europe/Kaliningrad RU  Europe/Moscow RU  Europe/Simferopol RU,UA  Europe/Kirov RU  Europe/Volgograd RU
        Europe/Astrakhan RU  Europe/Saratov RU  Europe/Ulyanovsk RU  Europe/Samara RU  Asia/Yekaterinburg RU
        Asia/Omsk RU  Asia/Novosibirsk RU  Asia/Barnaul RU  Asia/Tomsk RU  Asia/Novokuznetsk RU
        Asia/Krasnoyarsk RU  Asia/Irkutsk RU  Asia/Chita RU  Asia/Yakutsk RU  Asia/Khandyga RU
        Asia/Vladivostok RU  Asia/Ust-Nera RU  Asia/Magadan RU  Asia/Sakhalin RU  Asia/Srednekolymsk RU
        Asia/Kamchatka RU  Asia/Anadyr RU  Asia/Riyadh SA,AQ,KW,YE  Pacific/Guadalcanal SB,FM  Africa/Khartoum SD
        Asia/Singapore SG,AQ,MY  America/Paramaribo SR  Africa/Juba SS  Africa/Sao_Tome ST  America/El_Salvador SV
        Asia/Damascus SY  America/Grand_Turk TC  Africa/Ndjamena TD  Asia/Bangkok TH,CX,KH,LA,VN  Asia/Dushanbe TJ
        Pacific/Fakaofo TK  Asia/Dili TL  Asia/Ashgabat TM  Africa/Tunis TN  Pacific/Tongatapu TO
        Europe/Istanbul TR  Asia/Taipei TW  Europe/Kyiv UA  America/New_York US  America/Detroit US
        America/Kentucky/Louisville US  America/Kentucky/Monticello US  America/Indiana/Indianapolis US
        America/Indiana/Vincennes US  America/Indiana/Winamac US  America/Indiana/Marengo US
        America/Indiana/Petersburg US  America/Indiana/Vevay US  America/Chicago US  America/Indiana/Tell_City US
        America/Indiana/Knox US  America/Menominee US  America/North_Dakota/Center US
        America/North_Dakota/New_Salem US  America/North_Dakota/Beulah US  America/Denver US  America/Boise US
        America/Phoenix US,CA  America/Los_Angeles US  America/Anchorage US  America/Juneau US  America/Sitka US
        America/Metlakatla US  America/Yakutat US  America/Nome US  America/Adak US  Pacific/Honolulu US
        America/Montevideo UY  Asia/Samarkand UZ  Asia/Tashkent UZ  America/Caracas VE  Asia/Ho_Chi_Minh VN
        Pacific/Efate VU  Pacific/Apia WS  Africa/Johannesburg ZA,LS,SZ
        """
}
