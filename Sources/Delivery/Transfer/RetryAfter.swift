internal import Glibc

extension TransferAnswer {
    /// The delay that the other side asks for (RFC 9110 §10.2.3), at most a day; nil when it asks for none.
    var retryAfter: Duration? {
        headers["retry-after"].flatMap { RetryAfter.parse($0, at: Int64(time(nil))) }
    }
}

/// The value of the `Retry-After` header field.
enum RetryAfter {
    private static let longest: Int64 = 86400

    /// The delay that `text` asks for at `now`, in seconds since 1970: a number of seconds, or a date.
    static func parse(_ text: String, at now: Int64) -> Duration? {
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return .seconds(min(Int64(text) ?? longest, longest))
        }
        // The only date format that may still be sent (RFC 9110 §5.6.7).
        let date = /[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT/.asciiOnlyDigits()
        guard let match = text.wholeMatch(of: date), let month = RFC5322Date.months.firstIndex(of: String(match.2))
        else {
            return nil
        }
        var parts = tm()
        parts.tm_mday = Int32(match.1) ?? 0
        parts.tm_mon = Int32(month)
        parts.tm_year = (Int32(match.3) ?? 0) - 1900
        parts.tm_hour = Int32(match.4) ?? 0
        parts.tm_min = Int32(match.5) ?? 0
        parts.tm_sec = Int32(match.6) ?? 0
        return .seconds(min(max(0, Int64(timegm(&parts)) - now), longest))
    }
}
