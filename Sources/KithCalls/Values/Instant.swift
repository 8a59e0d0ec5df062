package import Foundation

/// Instants in the form of RFC 3339, read and written without Foundation's date formats.
package enum Instant {
    /// The instant of a text such as `2026-11-21T09:00:00.123456Z`; nil if it is none.
    package static func date(_ text: String) -> Date? {
        var text = text
        return text.withUTF8 { bytes -> Date? in
            guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
                bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
                let year = decimal(bytes[0..<4]), let month = decimal(bytes[5..<7]), let day = decimal(bytes[8..<10]),
                let hour = decimal(bytes[11..<13]), let minute = decimal(bytes[14..<16]),
                let second = decimal(bytes[17..<19]), hour < 24, minute < 60, second <= 60,
                let date = Kith.LocalDate(year: year, month: month, day: day)
            else { return nil }
            var position = 19
            var fraction = 0.0
            if bytes[position] == UInt8(ascii: ".") {
                position += 1
                var (digits, scale) = (0, 1)
                while position < bytes.count, let digit = decimal(bytes[position...position]) {
                    if scale < 1_000_000_000 { (digits, scale) = (digits * 10 + digit, scale * 10) }
                    position += 1
                }
                guard scale > 1 else { return nil }
                fraction = Double(digits) / Double(scale)
            }
            guard let offset = offset(bytes[position...]) else { return nil }
            let seconds = date.daysSince1970 * 86400 + hour * 3600 + minute * 60 + second - offset
            // Date counts from 2001. Adding the fraction last keeps the microseconds.
            return Date(timeIntervalSinceReferenceDate: Double(seconds - 978_307_200) + fraction)
        }
    }

    /// The text of `date`, in UTC and to the microsecond.
    package static func text(_ date: Date) -> String {
        let microseconds = Int((date.timeIntervalSinceReferenceDate * 1_000_000).rounded())
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let fraction = rest < 0 ? rest + 1_000_000 : rest
        let whole = (rest < 0 ? seconds - 1 : seconds) + 978_307_200
        let days = whole >= 0 ? whole / 86400 : (whole - 86399) / 86400
        let second = whole - days * 86400
        let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, to: 2) }.joined(separator: ":")
        let time = "\(Kith.LocalDate(daysSince1970: days))T\(clock)"
        return fraction == 0 ? "\(time)Z" : "\(time).\(padded(fraction, to: 6))Z"
    }

    /// The seconds by which a zone such as `Z` or `+01:00` is ahead of UTC; nil if it is none.
    private static func offset(_ zone: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let start = zone.startIndex
        if zone.count == 1 { return zone[start] | 0x20 == UInt8(ascii: "z") ? 0 : nil }
        guard zone.count == 6, zone[start + 3] == UInt8(ascii: ":"), let hours = decimal(zone[start + 1..<start + 3]),
            let minutes = decimal(zone[start + 4..<start + 6])
        else { return nil }
        switch zone[start] {
        case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3600 + minutes * 60)
        default: return nil
        }
    }
}

/// The number that ASCII `digits` show; nil if another character is among them, or none.
func decimal(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty else { return nil }
    var number = 0
    for digit in digits {
        guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
        number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number
}

/// `number` with zeros before it, so that it has at least `width` digits.
func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
