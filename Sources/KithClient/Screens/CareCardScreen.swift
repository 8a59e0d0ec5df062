import Foundation
public import Observation

/// A person's own care card: what somebody who goes to look for them should know.
///
/// Calls: `getCareCard`, `setCareCard`, `deleteCareCard`.
@Observable @MainActor public final class CareCardScreen: ActingScreen {
    /// Whether the screen works, what went wrong, and what to announce.
    public internal(set) var state = ScreenState()
    /// The words of the screen.
    public let texts: KithTexts
    /// The sections, at most eight.
    public var sections: [Kith.CareSection] = []
    /// Where the person was when they last said so; nil if they did not within seven days.
    public private(set) var location: Kith.Place?
    /// Who has seen the card without an alarm, newest first.
    public private(set) var views: [Kith.CareCardView] = []
    /// Whether the dialog before deleting is shown.
    public private(set) var isAsking = false

    let calls: ScreenCalls

    /// Creates an empty card. Call ``load()`` when it appears.
    public init(_ kith: Kith, texts: KithTexts = .preferred()) {
        (calls, self.texts) = (ScreenCalls(kith), texts)
    }

    /// What is not right about the sections; nil if they can be saved.
    public var complaint: String? {
        func isEmpty(_ text: String) -> Bool { text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty }
        let isComplete = sections.count <= 8 && !sections.contains { isEmpty($0.title) || isEmpty($0.body) }
        return isComplete ? nil : texts.alarmCardInvalid
    }

    /// The dialog before deleting; nil if it is not shown.
    public var dialog: Dialog? {
        guard isAsking else { return nil }
        return Dialog(
            title: texts.alarmCardDeleteTitle, message: texts.alarmCardDeleteMessage,
            confirm: texts.alarmCardDeleteConfirm, texts)
    }

    /// Fills the sections from the stored card.
    public func load() async {
        await load {
            try await calls.ownCareCard()
        } then: { card in
            take(card)
        }
    }

    /// Saves the sections.
    public func save() async {
        guard maySave else { return }
        if let complaint { return state.show(ErrorPresentation(invalid: complaint, texts: texts)) }
        await act {
            try await calls.setCareCard(sections)
        } then: { card in
            take(card)
            return texts.alarmCardSaved
        }
    }

    /// Asks whether to delete the card and the place.
    public func delete() {
        isAsking = !state.isBusy
    }

    /// Deletes the card and the place.
    public func confirm() async {
        guard isAsking else { return }
        isAsking = false
        await act {
            try await calls.deleteCareCard()
        } then: { _ in
            (sections, location) = ([], nil)
            return texts.alarmCardDeleted
        }
    }

    /// Leaves the card as it is.
    public func cancel() {
        isAsking = false
    }

    /// Takes away the error that the person has read.
    public func dismissProblem() {
        state.problem = nil
    }

    private func take(_ card: Kith.OwnCareCard) {
        (sections, location, views) = (card.sections, card.location, card.views)
    }
}
