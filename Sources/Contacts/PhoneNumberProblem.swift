internal import CPhoneNumber

/// Why a text is not a phone number that can receive text messages.
public enum PhoneNumberProblem: String, Error, Sendable, CaseIterable {
    /// The text contains no number.
    case noNumber = "no_number"
    /// The number does not begin with an existing country code, and no region was given.
    case lacksCountry = "lacks_country"
    /// The number has fewer digits than any number of its country.
    case tooShort = "too_short"
    /// The number has more digits than any number of its country.
    case tooLong = "too_long"
    /// No number of its country has this many digits or begins like this, or the area code is missing.
    case notPossible = "not_possible"
    /// It is the number of a service, such as a premium or freephone number, or an extension. No person reads texts
    /// there.
    case takesNoText = "takes_no_text"

    /// The objection to a number, worded to follow a field's name.
    public var objection: String {
        switch self {
        case .noNumber: "is not a phone number"
        case .lacksCountry: "must begin with + and an existing country code, like +49"
        case .tooShort: "is too short for a phone number of its country"
        case .tooLong: "is too long for a phone number of its country"
        case .notPossible: "is not a complete phone number of its country"
        case .takesNoText: "must be a phone number that receives text messages"
        }
    }

    /// Converts a verdict; nil for a usable number.
    init?(_ verdict: kith_phone_verdict) {
        switch verdict {
        case kith_phone_is_usable: return nil
        case kith_phone_lacks_country: self = .lacksCountry
        case kith_phone_is_too_short: self = .tooShort
        case kith_phone_is_too_long: self = .tooLong
        case kith_phone_is_not_possible: self = .notPossible
        case kith_phone_takes_no_text: self = .takesNoText
        default: self = .noNumber
        }
    }
}
