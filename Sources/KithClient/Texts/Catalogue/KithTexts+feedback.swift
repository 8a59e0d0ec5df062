// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “{count} stars of 5”
    public func feedbackRating(count: Int) -> String {
        known("feedback.rating", count: count)
    }

    /// “Choose 1 to 5 stars.”
    public var feedbackRatingMissing: String { known("feedback.rating.missing") }

    /// “Send”
    public var feedbackSend: String { known("feedback.send") }

    /// “Thank you. Your feedback has been sent.”
    public var feedbackSent: String { known("feedback.sent") }

    /// “Feedback”
    public var feedbackTitle: String { known("feedback.title") }

    /// “The app”
    public var feedbackTopicApp: String { known("feedback.topic.app") }

    /// “Invitations”
    public var feedbackTopicInvitation: String { known("feedback.topic.invitation") }

    /// “Sharing”
    public var feedbackTopicShare: String { known("feedback.topic.share") }
}
