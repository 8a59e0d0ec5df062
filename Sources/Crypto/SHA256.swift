internal import COpenSSL

/// The SHA-256 digest (FIPS 180-4) of `bytes`: 32 bytes.
public func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let input = Array(bytes)
    return [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
        var length: UInt32 = 32
        let done = EVP_Digest(input, input.count, buffer.baseAddress, &length, EVP_sha256(), nil)
        precondition(done == 1 && length == 32, "OpenSSL's SHA-256 failed")
        initialized = 32
    }
}
