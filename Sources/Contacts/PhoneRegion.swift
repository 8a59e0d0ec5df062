internal import CPhoneNumber

/// A country with a numbering plan, by its two-letter code (ISO 3166-1 alpha-2).
public struct PhoneRegion: Sendable, Hashable {
    /// The two letters, in upper case.
    public let code: String

    /// The country of a two-letter code in either case; nil when there is no such plan.
    public init?(_ code: String) {
        let code = code.uppercased()
        guard code.utf8.count == 2, kith_phone_knows_region(code) != 0 else { return nil }
        self.code = code
    }

    /// The country in a language tag such as `de-DE` or `zh_Hant_TW` (RFC 5646); nil when the tag names none.
    public init?(languageTag tag: String) {
        // A single letter starts an extension, in which a two-letter subtag is not a country.
        let subtags = tag.split { $0 == "-" || $0 == "_" }.dropFirst().prefix { $0.utf8.count > 1 }
        guard let region = subtags.first(where: { $0.utf8.count == 2 }) else { return nil }
        self.init(String(region))
    }

    /// All countries with a numbering plan, by their letters.
    public static let all: [PhoneRegion] = withUnsafeTemporaryAllocation(
        of: CChar.self, capacity: Int(kith_phone_regions_size)
    ) { buffer in
        guard let start = buffer.baseAddress else { return [] }
        kith_phone_regions(start)
        let letters = Array(String(cString: start))
        return stride(from: 0, to: letters.count - 1, by: 2).compactMap { PhoneRegion(String(letters[$0...$0 + 1])) }
    }

    /// The country's calling code, such as 49.
    public var callingCode: Int { Int(kith_phone_calling_code(code)) }
}
