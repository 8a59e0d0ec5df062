internal import Dates

/// The value of the field `Date` of responses (RFC 9110 §6.6.1). It is written once a second, not for every response.
struct DateField {
    private var second: Int64?
    private var text = ""

    /// Returns the value at an instant, in seconds since 1970.
    mutating func value(at second: Int64) -> String {
        if second != self.second {
            self.second = second
            text = ProtocolDate.http(second)
        }
        return text
    }
}
