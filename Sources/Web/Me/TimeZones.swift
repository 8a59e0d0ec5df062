internal import Pages

/// The time zones that a person can choose: those that tzdata names for the countries (`zone.tab`), by region. A test compares the list with the
/// machine's tzdata.
enum TimeZones {
    /// The regions with their places, as the names of the zones have them.
    static let regions: [(region: String, places: [String])] = [
        (
            "Africa",
            """
            Abidjan Accra Addis_Ababa Algiers Asmara Bamako Bangui Banjul Bissau Blantyre Brazzaville Bujumbura
            Cairo Casablanca Ceuta Conakry Dakar Dar_es_Salaam Djibouti Douala El_Aaiun Freetown Gaborone Harare
            Johannesburg Juba Kampala Khartoum Kigali Kinshasa Lagos Libreville Lome Luanda Lubumbashi Lusaka
            Malabo Maputo Maseru Mbabane Mogadishu Monrovia Nairobi Ndjamena Niamey Nouakchott Ouagadougou
            Porto-Novo Sao_Tome Tripoli Tunis Windhoek
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        ),
        (
            "America",
            """
            Adak Anchorage Anguilla Antigua Araguaina Argentina/Buenos_Aires Argentina/Catamarca
            Argentina/Cordoba Argentina/Jujuy Argentina/La_Rioja Argentina/Mendoza Argentina/Rio_Gallegos
            Argentina/Salta Argentina/San_Juan Argentina/San_Luis Argentina/Tucuman Argentina/Ushuaia Aruba
            Asuncion Atikokan Bahia Bahia_Banderas Barbados Belem Belize Blanc-Sablon Boa_Vista Bogota Boise
            Cambridge_Bay Campo_Grande Cancun Caracas Cayenne Cayman Chicago Chihuahua Ciudad_Juarez Costa_Rica
            Coyhaique Creston Cuiaba Curacao Danmarkshavn Dawson Dawson_Creek Denver Detroit Dominica Edmonton
            Eirunepe El_Salvador Fort_Nelson Fortaleza Glace_Bay Goose_Bay Grand_Turk Grenada Guadeloupe
            Guatemala Guayaquil Guyana Halifax Havana Hermosillo Indiana/Indianapolis Indiana/Knox
            Indiana/Marengo Indiana/Petersburg Indiana/Tell_City Indiana/Vevay Indiana/Vincennes Indiana/Winamac
            Inuvik Iqaluit Jamaica Juneau Kentucky/Louisville Kentucky/Monticello Kralendijk La_Paz Lima
            Los_Angeles Lower_Princes Maceio Managua Manaus Marigot Martinique Matamoros Mazatlan Menominee
            Merida Metlakatla Mexico_City Miquelon Moncton Monterrey Montevideo Montserrat Nassau New_York Nome
            Noronha North_Dakota/Beulah North_Dakota/Center North_Dakota/New_Salem Nuuk Ojinaga Panama
            Paramaribo Phoenix Port-au-Prince Port_of_Spain Porto_Velho Puerto_Rico Punta_Arenas Rankin_Inlet
            Recife Regina Resolute Rio_Branco Santarem Santiago Santo_Domingo Sao_Paulo Scoresbysund Sitka
            St_Barthelemy St_Johns St_Kitts St_Lucia St_Thomas St_Vincent Swift_Current Tegucigalpa Thule
            Tijuana Toronto Tortola Vancouver Whitehorse Winnipeg Yakutat
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        ),
        (
            "Antarctica",
            """
            Casey Davis DumontDUrville Macquarie Mawson McMurdo Palmer Rothera Syowa Troll Vostok
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        ),
        (
            "Arctic",
            """
            Longyearbyen
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        ),
        (
            "Asia",
            """
            Aden Almaty Amman Anadyr Aqtau Aqtobe Ashgabat Atyrau Baghdad Bahrain Baku Bangkok Barnaul Beirut
            Bishkek Brunei Chita Colombo Damascus Dhaka Dili Dubai Dushanbe Famagusta Gaza Hebron Ho_Chi_Minh
            Hong_Kong Hovd Irkutsk Jakarta Jayapura Jerusalem Kabul Kamchatka Karachi Kathmandu Khandyga Kolkata
            Krasnoyarsk Kuala_Lumpur Kuching Kuwait Macau Magadan Makassar Manila Muscat Nicosia Novokuznetsk
            Novosibirsk Omsk Oral Phnom_Penh Pontianak Pyongyang Qatar Qostanay Qyzylorda Riyadh Sakhalin
            Samarkand Seoul Shanghai Singapore Srednekolymsk Taipei Tashkent Tbilisi Tehran Thimphu Tokyo Tomsk
            Ulaanbaatar Urumqi Ust-Nera Vientiane Vladivostok Yakutsk Yangon Yekaterinburg Yerevan
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        ),
        (
            "Atlantic",
            """
            Azores Bermuda Canary Cape_Verde Faroe Madeira Reykjavik South_Georgia St_Helena Stanley
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        ),
        (
            "Australia",
            """
            Adelaide Brisbane Broken_Hill Darwin Eucla Hobart Lindeman Lord_Howe Melbourne Perth Sydney
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        ),
        (
            "Europe",
            """
            Amsterdam Andorra Astrakhan Athens Belgrade Berlin Bratislava Brussels Bucharest Budapest Busingen
            Chisinau Copenhagen Dublin Gibraltar Guernsey Helsinki Isle_of_Man Istanbul Jersey Kaliningrad Kirov
            Kyiv Lisbon Ljubljana London Luxembourg Madrid Malta Mariehamn Minsk Monaco Moscow Oslo Paris
            Podgorica Prague Riga Rome Samara San_Marino Sarajevo Saratov Simferopol Skopje Sofia Stockholm
            Tallinn Tirane Ulyanovsk Vaduz Vatican Vienna Vilnius Volgograd Warsaw Zagreb Zurich
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        ),
        (
            "Indian",
            """
            Antananarivo Chagos Christmas Cocos Comoro Kerguelen Mahe Maldives Mauritius Mayotte Reunion
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        ),
        (
            "Pacific",
            """
            Apia Auckland Bougainville Chatham Chuuk Easter Efate Fakaofo Fiji Funafuti Galapagos Gambier
            Guadalcanal Guam Honolulu Kanton Kiritimati Kosrae Kwajalein Majuro Marquesas Midway Nauru Niue
            Norfolk Noumea Pago_Pago Palau Pitcairn Pohnpei Port_Moresby Rarotonga Saipan Tahiti Tarawa
            Tongatapu Wake Wallis
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        ),
    ]

    /// A labelled choice of a zone. A zone that is not in the list stands at the head.
    static func choice(_ visit: Visit, name: String = "time_zone", value: String?) -> HTML {
        let words = visit.words
        let chosen = visit.typed(name) ?? value ?? ""
        let error = visit.error(of: name)
        var html: HTML = """
            <label for="\(name)">\(words("web.zone.label"))</label>
            <select id="\(name)" name="\(name)" required\(error == nil ? "" : " aria-invalid=\"true\"" as HTML)>

            """
        if chosen.isEmpty { html += "<option value=\"\">\(words("web.zone.choose"))</option>\n" }
        var isListed = false
        var groups: HTML = ""
        for (region, places) in regions {
            groups += "<optgroup label=\"\(region)\">\n"
            for place in places {
                let zone = "\(region)/\(place)"
                let mark: HTML = zone == chosen ? " selected" : ""
                if zone == chosen { isListed = true }
                groups += "<option value=\"\(zone)\"\(mark)>\(place.replacing("_", with: " "))</option>\n"
            }
            groups += "</optgroup>\n"
        }
        if !isListed, !chosen.isEmpty { html += "<option value=\"\(chosen)\" selected>\(chosen)</option>\n" }
        html += groups + "<option value=\"UTC\">UTC</option>\n</select>\n"
        if let error { html += "<p class=\"error\" id=\"\(name)-error\" role=\"alert\">\(error)</p>\n" }
        return html
    }
}
