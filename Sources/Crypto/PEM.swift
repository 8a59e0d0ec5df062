internal import COpenSSL

/// Text in PEM (RFC 7468), as OpenSSL reads it.
enum PEM {
    /// Gives `read` the text as a BIO, and takes the key that it finds; nil for none.
    ///
    /// The BIO points into the text, so the text must stay where it is until the BIO is freed: an array handed to
    /// `BIO_new_mem_buf` alone may be gone when that call returns.
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
