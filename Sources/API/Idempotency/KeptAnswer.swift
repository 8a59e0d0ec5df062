internal import HTTP

/// An answer as it is kept for repeats: status, body, and the headers that belong to them.
struct KeptAnswer {
    let response: HTTPResponse
    private let body: [UInt8]

    private static let headers = ["Content-Type", "WWW-Authenticate"]

    /// The answer as bytes: a line with the status, a line for each header, the body.
    var bytes: [UInt8] {
        let lines = [String(response.status.rawValue)] + Self.headers.map { response.headers[$0] ?? "" }
        return Array(lines.map { $0 + "\n" }.joined().utf8) + body
    }

    /// What is to be kept of an answer; nil for one whose body is made while it is sent.
    init?(_ response: HTTPResponse) {
        guard case .bytes(let body) = response.body else { return nil }
        self.response = response
        self.body = body
    }

    /// The answer that ``bytes`` wrote, marked as a repeat; nil for other bytes.
    init?(repeating bytes: [UInt8]) {
        let count = 1 + Self.headers.count
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: count, omittingEmptySubsequences: false)
        guard lines.count == count + 1, let status = Int(String(decoding: lines[0], as: UTF8.self)) else { return nil }
        var headers: HTTPHeaders = ["Cache-Control": "no-store", "Idempotent-Replayed": "true"]
        for (name, value) in zip(Self.headers, lines.dropFirst()) where !value.isEmpty {
            headers.add(name, String(decoding: value, as: UTF8.self))
        }
        body = Array(lines[count])
        response = HTTPResponse(HTTPStatus(rawValue: status), headers: headers, body: body)
    }
}
