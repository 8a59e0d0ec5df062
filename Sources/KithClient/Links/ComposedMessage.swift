public import Foundation

/// A text message that is ready to be sent: by `MFMessageComposeViewController`, or by a link that opens the phone's
/// own app.
///
/// The text is the server's, byte for byte. Do not write it anew.
public struct ComposedMessage: Sendable, Hashable {
    /// The phone numbers in E.164 form.
    public let recipients: [String]
    /// The text.
    public let body: String

    /// The form of an `sms:` link, which the system decides.
    public enum LinkForm: Sendable, Hashable {
        /// iOS takes several numbers in a form of its own only.
        case iOS
        /// RFC 5724, with an empty parameter in front of the text that older Android needs.
        case other

        /// The form for the system that this program runs on.
        public static var current: LinkForm {
            #if os(iOS) || os(visionOS)
                .iOS
            #else
                .other
            #endif
        }
    }

    /// The most recipients of one message. iOS sends a message to at most 32 people.
    public static let mostRecipients = 30

    /// Creates a message.
    public init(to recipients: [String], body: String) {
        self.recipients = recipients
        self.body = body
    }

    /// The link that opens the phone's own app with the message.
    ///
    /// - Returns: Nil if there is no recipient or if there are more than ``mostRecipients``.
    public func link(_ form: LinkForm = .current) -> URL? {
        guard (1...Self.mostRecipients).contains(recipients.count) else { return nil }
        let numbers = recipients.map { $0.filter { $0 == "+" || ($0.isASCII && $0.isNumber) } }.joined(separator: ",")
        let text = KithLink.percentEncoded(body)
        return switch form {
        case .iOS: URL(string: "sms:/open?addresses=\(numbers)&body=\(text)")
        case .other: URL(string: "sms:\(numbers)?&body=\(text)")
        }
    }
}
