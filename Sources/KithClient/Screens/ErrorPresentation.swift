import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a screen shows a refusal.
public struct ErrorPresentation: Sendable, Hashable {
    /// Where a screen shows it.
    public enum Style: Sendable, Hashable {
        /// In red beside the field that it is about.
        case inline
        /// In an alert.
        case alert
    }

    /// Where to show it.
    public private(set) var style: Style
    /// The title of an alert.
    public private(set) var title: String
    /// What to say, in the server's words wherever it has answered.
    public private(set) var text: String
    /// When to try again, as a sentence; nil if the server does not say so.
    public let retry: String?
    /// The code of the refusal; nil for input that the screen itself does not accept.
    public let code: KithProblem.Code?

    /// What VoiceOver reads out: the text, and when to try again.
    public var announcement: String { retry.map { "\(text) \($0)" } ?? text }

    /// What the device lets the person feel.
    public var haptic: Haptic { .error }

    /// Creates the presentation of input that a screen does not accept. It stands beside the field.
    public init(invalid text: String, texts: KithTexts = .preferred()) {
        (style, title, self.text, retry, code) = (.inline, texts.problemTitle, text, nil, nil)
    }

    /// Creates the presentation of a refusal.
    ///
    /// A code that does not exist and input that is not valid stand beside the field, everything else in an alert. What
    /// the library itself says has the catalogue's words, and so has an error of the file system or of another type.
    /// What the server has said has the server's, and a preview's `not_prepared` names the call.
    public init(_ error: any Error, texts: KithTexts = .preferred()) {
        let problem = error as? KithProblem
        let isAboutField = problem?.code.rawValue == "invalid_code" || problem?.code.rawValue == "validation_failed"
        style = isAboutField ? .inline : .alert
        title = texts.problemTitle
        code = problem?.code
        if let words = problem.flatMap({ Self.words(for: $0, texts) }) {
            text = words
        } else if let problem, !problem.detail.isEmpty {
            text =
                problem.errors.count == 1 && problem.code.rawValue == "validation_failed"
                ? problem.errors[0].message : problem.detail
        } else {
            text = Self.words(for: error, texts)
        }
        retry = problem?.retryAfter.map { Self.retry(after: $0, texts) }
    }

    /// The words for an error that is not of the library's.
    private static func words(for error: any Error, _ texts: KithTexts) -> String {
        switch error {
        case is URLError: texts.problemUnreachable
        case is CocoaError, is POSIXError, is FileStorage.Failure: texts.problemFile
        default: texts.problemNotDone
        }
    }

    /// The catalogue's words for what the library itself says; nil for what the server has said.
    private static func words(for problem: KithProblem, _ texts: KithTexts) -> String? {
        guard problem.status == nil else { return nil }
        if problem.isSignedOut { return texts.problemSignedOut }
        switch problem.code {
        case .unreachable: return texts.problemUnreachable
        case .notKept: return texts.problemNotKept
        case .unreadable: return texts.problemUnreadable
        case .otherRecipient: return texts.problemOtherRecipient
        case KithProblem.contentDamaged.code: return texts.problemContentDamaged
        default: return nil
        }
    }

    /// Creates the presentation of a call for help that has not been sent. Its first words are that nobody has been
    /// told, and whom to call (``Kith/emergencyCall``); why comes after them.
    public init(unsentHelp error: any Error, texts: KithTexts = .preferred()) {
        self.init(error, texts: texts)
        (style, title) = (.alert, texts.alarmCallUnsentTitle)
        text = "\(texts.alarmCallUnsent(number: Kith.emergencyNumber)) \(text)"
    }

    /// Seconds below two minutes, then minutes below two hours, then hours, each rounded up: nobody is sent back too
    /// early.
    private static func retry(after seconds: TimeInterval, _ texts: KithTexts) -> String {
        let seconds = max(1, Int(min(seconds, 1e9).rounded(.up)))
        if seconds < 120 { return texts.problemRetrySeconds(count: seconds) }
        if seconds <= 7200 - 60 { return texts.problemRetryMinutes(count: (seconds + 59) / 60) }
        return texts.problemRetryHours(count: (seconds + 3599) / 3600)
    }
}
