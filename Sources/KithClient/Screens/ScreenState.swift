public import Observation

/// The state of every screen: whether it is busy, its error, the sentence for VoiceOver and the haptic.
public struct ScreenState: Sendable, Hashable {
    /// Whether an action runs. Its buttons are disabled meanwhile.
    public internal(set) var isBusy = false
    /// What went wrong; nil once the person tries again or dismisses it.
    public internal(set) var problem: ErrorPresentation?
    /// What VoiceOver reads out: the result of the last action, or its error.
    public internal(set) var announcement: String?
    /// What the device lets the person feel.
    public internal(set) var haptic: Haptic?
    /// Grows with each haptic and each announcement, for SwiftUI's `sensoryFeedback(trigger:)` and `onChange(of:)`: a
    /// second success equals the first.
    public internal(set) var changes = 0

    /// Begins an action.
    ///
    /// - Returns: False if one runs already.
    mutating func begin() -> Bool {
        guard !isBusy else { return false }
        isBusy = true
        problem = nil
        tell(nil, .selection)
        return true
    }

    /// Ends an action that has succeeded.
    mutating func succeed(_ announcement: String?) {
        isBusy = false
        tell(announcement, .success)
    }

    /// Ends an action that has failed. A cancelled one ends without a word.
    mutating func fail(_ error: any Error, _ texts: KithTexts) {
        isBusy = false
        if !(error is CancellationError) { show(ErrorPresentation(error, texts: texts)) }
    }

    /// Shows an error that is not the result of an action, such as an empty field.
    mutating func show(_ problem: ErrorPresentation) {
        self.problem = problem
        tell(problem.announcement, problem.haptic)
    }

    /// Announces something that happened without an action of the person.
    mutating func announce(_ announcement: String) {
        tell(announcement, nil)
    }

    private mutating func tell(_ announcement: String?, _ haptic: Haptic?) {
        (self.announcement, self.haptic) = (announcement, haptic)
        changes += 1
    }
}

/// A model that a screen binds to. SwiftUI draws the screen again when what it has read changes.
@MainActor public protocol KithScreen: AnyObject, Observable {
    /// Whether the screen works, what went wrong, and what to announce.
    var state: ScreenState { get }
    /// The words of the screen.
    var texts: KithTexts { get }
    /// Takes away the error that the person has read.
    func dismissProblem()
}

/// A screen that acts by ``act(_:then:)``.
@MainActor protocol ActingScreen: KithScreen {
    var state: ScreenState { get set }
}

extension ActingScreen {
    /// Carries out an action unless another one runs, and shows its error. `then` takes the result in and returns what
    /// to announce.
    @discardableResult
    func act<Result: Sendable>(
        _ work: () async throws -> Result, then: (Result) -> String?
    ) async -> Result? {
        guard state.begin() else { return nil }
        do {
            let result = try await work()
            state.succeed(then(result))
            return result
        } catch {
            state.fail(error, texts)
            return nil
        }
    }

    /// Loads what the screen shows, without a haptic.
    func load<Result: Sendable>(_ work: () async throws -> Result, then: (Result) -> Void) async {
        state.isBusy = true
        do {
            then(try await work())
            state.isBusy = false
            state.problem = nil
        } catch {
            state.fail(error, texts)
        }
    }
}
