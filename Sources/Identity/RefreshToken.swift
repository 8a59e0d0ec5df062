package import Crypto

/// A refresh token: a secret of 256 random bits. An app's is valid for one use. A browser's is not exchanged (decision
/// 42), begins differently, and is valid in a cookie alone.
package struct RefreshToken {
    package let text: String

    private static let ofApp = "kith_rt_"
    private static let ofBrowser = "kith_bs_"

    /// Makes a new token of a tenant, for an app or for a browser.
    package init(tenant: Int, forBrowser isForBrowser: Bool = false) {
        text = (isForBrowser ? Self.ofBrowser : Self.ofApp) + "\(tenant)_" + Base64URL.encode(randomBytes(32))
    }

    /// Makes the token of a browser's sign-in with that id: the same again for the same browser, whose secret is
    /// `browser`, because it may send its form twice.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` if no key can be derived.
    package init(tenant: Int, session: String, browser: String, _ masterKey: MasterKey) throws(CryptoError) {
        let code = try masterKey.derived(for: "browser_secrets")[0]
            .authenticationCode(for: "\(session)\n\(browser)".utf8)
        text = "\(Self.ofBrowser)\(tenant)_" + Base64URL.encode(code)
    }

    /// Makes the successor of a token. The database says only later whose it is.
    init(after given: RefreshToken) {
        let number = TenantNumber.of(given.text).map { "\($0)_" } ?? ""
        text = "kith_rt_\(number)" + Base64URL.encode(randomBytes(32))
    }

    /// A token that a client sent.
    init(_ text: String) {
        self.text = text
    }

    /// Whether the token is a browser's.
    var isOfBrowser: Bool { text.hasPrefix(Self.ofBrowser) }

    /// The hash that the database stores.
    package var hash: [UInt8] { sha256(text.utf8) }
}
