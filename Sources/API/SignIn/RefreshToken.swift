internal import Crypto

/// A secret of 256 random bits, good for one use.
struct RefreshToken {
    let text: String

    /// A new one.
    init() {
        text = "kith_rt_" + Base64URL.encode(randomBytes(32))
    }

    /// One that somebody sent.
    init(_ text: String) {
        self.text = text
    }

    /// What the database keeps of it.
    var hash: [UInt8] { sha256(text.utf8) }
}
