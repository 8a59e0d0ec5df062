import Foundation
import Testing

@testable import KithClient

@Suite struct `The name of the device's time zone` {
    @Test(arguments: ["GMT", "Etc/UTC", "Etc/GMT", "Zulu", "UTC"])
    func `is UTC on machines without a place`(identifier: String) {
        #expect(Kith.timeZoneName(of: identifier) == "UTC")
    }

    @Test(arguments: ["Europe/Berlin", "America/Port-au-Prince", "Etc/GMT+5"])
    func `is the system's everywhere else`(identifier: String) {
        #expect(Kith.timeZoneName(of: identifier) == identifier)
    }

    @Test func `is that of the system`() {
        #expect(Kith.deviceTimeZone == Kith.timeZoneName(of: TimeZone.current.identifier))
    }
}
