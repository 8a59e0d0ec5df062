internal import Dates
internal import Glibc

/// The value of the field `Date` of responses (RFC 9110 §6.6.1). It is written once a second, not for every response.
struct DateField {
    private var second: time_t?
    private var text = ""

    /// Returns the value for the current second of the machine's clock.
    mutating func now() -> String {
        let now = time(nil)
        if now != second {
            second = now
            text = ProtocolDate.http(Int64(now))
        }
        return text
    }
}
