/// The last reply of an SMTP server about a mail, and the step that it answers.
///
/// It leaves out the reply's text, because servers quote addresses in it.
public struct MailReply: Sendable, Equatable {
    /// The steps of a session between which a refusal's meaning differs.
    public enum Step: Sendable {
        /// The greeting, encryption, sign-in and sender: the steps that do not depend on this one mail.
        case session
        /// The recipient.
        case recipient
        /// The content of the mail.
        case content
    }

    /// The step that the reply answers.
    public let step: Step
    /// The reply code (RFC 5321 §4.2).
    public let code: Int
    /// The enhanced status code (RFC 3463), such as 5.1.1, if there is one.
    public let status: String?
    /// The id of an accepted mail in the server's queue, if the server reports it in the usual form.
    public let queueID: String?

    /// Reads the last line of a reply; nil when it is not one.
    init?(_ line: some StringProtocol, step: Step) {
        let words = line.split(whereSeparator: \.isWhitespace)
        guard let first = words.first, first.utf8.count == 3, let code = Int(first) else { return nil }
        self.step = step
        self.code = code
        status = words.dropFirst().first.flatMap { Self.isStatus($0) ? String($0) : nil }
        // The form is «250 2.0.0 Ok: queued as 4XyZ12», which Postfix introduced and many servers use.
        queueID = words.indices.dropFirst(2).first { words[$0 - 2] == "queued" && words[$0 - 1] == "as" }
            .map { String(words[$0].prefix(100)) }
    }

    /// The reply's codes, for an operator.
    var description: String { status.map { "\(code) \($0)" } ?? "\(code)" }

    private static func isStatus(_ word: some StringProtocol) -> Bool {
        let numbers = word.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 3 && numbers.allSatisfy { 1...3 ~= $0.utf8.count && Int($0) != nil }
    }
}
