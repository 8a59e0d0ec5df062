internal import COpenSSL

/// When certificates end.
public enum CertificateEnd {
    /// Returns the earliest end of the certificates in a text in PEM, in seconds since 1970; nil without a certificate.
    public static func earliest(inPEM text: String) -> Int64? {
        Array(text.utf8).withUnsafeBytes { bytes -> Int64? in
            guard let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(memory) }
            let end = kith_end_of_certificates(memory)
            return end == .max ? nil : end
        }
    }
}
