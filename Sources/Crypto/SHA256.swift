internal import COpenSSL

/// Returns the SHA-256 digest (FIPS 180-4) of `bytes`: 32 bytes.
public func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] {
    bytes.withContiguousStorageIfAvailable(digest) ?? Array(bytes).withUnsafeBufferPointer(digest)
}

private func digest(of input: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
        var length: UInt32 = 32
        let done = EVP_Digest(input.baseAddress, input.count, buffer.baseAddress, &length, SHA256Algorithm.fetched, nil)
        precondition(done == 1 && length == 32, "OpenSSL's SHA-256 failed")
        initialized = 32
    }
}

/// An incremental SHA-256 digest.
///
/// Confined to the task that created it, because each piece changes it.
public final class SHA256Digest {
    private let context: OpaquePointer

    /// Creates an empty digest. Stops the program when OpenSSL has no memory left.
    public init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, SHA256Algorithm.fetched, nil) == 1 else {
            preconditionFailure("OpenSSL's SHA-256 failed")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Adds the next piece.
    public func update(_ piece: [UInt8]) {
        precondition(EVP_DigestUpdate(context, piece, piece.count) == 1, "OpenSSL's SHA-256 failed")
    }

    /// Returns the digest of all pieces: 32 bytes. Nothing may be added after that.
    public func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
            var length: UInt32 = 32
            let done = EVP_DigestFinal_ex(context, buffer.baseAddress, &length)
            precondition(done == 1 && length == 32, "OpenSSL's SHA-256 failed")
            initialized = 32
        }
    }
}

/// OpenSSL's implementation of SHA-256, looked up once. With `EVP_sha256()`, each digest would look it up again
/// (crypto(7), "Implicit fetching").
private enum SHA256Algorithm {
    /// `nonisolated(unsafe)`: nobody changes or frees the algorithm, and OpenSSL lets threads share it
    /// (openssl-threads(7)).
    nonisolated(unsafe) static let fetched = EVP_MD_fetch(nil, "SHA256", nil)
}
