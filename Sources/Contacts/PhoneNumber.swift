internal import CPhoneNumber

/// A phone number that can receive text messages, in E.164 form such as `+4915112345678`.
///
/// libphonenumber knows the numbering plans, and Debian's updates keep them current. A number that no plan can contain
/// is refused, and so is one that its plan gives to a service. Every number that enters Kith passes here before
/// anything counts or compares it, so each number has one form (decision 8).
public struct PhoneNumber: Sendable, Hashable {
    /// The most bytes of UTF-8 that a text may have.
    public static let longest = 100

    /// The number: a plus sign, the country code, and the rest, at most 15 digits.
    public let e164: String

    /// Reads a number as it appears in an address book: in international form, or as it is dialled within `region`.
    ///
    /// The international form begins with a plus sign or, where no region is given, with 00. Spaces, punctuation,
    /// digits of other scripts, a trunk prefix in brackets and the form of a `tel:` URI (RFC 3966) are understood. The
    /// result reads as itself.
    ///
    /// It takes about 20 microseconds, and some milliseconds the first time in a process. A text of more than
    /// ``longest`` bytes is refused unread, because the library's time grows with the square of the length.
    ///
    /// - Throws: ``PhoneNumberProblem``, the reason why the number cannot receive texts.
    public init(_ text: String, region: PhoneRegion? = nil) throws(PhoneNumberProblem) {
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        var verdict = kith_phone_is_no_number
        e164 = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(kith_phone_size)) { buffer in
            buffer.initialize(repeating: 0)
            verdict = kith_phone_parse(text, text.utf8.count, region?.code ?? "", buffer.baseAddress)
            return buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        if let problem = PhoneNumberProblem(verdict) { throw problem }
    }

    /// The country whose plan the number belongs to; nil for a number without a country, such as a satellite phone's.
    public var region: PhoneRegion? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(kith_phone_region_size)) { buffer in
            kith_phone_region(e164, buffer.baseAddress)
            return buffer.baseAddress.flatMap { PhoneRegion(String(cString: $0)) }
        }
    }
}
