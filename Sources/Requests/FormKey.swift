package import Crypto

/// Identifies a form of a page in one browser, so that what it asks for is done once, however often it is sent.
package struct FormKey: Sendable {
    /// When the page was made, in microseconds since 1970.
    private let madeAt: Int64
    private let text: String
    /// The secret of the browser.
    package let browser: String

    /// How long a page may be open, in microseconds. An older form is a new one each time.
    private static let life: Int64 = 86_400_000_000

    /// Reads the key in a form that was sent at `now`; nil if no page made it. `browser` is a secret of the browser.
    package init?(_ key: String, browser: String, at now: Int64) {
        guard let madeAt = UUID7.instant(of: key), (now - Self.life...now).contains(madeAt) else { return nil }
        self.madeAt = madeAt
        self.browser = browser
        text = "\(browser)\n\(key)"
    }

    /// The id for what the form asks for about `subject`: each time the same, and nobody else can know it.
    ///
    /// - Throws: ``CryptoError`` if the key cannot be derived.
    package func id(for subject: String, with masterKey: MasterKey) throws(CryptoError) -> String {
        let key = try masterKey.derived(for: "form_keys")[0]
        return UUID7.make(at: madeAt, random: [UInt8](key.authenticationCode(for: "\(text)\n\(subject)".utf8)))
    }
}
