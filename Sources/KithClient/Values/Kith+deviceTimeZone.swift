import Foundation

extension Kith {
    /// The name of this device's time zone, for a sender profile.
    ///
    /// It is an IANA name such as `Europe/Berlin`. Machines without a place call theirs `GMT` or `Etc/UTC`, which the
    /// server refuses because most names of that kind follow no place's daylight saving time. For them it is `UTC`.
    public static var deviceTimeZone: String { timeZoneName(of: TimeZone.current.identifier) }

    /// The name by which the server keeps a time zone of the system.
    static func timeZoneName(of identifier: String) -> String {
        namesOfUTC.contains(identifier) ? "UTC" : identifier
    }

    private static let namesOfUTC: Set = [
        "Etc/GMT", "Etc/GMT+0", "Etc/GMT-0", "Etc/GMT0", "Etc/Greenwich", "Etc/UCT", "Etc/UTC", "Etc/Universal",
        "Etc/Zulu", "GMT", "GMT+0", "GMT-0", "GMT0", "Greenwich", "UCT", "Universal", "Zulu",
    ]
}
