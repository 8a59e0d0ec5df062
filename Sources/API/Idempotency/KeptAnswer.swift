internal import HTTP
internal import JSON

/// An answer that is kept for repeats: the status, the body and the headers that describe it.
struct KeptAnswer {
    let response: HTTPResponse
    private let body: [UInt8]

    private static let headers = ["Content-Type", "WWW-Authenticate"]

    /// The answer as bytes: one line for the status, one for each header, then the body.
    var bytes: [UInt8] {
        let lines = [String(response.status.rawValue)] + Self.headers.map { response.headers[$0] ?? "" }
        return Array(lines.map { $0 + "\n" }.joined().utf8) + body
    }

    /// The most ids to record for an answer. No answer about people has more.
    private static let mostSubjects = 2000

    /// The ids in the path and the body of `request` and in the answer: the people and things
    /// that the answer may name, and those that the request was about. The lines of an import are not read, since their
    /// results name nobody.
    func subjects(of request: HTTPRequest) -> [String] {
        var ids = request.path.split(separator: "/").map { $0.lowercased() }.filter(Self.isUUID)
        for text in [request.body, body] {
            if let root = try? JSONDocument(text).root { Self.addIDs(of: root, to: &ids) }
        }
        // The path's ids come first, and so are always among the recorded ones: they say which vault the answer is
        // about.
        var seen: Set<String> = []
        return Array(ids.filter { seen.insert($0).inserted }.prefix(Self.mostSubjects))
    }

    private static func addIDs(of value: JSONValue, to ids: inout [String]) {
        if let text = value.string, isUUID(text) { ids.append(text.lowercased()) }
        for element in value.elements { addIDs(of: element, to: &ids) }
        for member in value.members { addIDs(of: member.value, to: &ids) }
    }

    private static func isUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { position, byte in
                [8, 13, 18, 23].contains(position)
                    ? byte == UInt8(ascii: "-") : Character(UnicodeScalar(byte)).isHexDigit
            }
    }

    /// Keeps `response`; nil if its body is streamed.
    init?(_ response: HTTPResponse) {
        guard case .bytes(let body) = response.body else { return nil }
        self.response = response
        self.body = body
    }

    /// Restores an answer from its ``bytes`` and marks it as a repeat; nil if the bytes are invalid.
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
