public import Observation

/// The form for what a person thinks of an invitation, a share or the app.
///
/// Calls: `giveFeedback`.
@Observable @MainActor public final class FeedbackScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The subject of the feedback.
    public var topic: Kith.FeedbackTopic
    /// The number of stars, from 1 to 5; 0 until the person has chosen.
    public var rating = 0
    /// The text that the person writes.
    public var text = ""
    /// Whether the feedback has been sent.
    public private(set) var isSent = false

    let calls: ScreenCalls

    /// Creates an empty form.
    public init(_ kith: Kith, about topic: Kith.FeedbackTopic, texts: KithTexts = .preferred()) {
        (calls, self.topic, self.texts) = (ScreenCalls(kith), topic, texts)
    }

    /// What VoiceOver says of the stars: "4 stars of 5".
    public var ratingLabel: String { texts.feedbackRating(count: rating) }

    /// Sends the feedback.
    public func send() async {
        guard (1...5).contains(rating) else {
            return state.show(ErrorPresentation(invalid: texts.feedbackRatingMissing, texts: texts))
        }
        await act {
            try await calls.giveFeedback(topic, rating, text.isEmpty ? nil : text)
        } then: { _ in
            isSent = true
            return texts.feedbackSent
        }
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }
}
