package import JSON

/// What decides the words of an answer besides the request itself: the caller's language, and what the tenant has set.
package struct Wording: Sendable, Equatable {
    package let tenantID: Int
    /// The user's language (BCP 47); nil for other callers.
    package let locale: String?
    /// The tenant's language for people whose own language Kith does not have; nil for English.
    package let defaultLocale: String?
    /// When the tenant last changed its own words, in microseconds since 1970; nil if it has none.
    package let textsChangedAt: Int?

    /// Reads what `internal.wording` says of a tenant. Nil if everything is left at English, as for most callers.
    ///
    /// - Parameters:
    ///   - facts: The answer of `internal.wording`, which is null for a tenant that has set nothing.
    ///   - tenantID: The tenant.
    ///   - locale: The user's language.
    package init?(_ facts: JSONValue?, tenantID: Int, locale: String? = nil) {
        self.tenantID = tenantID
        self.locale = locale
        defaultLocale = facts?["default_locale"]?.string
        textsChangedAt = facts?["texts_changed_at"]?.integer
        if (locale ?? "en") == "en" && defaultLocale == nil && textsChangedAt == nil { return nil }
    }
}
