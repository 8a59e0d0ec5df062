public import Foundation
import KithCountries

extension Kith {
    /// The emergency number of the country that the device's time zone names, or else its region. It is 112 where that
    /// is not known: every mobile phone reaches help by it, also without a card (3GPP TS 22.101, 10.1.1).
    public static var emergencyNumber: String {
        EmergencyNumber.of(zone: TimeZone.current.identifier, region: Locale.current.region?.identifier)
    }

    /// The link that calls ``emergencyNumber``.
    public static var emergencyCall: URL? { URL(string: "tel:\(emergencyNumber)") }
}
