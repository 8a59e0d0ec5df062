#if canImport(MessageUI)
    public import MessageUI

    extension Kith.InvitationOutcome {
        /// Creates the outcome from what `MFMessageComposeViewController` reports. Use `.unavailable` where
        /// `canSendText()` is false.
        public init(_ result: MessageComposeResult) {
            switch result {
            case .sent: self = .sent
            case .failed: self = .failed
            default: self = .cancelled
            }
        }
    }
#endif
