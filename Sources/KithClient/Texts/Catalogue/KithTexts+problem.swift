// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “The content arrived damaged. Please try again.”
    public var problemContentDamaged: String { known("problem.content_damaged") }

    /// “The file could not be read, or this device has no room for it.”
    public var problemFile: String { known("problem.file") }

    /// “This was not done. Please try again.”
    public var problemNotDone: String { known("problem.not_done") }

    /// “This device could not keep your check-in, because its storage is full or cannot be written, and there is no connection. Nobody knows of it, and it is not sent later. Check in again when you are connected.”
    public var problemNotKept: String { known("problem.not_kept") }

    /// “This message is for another person than the one who is signed in. Open the app and do it there.”
    public var problemOtherRecipient: String { known("problem.other_recipient") }

    /// “Try again in {count} hours.”
    public func problemRetryHours(count: Int) -> String {
        known("problem.retry.hours", count: count)
    }

    /// “Try again in {count} minutes.”
    public func problemRetryMinutes(count: Int) -> String {
        known("problem.retry.minutes", count: count)
    }

    /// “Try again in {count} seconds.”
    public func problemRetrySeconds(count: Int) -> String {
        known("problem.retry.seconds", count: count)
    }

    /// “You are signed out. Sign in again.”
    public var problemSignedOut: String { known("problem.signed_out") }

    /// “That Did Not Work”
    public var problemTitle: String { known("problem.title") }

    /// “No connection to the server. Check your network and try again.”
    public var problemUnreachable: String { known("problem.unreachable") }

    /// “A check-in that was kept on this device cannot be read. It is not sent. Please check in again.”
    public var problemUnreadable: String { known("problem.unreadable") }
}
