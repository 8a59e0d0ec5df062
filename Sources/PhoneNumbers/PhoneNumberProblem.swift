internal import CPhoneNumber

/// Why a text is no phone number that a text message can be sent to.
public enum PhoneNumberProblem: String, Error, Sendable, CaseIterable {
    /// There is no number in it.
    case noNumber = "no_number"
    /// It does not begin with a country code that exists, and no region was given in whose form it could be read.
    case lacksCountry = "lacks_country"
    /// It has fewer digits than any number of its country.
    case tooShort = "too_short"
    /// It has more digits than any number of its country.
    case tooLong = "too_long"
    /// No number of its country has so many digits, or the area code is missing.
    case notPossible = "not_possible"
    /// Its country has not given out such numbers.
    case notInUse = "not_in_use"
    /// It is a premium, freephone or other service's number, or an extension: no person reads texts there.
    case takesNoText = "takes_no_text"

    /// The problem that a verdict is; nil for a number that is usable.
    init?(_ verdict: kith_phone_verdict) {
        switch verdict {
        case kith_phone_is_usable: return nil
        case kith_phone_lacks_country: self = .lacksCountry
        case kith_phone_is_too_short: self = .tooShort
        case kith_phone_is_too_long: self = .tooLong
        case kith_phone_is_not_possible: self = .notPossible
        case kith_phone_is_not_in_use: self = .notInUse
        case kith_phone_takes_no_text: self = .takesNoText
        default: self = .noNumber
        }
    }
}
