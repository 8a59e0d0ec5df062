internal import COpenSSL

/// Returns `count` bytes from OpenSSL's cryptographically secure generator.
///
/// Stops the program when the generator fails, because nothing after that could be secret.
public func randomBytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        precondition(RAND_bytes(buffer.baseAddress, Int32(count)) == 1, "OpenSSL's random generator failed")
        initialized = count
    }
}
