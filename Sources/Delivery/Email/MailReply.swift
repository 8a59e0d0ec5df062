/// The last thing that an SMTP server said about a mail: a reply code, and what it answers.
///
/// The text of a reply stays out: servers quote addresses in it.
public struct MailReply: Sendable, Equatable {
    /// The steps of a session that a refusal is told apart by.
    public enum Step: Sendable {
        /// Greeting, encryption, signing in, and the sender: nothing that this one mail could change.
        case session
        /// The recipient.
        case recipient
        /// The mail itself.
        case content
    }

    /// What was answered.
    public let step: Step
    /// The reply code (RFC 5321 §4.2).
    public let code: Int
    /// The enhanced status code (RFC 3463), such as 5.1.1, where there is one.
    public let status: String?
    /// What the server calls a mail that it took, as far as it says so in the usual way.
    public let queueID: String?

    /// Reads the last line of a reply; nil when it is none.
    init?(_ line: some StringProtocol, step: Step) {
        let words = line.split(whereSeparator: \.isWhitespace)
        guard let first = words.first, first.utf8.count == 3, let code = Int(first) else { return nil }
        self.step = step
        self.code = code
        status = words.dropFirst().first.flatMap { Self.isStatus($0) ? String($0) : nil }
        // «250 2.0.0 Ok: queued as 4XyZ12», which Postfix began and many say since.
        queueID = words.indices.dropFirst(2).first { words[$0 - 2] == "queued" && words[$0 - 1] == "as" }
            .map { String(words[$0].prefix(100)) }
    }

    /// For an operator.
    var description: String { status.map { "\(code) \($0)" } ?? "\(code)" }

    private static func isStatus(_ word: some StringProtocol) -> Bool {
        let numbers = word.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 3 && numbers.allSatisfy { 1...3 ~= $0.utf8.count && Int($0) != nil }
    }
}
