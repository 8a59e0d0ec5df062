internal import CCurl
internal import Crypto
internal import Glibc

/// The certificate of a server, as anybody who connects to it gets it.
public enum ServerCertificate {
    /// Connects to the server of an https URL, sends nothing, and returns the earliest end of the certificates that it
    /// shows, in seconds since 1970. It accepts every certificate, also one that has ended, and blocks the thread for
    /// at most `seconds`.
    ///
    /// - Throws: ``TransferError`` when the server cannot be reached, or shows no certificate.
    public static func end(at url: String, within seconds: Int = 3) throws(TransferError) -> Int64 {
        _ = Transfers.library
        guard let handle = curl_easy_init() else { throw TransferError("libcurl has no memory") }
        defer { curl_easy_cleanup(handle) }
        for (option, value) in [
            (CURLOPT_CONNECT_ONLY, 1), (CURLOPT_CERTINFO, 1), (CURLOPT_SSL_VERIFYPEER, 0),
            (CURLOPT_SSL_VERIFYHOST, 0), (CURLOPT_TIMEOUT, seconds), (CURLOPT_NOSIGNAL, 1),
        ] {
            guard curl_set_number(handle, option, value) == CURLE_OK else {
                throw TransferError("libcurl does not know an option")
            }
        }
        guard curl_set_text(handle, CURLOPT_URL, url) == CURLE_OK,
            // A proxy of the environment would show its own.
            curl_set_text(handle, CURLOPT_PROXY, "") == CURLE_OK
        else { throw TransferError("the address is invalid") }
        let code = curl_easy_perform(handle)
        guard code == CURLE_OK else { throw TransferError(String(cString: curl_easy_strerror(code))) }
        guard let text = curl_certificates(handle) else { throw TransferError("the server shows no certificate") }
        defer { free(text) }
        guard let end = CertificateEnd.earliest(inPEM: String(cString: text)) else {
            throw TransferError("the server shows no certificate that can be read")
        }
        return end
    }
}
