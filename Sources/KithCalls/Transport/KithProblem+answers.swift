package import Foundation

extension KithProblem.Code {
    /// The server cannot be reached: there is no network, or no answer came in time. No server answers with it.
    public static let unreachable = Self(rawValue: "unreachable")
    /// The answer is not Kith's, such as the page of a hotel's Wi-Fi or of a proxy. No server answers with it.
    public static let notFromKith = Self(rawValue: "not_from_kith")
}

extension KithProblem {
    /// A refusal in Kith's own form (RFC 9457).
    private struct Document: Decodable {
        let code: String
        let detail: String
        let retryable: Bool
        let request_id: String?
        let errors: [FieldError]?
    }

    /// The refusal in an answer; nil if the answer is none.
    ///
    /// An answer that is no problem document keeps its status. If it is a page although the call asked for something
    /// else, it comes from somebody between this device and the server.
    package init?(_ answer: KithAnswer, to accept: String) {
        let type = answer.headers["content-type"] ?? ""
        let isPage = type.hasPrefix("text/html") && accept != "text/html"
        if (200..<300).contains(answer.status) || answer.status == 304, !isPage { return nil }
        let retryAfter = answer.headers["retry-after"].flatMap(Self.retryAfter)
        if type.hasPrefix("application/problem+json"),
            let document = try? JSONDecoder().decode(Document.self, from: answer.body)
        {
            self.init(
                code: Code(rawValue: document.code), status: answer.status, detail: document.detail,
                retryable: document.retryable, retryAfter: retryAfter, requestID: document.request_id,
                errors: document.errors ?? [])
        } else {
            self.init(
                code: .notFromKith, status: answer.status,
                detail: "The server cannot be reached over this network. Please try again later.",
                retryable: isPage || [408, 425, 429].contains(answer.status) || (300..<400).contains(answer.status)
                    || answer.status >= 500,
                retryAfter: retryAfter, requestID: answer.headers["x-request-id"], errors: [])
        }
    }

    /// The seconds of a field `Retry-After`, at most an hour; nil if it is no number.
    private static func retryAfter(_ text: String) -> TimeInterval? {
        TimeInterval(text).flatMap { $0.isFinite ? min(max($0, 0), 3600) : nil }
    }

    /// No answer came.
    package init(_ error: URLError) {
        self.init(
            code: .unreachable, status: nil,
            detail: "No connection to the server. Check your network and try again.", retryable: true,
            retryAfter: nil, requestID: nil, errors: [])
    }

    /// The answer is Kith's, but this library cannot read it.
    package init(unreadable answer: KithAnswer) {
        self.init(
            code: .notFromKith, status: answer.status, detail: "The server's answer could not be read.",
            retryable: false, retryAfter: nil, requestID: answer.headers["x-request-id"], errors: [])
    }
}

extension URLError {
    /// Whether the request never left this device.
    package var wasNotSent: Bool {
        switch code {
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet: true
        default: false
        }
    }
}
