internal import Texts

extension LocalTime {
    /// A local time as the procedures of pages without a sign-in give it, such as `2026-03-09T09:02`; nil for any other
    /// text.
    init?(page text: String?) {
        guard let parts = text?.split(separator: "T"), parts.count == 2, let date = CalendarDate(parts[0]) else {
            return nil
        }
        let time = parts[1].split(separator: ":").map { Int($0) }
        guard time.count == 2, let hour = time[0], let minute = time[1] else { return nil }
        self.init(date: date, hour: hour, minute: minute)
    }
}
