// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
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
}
