internal import HTTP

/// An answer as it is kept for repeats: status, media type and body.
struct KeptAnswer {
    let response: HTTPResponse
    private let body: [UInt8]

    /// The answer as bytes: a line with the status, a line with the media type, the body.
    var bytes: [UInt8] {
        Array("\(response.status.rawValue)\n\(response.headers["Content-Type"] ?? "")\n".utf8) + body
    }

    /// What is to be kept of an answer; nil for one whose body is made while it is sent.
    init?(_ response: HTTPResponse) {
        guard case .bytes(let body) = response.body else { return nil }
        self.response = response
        self.body = body
    }

    /// The answer that ``bytes`` wrote, marked as a repeat; nil for other bytes.
    init?(repeating bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3, let status = Int(String(decoding: lines[0], as: UTF8.self)) else { return nil }
        var headers: HTTPHeaders = ["Cache-Control": "no-store", "Idempotent-Replayed": "true"]
        if !lines[1].isEmpty { headers.add("Content-Type", String(decoding: lines[1], as: UTF8.self)) }
        body = Array(lines[2])
        response = HTTPResponse(HTTPStatus(rawValue: status), headers: headers, body: body)
    }
}
