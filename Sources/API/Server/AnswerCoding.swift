internal import Compression
internal import HTTP
internal import OpenAPI

/// Compresses answers for clients that accept gzip (RFC 9110 §8.4, §12.5.3).
///
/// The length of a compressed answer tells something about its content. Whoever can add guesses to an answer and watch
/// its length can find a secret in it byte by byte (the attack BREACH), so an answer that holds a secret stays as it
/// is. So do documents' contents, which have versions and ranges, event streams, and answers that are sent while they
/// are made.
struct AnswerCoding {
    /// The smallest body to compress: what fits into one packet arrives no sooner when it is shorter.
    static let smallest = 1200
    /// The largest body to compress for each request. The loop compresses 10 µs for each KiB, and others wait
    /// meanwhile.
    static let largest = 256 << 10

    /// The compressed forms of large pages that are the same for everybody, by path.
    private var kept: [String: (source: [UInt8], coded: [UInt8])] = [:]

    /// Compresses the body of `response` if it pays and the client accepts it. Without a route, the response is a
    /// refusal.
    mutating func encode(_ response: inout HTTPResponse, to request: HTTPRequest, for endpoint: Endpoint?) {
        guard case .bytes(let bytes) = response.body, bytes.count >= Self.smallest,
            endpoint?.answerHoldsSecret != true, response.headers["ETag"] == nil,
            response.headers["Content-Encoding"] == nil,
            Self.isText(response.headers["Content-Type"] ?? "")
        else { return }
        response.headers.add("Vary", "Accept-Encoding")
        guard Self.accepts(request.headers.list("Accept-Encoding")) else { return }
        guard let coded = coded(bytes, of: endpoint), coded.count < bytes.count else { return }
        response.headers.add("Content-Encoding", "gzip")
        response.body = .bytes(coded)
    }

    private mutating func coded(_ bytes: [UInt8], of endpoint: Endpoint?) -> [UInt8]? {
        if bytes.count <= Self.largest { return Gzip.compressed(bytes) }
        guard let endpoint, case .resource(_, let parameters) = endpoint.work, parameters.isEmpty else { return nil }
        if let known = kept[endpoint.path], known.source == bytes { return known.coded }
        guard let coded = Gzip.compressed(bytes) else { return nil }
        kept[endpoint.path] = (bytes, coded)
        return coded
    }

    private static func isText(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" }
        return name.hasPrefix("text/") && name != "text/event-stream" || name == "application/json"
            || name.hasSuffix("+json") || name == "application/javascript" || name == "image/svg+xml"
    }

    /// Whether a client with these `Accept-Encoding` fields takes gzip. A client without any gets the body as it is.
    static func accepts(_ header: String?) -> Bool {
        guard let header else { return false }
        var any: Bool?
        for element in header.lowercased().split(separator: ",", maxSplits: 50).prefix(50) {
            let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            let isAccepted = weight.map { (Double($0) ?? 0) > 0 } ?? true
            switch parts.first {
            case "gzip", "x-gzip": return isAccepted
            case "*": any = isAccepted
            default: break
            }
        }
        return any ?? false
    }
}
