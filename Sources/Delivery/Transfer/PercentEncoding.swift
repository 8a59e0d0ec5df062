internal import CCurl

/// Percent-encoding for text in a URL or a form.
enum PercentEncoding {
    /// Encodes all characters of `text` but the unreserved ones (RFC 3986 §2.3). Forms accept the same encoding.
    static func encode(_ text: String) -> String {
        guard let encoded = curl_easy_escape(nil, text, Int32(clamping: text.utf8.count)) else {
            preconditionFailure("libcurl: no memory")
        }
        defer { curl_free(encoded) }
        return String(cString: encoded)
    }
}
