internal import CPhoneNumber

/// A phone number to which a text message can be sent, in E.164 form such as `+4915112345678`.
///
/// Numbering plans are libphonenumber's; Debian's updates keep them. A number that its plan does not know is refused: a text to
/// it would reach nobody, or somebody else.
public struct PhoneNumber: Sendable, Hashable {
    /// How many bytes of UTF-8 a text may have.
    public static let longest = 100

    /// The number: a plus, the country code, and the rest, 15 digits at most.
    public let e164: String

    /// Reads a number as somebody wrote it into an address book: in international form, or as it is dialled within `region`.
    ///
    /// Takes about 20 microseconds, the first one of a process some milliseconds. What has more than ``longest`` bytes is refused
    /// unread: the library's time grows with the square of a text's length.
    ///
    /// - Throws: ``PhoneNumberProblem``, why no text can be sent to it.
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

    /// The country whose plan the number belongs to; nil for one of no country, such as a satellite phone's.
    public var region: PhoneRegion? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(kith_phone_region_size)) { buffer in
            kith_phone_region(e164, buffer.baseAddress)
            return buffer.baseAddress.flatMap { PhoneRegion(String(cString: $0)) }
        }
    }
}
