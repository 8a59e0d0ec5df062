internal import CCurl

/// A URL as libcurl parses it. Another parser could take a different part of it for the host.
struct URLParts {
    let scheme: String
    let host: String
    /// The port as written; nil for the scheme's default.
    let port: String?
    let hasUser: Bool
    let hasFragment: Bool

    init?(_ url: String) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), url.utf8.count <= 8000, let handle = curl_url() else {
            return nil
        }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK else {
            return nil
        }
        func part(_ part: CURLUPart) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
            defer { curl_free(text) }
            return String(cString: text)
        }
        guard let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST) else { return nil }
        self.scheme = scheme.lowercased()
        self.host = host
        port = part(CURLUPART_PORT)
        hasFragment = part(CURLUPART_FRAGMENT) != nil || url.utf8.contains(UInt8(ascii: "#"))
        hasUser = part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil
    }
}
