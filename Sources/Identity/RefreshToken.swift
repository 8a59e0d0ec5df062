package import Crypto

/// A refresh token: a secret of 256 random bits that is valid for one use.
package struct RefreshToken {
    package let text: String

    /// Makes a new token of a tenant.
    package init(tenant: Int) {
        text = "kith_rt_\(tenant)_" + Base64URL.encode(randomBytes(32))
    }

    /// Makes the token of a sign-in by a link: the same again for the same browser, whose secret is `browser`, because
    /// it may send its form twice.
    ///
    /// - Throws: ``CryptoError/invalidKey(_:)`` if no key can be derived.
    package init(of link: SignInLink, browser: String, _ masterKey: MasterKey) throws(CryptoError) {
        let code = try masterKey.derived(for: "sign_in_link_secrets")[0]
            .authenticationCode(for: "\(link.sessionID)\n\(browser)".utf8)
        text = "kith_rt_\(link.tenantID)_" + Base64URL.encode(code)
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

    /// The hash that the database stores.
    package var hash: [UInt8] { sha256(text.utf8) }
}
