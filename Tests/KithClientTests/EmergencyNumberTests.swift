import Foundation
import KithClient
import KithCountries
import Testing

@Suite struct `The emergency number` {
    @Test(arguments: [
        ("Europe/Vienna", nil, "112"), ("America/New_York", nil, "911"), ("US/Pacific", nil, "911"),
        ("America/Indianapolis", nil, "911"), ("America/Montreal", nil, "911"), ("Europe/London", nil, "999"),
        ("Europe/Jersey", nil, "999"), ("Australia/Canberra", nil, "000"), ("Asia/Tokyo", nil, "119"),
        ("Pacific/Auckland", "NZ", "111"), ("America/Sao_Paulo", "DE", "192"), ("Asia/Singapore", "MY", "999"),
        ("Asia/Singapore", nil, "995"), ("UTC", nil, "112"), ("GMT", "US", "911"), ("Nowhere/Else", "ZZ", "112"),
        ("", nil, "112"), ("Asia/Calcutta", "US", "112"),
    ])
    func `is that of the zone's country, or else of the device's region`(
        zone: String, region: String?, number: String
    ) {
        #expect(EmergencyNumber.of(zone: zone, region: region) == number)
    }

    @Test func `of this device is a number, and a link that calls it`() {
        #expect(EmergencyNumber.known(Kith.emergencyNumber) != nil)
        #expect(Kith.emergencyCall?.absoluteString == "tel:\(Kith.emergencyNumber)")
    }
}
