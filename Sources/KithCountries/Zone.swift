/// A time zone and its countries (ISO 3166-1), the most populous first, as a line of `zone1970.tab` has them.
package struct Zone: Sendable {
    package let name: String
    package let countries: [String]

    /// All zones but UTC.
    package static let all = zones(table)

    /// The cities by which somebody can name their zone, each with its own country: those of all zones, then those of
    /// their older names. Riyadh is not in Antarctica.
    package static let places: [(zone: String, country: String)] =
        all.map { ($0.name, $0.countries[0]) }
        + zones(others).filter { !$0.name.contains(regions) && $0.name.contains("/") }.map {
            ($0.name, $0.countries[0])
        }

    /// The older names that name a region, and no city.
    private static var regions: Regex<Substring> {
        /^(?:Brazil|Canada|Chile|Mexico|US)\/.*|^Australia\/(?:ACT|LHI|NSW|North|Queensland|South|Tasmania|Victoria|West|Yancowinna)$|_IN$/
    }

    /// The countries of a zone, also by an older name of it; empty if the zone says nothing.
    static func countries(of name: String) -> [String] { known[name] ?? [] }

    private static let known = Dictionary(
        (all + zones(others)).map { ($0.name, $0.countries) }, uniquingKeysWith: { first, _ in first })

    private static func zones(_ table: String) -> [Zone] {
        let words = table.split(whereSeparator: \.isWhitespace).map(String.init)
        return stride(from: 0, to: words.count - 1, by: 2).map { index in
            Zone(name: words[index], countries: words[index + 1].split(separator: ",").map(String.init))
        }
    }

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

    /// The names of `zone.tab` and `backward` that devices still report.
    private static let others = """
        Africa/Accra GH  Africa/Addis_Ababa ET  Africa/Asmara ER  Africa/Asmera ER  Africa/Bamako ML
        Africa/Bangui CF  Africa/Banjul GM  Africa/Blantyre MW  Africa/Brazzaville CG  Africa/Bujumbura BI
        Africa/Conakry GN  Africa/Dakar SN  Africa/Dar_es_Salaam TZ  Africa/Djibouti DJ  Africa/Douala CM
        Africa/Freetown SL  Africa/Gaborone BW  Africa/Harare ZW  Africa/Kampala UG  Africa/Kigali RW
        Africa/Kinshasa CD  Africa/Libreville GA  Africa/Lome TG  Africa/Luanda AO  Africa/Lubumbashi CD
        Africa/Lusaka ZM  Africa/Malabo GQ  Africa/Maseru LS  Africa/Mbabane SZ  Africa/Mogadishu SO
        Africa/Niamey NE  Africa/Nouakchott MR  Africa/Ouagadougou BF  Africa/Porto-Novo BJ  Africa/Timbuktu ML
        America/Anguilla AI  America/Antigua AG  America/Argentina/ComodRivadavia AR  America/Aruba AW
        America/Atikokan CA  America/Atka US  America/Blanc-Sablon CA  America/Buenos_Aires AR  America/Catamarca AR
        America/Cayman KY  America/Coral_Harbour CA  America/Cordoba AR  America/Creston CA  America/Curacao CW
        America/Dominica DM  America/Ensenada MX  America/Fort_Wayne US  America/Godthab GL  America/Grenada GD
        America/Guadeloupe GP  America/Indianapolis US  America/Jujuy AR  America/Knox_IN US  America/Kralendijk BQ
        America/Louisville US  America/Lower_Princes SX  America/Marigot MF  America/Mendoza AR  America/Montreal CA
        America/Montserrat MS  America/Nassau BS  America/Nipigon CA  America/Pangnirtung CA
        America/Port_of_Spain TT  America/Porto_Acre BR  America/Rainy_River CA  America/Rosario AR
        America/Santa_Isabel MX  America/Shiprock US  America/St_Barthelemy BL  America/St_Kitts KN
        America/St_Lucia LC  America/St_Thomas VI  America/St_Vincent VC  America/Thunder_Bay CA  America/Tortola VG
        America/Virgin VI  America/Yellowknife CA  Antarctica/DumontDUrville AQ  Antarctica/McMurdo AQ
        Antarctica/South_Pole AQ  Antarctica/Syowa AQ  Arctic/Longyearbyen SJ  Asia/Aden YE  Asia/Ashkhabad TM
        Asia/Bahrain BH  Asia/Brunei BN  Asia/Calcutta IN  Asia/Choibalsan MN  Asia/Chongqing CN  Asia/Chungking CN
        Asia/Dacca BD  Asia/Harbin CN  Asia/Istanbul TR  Asia/Kashgar CN  Asia/Katmandu NP  Asia/Kuala_Lumpur MY
        Asia/Kuwait KW  Asia/Macao MO  Asia/Muscat OM  Asia/Phnom_Penh KH  Asia/Rangoon MM  Asia/Saigon VN
        Asia/Tel_Aviv IL  Asia/Thimbu BT  Asia/Ujung_Pandang ID  Asia/Ulan_Bator MN  Asia/Vientiane LA
        Atlantic/Faeroe FO  Atlantic/Jan_Mayen SJ  Atlantic/Reykjavik IS  Atlantic/St_Helena SH  Australia/ACT AU
        Australia/Canberra AU  Australia/Currie AU  Australia/LHI AU  Australia/NSW AU  Australia/North AU
        Australia/Queensland AU  Australia/South AU  Australia/Tasmania AU  Australia/Victoria AU  Australia/West AU
        Australia/Yancowinna AU  Brazil/Acre BR  Brazil/DeNoronha BR  Brazil/East BR  Brazil/West BR
        Canada/Atlantic CA  Canada/Central CA  Canada/Eastern CA  Canada/Mountain CA  Canada/Newfoundland CA
        Canada/Pacific CA  Canada/Saskatchewan CA  Canada/Yukon CA  Chile/Continental CL  Chile/EasterIsland CL
        Cuba CU  Egypt EG  Eire IE  Europe/Amsterdam NL  Europe/Belfast GB  Europe/Bratislava SK  Europe/Busingen DE
        Europe/Copenhagen DK  Europe/Guernsey GG  Europe/Isle_of_Man IM  Europe/Jersey JE  Europe/Kiev UA
        Europe/Ljubljana SI  Europe/Luxembourg LU  Europe/Mariehamn AX  Europe/Monaco MC  Europe/Nicosia CY
        Europe/Oslo NO  Europe/Podgorica ME  Europe/San_Marino SM  Europe/Sarajevo BA  Europe/Skopje MK
        Europe/Stockholm SE  Europe/Tiraspol MD  Europe/Uzhgorod UA  Europe/Vaduz LI  Europe/Vatican VA
        Europe/Zagreb HR  Europe/Zaporozhye UA  GB GB  GB-Eire GB  Hongkong HK  Iceland IS  Indian/Antananarivo MG
        Indian/Christmas CX  Indian/Cocos CC  Indian/Comoro KM  Indian/Kerguelen TF  Indian/Mahe SC
        Indian/Mayotte YT  Indian/Reunion RE  Iran IR  Israel IL  Jamaica JM  Japan JP  Kwajalein MH  Libya LY
        Mexico/BajaNorte MX  Mexico/BajaSur MX  Mexico/General MX  NZ NZ  NZ-CHAT NZ  Navajo US  PRC CN
        Pacific/Chuuk FM  Pacific/Enderbury KI  Pacific/Funafuti TV  Pacific/Johnston US  Pacific/Majuro MH
        Pacific/Midway UM  Pacific/Pohnpei FM  Pacific/Ponape FM  Pacific/Saipan MP  Pacific/Samoa AS
        Pacific/Truk FM  Pacific/Wake UM  Pacific/Wallis WF  Pacific/Yap FM  Poland PL  Portugal PT  ROC TW  ROK KR
        Singapore SG  Turkey TR  US/Alaska US  US/Aleutian US  US/Arizona US  US/Central US  US/East-Indiana US
        US/Eastern US  US/Hawaii US  US/Indiana-Starke US  US/Michigan US  US/Mountain US  US/Pacific US
        US/Samoa AS  W-SU RU
        """
}
