internal import Crypto

/// A refresh token: a secret of 256 random bits that is valid for one use.
package struct RefreshToken {
    package let text: String

    /// Makes a new token.
    package init() {
        text = "kith_rt_" + Base64URL.encode(randomBytes(32))
    }

    /// A token that a client sent.
    init(_ text: String) {
        self.text = text
    }

    /// The hash that the database stores.
    package var hash: [UInt8] { sha256(text.utf8) }
}
