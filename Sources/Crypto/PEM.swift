internal import COpenSSL

/// Text in PEM (RFC 7468), read by OpenSSL.
enum PEM {
    /// Passes the text to `read` as a BIO, and returns the key that it finds; nil for none.
    ///
    /// The BIO points into the text, so the text must stay in place until the BIO is freed. An array passed directly to
    /// `BIO_new_mem_buf` may be gone when that call returns.
    static func key(in text: String, _ read: (OpaquePointer) -> OpaquePointer?) throws(CryptoError) -> OpaquePointer? {
        let result = Array(text.utf8).withUnsafeBytes { bytes -> Result<OpaquePointer?, CryptoError> in
            guard let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                return .failure(.library("BIO_new_mem_buf"))
            }
            defer { BIO_free(memory) }
            return .success(read(memory))
        }
        return try result.get()
    }
}
