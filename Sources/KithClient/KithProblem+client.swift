extension KithProblem.Code {
    /// A check-in that is kept on this device cannot be read. No server answers with it.
    public static let unreadable = Self(rawValue: "unreadable")
    /// A check-in was neither kept on this device nor sent. No server answers with it.
    public static let notKept = Self(rawValue: "not_kept")
    /// The push is for another person than the one who is signed in. No server answers with it.
    public static let otherRecipient = Self(rawValue: "other_recipient")
}

extension KithProblem {
    /// Whether the server refuses a member of the request's body, or something within it.
    func isAbout(_ member: String) -> Bool {
        errors.contains { $0.field == member || $0.field.hasPrefix("\(member).") }
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
