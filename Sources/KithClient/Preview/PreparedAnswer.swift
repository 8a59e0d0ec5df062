public import Foundation

/// The prepared answer to one call of a client without a server.
public struct PreparedAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: Data
    /// Whether the response stays open after its body, as a stream of events does.
    var staysOpen = false

    /// An answer of JSON, as the server writes it.
    public static func json(_ text: String, status: Int = 200) -> PreparedAnswer {
        PreparedAnswer(status: status, headers: ["content-type": "application/json"], body: Data(text.utf8))
    }

    /// An answer without a body, such as that of most calls that delete something.
    public static let nothing = PreparedAnswer(status: 204, headers: [:], body: Data())

    /// The content of a document.
    public static func content(_ content: Data, type: String = "application/octet-stream") -> PreparedAnswer {
        PreparedAnswer(
            status: 200, headers: ["content-type": type, "content-length": String(content.count)], body: content)
    }

    /// A refusal. `retryAfter` is in seconds.
    public static func problem(
        _ code: KithProblem.Code, status: Int, detail: String, retryAfter: Int? = nil
    ) -> PreparedAnswer {
        struct Document: Encodable {
            let code: String
            let detail: String
            let retryable: Bool
        }
        let document = Document(code: code.rawValue, detail: detail, retryable: retryAfter != nil)
        var headers = ["content-type": "application/problem+json"]
        headers["retry-after"] = retryAfter.map(String.init)
        return PreparedAnswer(status: status, headers: headers, body: (try? JSONEncoder().encode(document)) ?? Data())
    }

    /// A stream of events: each has its type and its data as JSON. The stream stays open after them.
    public static func events(_ events: [(type: String, data: String)]) -> PreparedAnswer {
        var text = ""
        for (number, event) in events.enumerated() {
            let data = event.data.split(whereSeparator: \.isNewline).joined(separator: " ")
            text += "id: preview-\(number + 1)\nevent: \(event.type)\ndata: \(data)\n\n"
        }
        return PreparedAnswer(
            status: 200, headers: ["content-type": "text/event-stream"], body: Data(text.utf8), staysOpen: true)
    }
}
