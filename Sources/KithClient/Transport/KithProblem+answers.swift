import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension KithProblem.Code {
    /// The server cannot be reached: there is no network, or no answer came in time. No server answers with it.
    public static let unreachable = Self(rawValue: "unreachable")
    /// The answer is not Kith's, such as the page of a hotel's Wi-Fi or of a proxy. No server answers with it.
    public static let notFromKith = Self(rawValue: "not_from_kith")
    /// A check-in that is kept on this device cannot be read. No server answers with it.
    public static let unreadable = Self(rawValue: "unreadable")
    /// A check-in was neither kept on this device nor sent. No server answers with it.
    public static let notKept = Self(rawValue: "not_kept")
    /// The push is for another person than the one who is signed in. No server answers with it.
    public static let otherRecipient = Self(rawValue: "other_recipient")
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
    init?(_ answer: KithAnswer, to accept: String) {
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
    init(_ error: URLError) {
        self.init(
            code: .unreachable, status: nil,
            detail: "No connection to the server. Check your network and try again.", retryable: true,
            retryAfter: nil, requestID: nil, errors: [])
    }

    /// The answer is Kith's, but this library cannot read it.
    init(unreadable answer: KithAnswer) {
        self.init(
            code: .notFromKith, status: answer.status, detail: "The server's answer could not be read.",
            retryable: false, retryAfter: nil, requestID: answer.headers["x-request-id"], errors: [])
    }

    /// A kept check-in cannot be read.
    static let unreadable = KithProblem(
        code: .unreadable, status: nil,
        detail: "A check-in that was kept on this device cannot be read. It is not sent. Please check in again.",
        retryable: false, retryAfter: nil, requestID: nil, errors: [])

    /// The disk takes no check-in, and there is no connection.
    static let notKept = KithProblem(
        code: .notKept, status: nil,
        detail: """
            This device could not keep your check-in, because its storage is full or cannot be written, and there is \
            no connection. Nobody knows of it, and it is not sent later. Check in again when you are connected.
            """,
        retryable: true, retryAfter: nil, requestID: nil, errors: [])

    /// A push is for another person.
    static let otherRecipient = KithProblem(
        code: .otherRecipient, status: nil,
        detail: "This message is for another person than the one who is signed in. Open the app and do it there.",
        retryable: false, retryAfter: nil, requestID: nil, errors: [])

    /// Another process of the app holds the sign-in, such as one that the system has stopped.
    static let busy = KithProblem(
        code: .unreachable, status: nil, detail: "Another part of this app is busy. Please try again.",
        retryable: true, retryAfter: nil, requestID: nil, errors: [])

    /// Nobody is signed in.
    static let signedOut = KithProblem(
        code: Code(rawValue: "unauthenticated"), status: nil, detail: "Sign in to do this.", retryable: false,
        retryAfter: nil, requestID: nil, errors: [])
}

extension KithProblem {
    /// Whether the sign-in has ended.
    var isSignedOut: Bool { code.rawValue == "unauthenticated" }
}

extension URLError {
    /// Whether the request never left this device.
    var wasNotSent: Bool {
        switch code {
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet: true
        default: false
        }
    }
}
