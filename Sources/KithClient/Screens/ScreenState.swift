public import Foundation
public import Observation

/// The state of every screen: whether it is busy, its error, the sentence for VoiceOver and the haptic.
public struct ScreenState: Sendable, Hashable {
    /// Whether an action of the person runs. Its buttons are disabled meanwhile. Loading is no action: it can take
    /// minutes without a network, and the person can act meanwhile.
    public internal(set) var isBusy = false
    /// Whether the screen has been loaded once. Before that, an empty list says nothing.
    public private(set) var isLoaded = false
    /// Since when what the screen shows may be old, by ``Kith/now``: the connection is lost, or the last load has
    /// failed. Nil while it is current, or if nothing keeps the screen current (``LiveScreen/follow()``).
    public private(set) var outdatedSince: Date?
    /// What went wrong; nil once the person tries again or dismisses it.
    public internal(set) var problem: ErrorPresentation?
    /// What VoiceOver reads out: the result of the last action, or its error.
    public internal(set) var announcement: String?
    /// What the device lets the person feel.
    public internal(set) var haptic: Haptic?
    /// Grows with each haptic and each announcement, for SwiftUI's `sensoryFeedback(trigger:)` and `onChange(of:)`: a
    /// second success equals the first.
    public internal(set) var changes = 0

    /// Whether the screen is being loaded, or more of a list.
    public var isLoading: Bool { running > 0 }

    /// Whether the screen must be loaded again, because the newest load has failed and another one can succeed.
    private(set) var needsLoad = false
    /// Whether the stream of events is open; nil for a screen that follows none.
    private(set) var isConnected: Bool?
    /// Whether a load has caused ``problem``, so that the next load takes it away.
    private var isProblemOfLoad = false
    /// How many loads run.
    private var running = 0
    /// How many loads have begun and how many actions have ended; the newest load whose answer is shown, and the newest
    /// that has failed.
    private(set) var loads = 0, actions = 0, shown = 0, failed = 0

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
        (isBusy, actions) = (false, actions + 1)
        tell(announcement, .success)
    }

    /// Ends an action that has failed. A cancelled one ends without a word.
    mutating func fail(_ error: any Error, _ texts: KithTexts) {
        (isBusy, actions) = (false, actions + 1)
        if !(error is CancellationError) { show(ErrorPresentation(error, texts: texts)) }
    }

    /// Ends an action that has failed, and shows why, also if it was cancelled.
    mutating func fail(showing problem: ErrorPresentation) {
        (isBusy, actions) = (false, actions + 1)
        show(problem)
    }

    /// Shows an error that is not the result of an action, such as an empty field.
    mutating func show(_ problem: ErrorPresentation) {
        self.problem = problem
        isProblemOfLoad = false
        tell(problem.announcement, problem.haptic)
    }

    // MARK: Loading

    /// Begins a load, and returns its number.
    mutating func beginLoad() -> Int {
        (loads, running) = (loads + 1, running + 1)
        return loads
    }

    /// Ends a load that has an answer.
    ///
    /// - Returns: Whether the answer is to be shown: not one that was asked for before another that is shown.
    mutating func finishLoad(_ number: Int, at now: Date) -> Bool {
        running -= 1
        guard number > shown else { return false }
        (shown, isLoaded) = (number, true)
        if number > failed { (needsLoad, outdatedSince) = (false, isConnected == false ? now : nil) }
        clearProblemOfLoad()
        return true
    }

    /// Ends a load that has failed. A cancelled one ends without a word. `isQuiet` says that nobody has asked for it.
    mutating func failLoad(_ number: Int, _ error: any Error, _ texts: KithTexts, at now: Date, isQuiet: Bool) {
        running -= 1
        guard !(error is CancellationError), number > shown else { return }
        failed = max(failed, number)
        outdate(since: now)
        // The server would refuse the next try, too.
        needsLoad = (error as? KithProblem).map { $0.retryable || $0.status == nil } ?? true
        if !isQuiet { showProblemOfLoad(error, texts) }
    }

    /// Begins to ask for a part of what the screen shows, such as the next page of a list.
    mutating func beginPart() { running += 1 }

    /// Ends asking for a part. `error` is why there is none.
    mutating func endPart(_ error: (any Error)?, _ texts: KithTexts) {
        running -= 1
        guard let error else { return clearProblemOfLoad() }
        if !(error is CancellationError) { showProblemOfLoad(error, texts) }
    }

    private mutating func showProblemOfLoad(_ error: any Error, _ texts: KithTexts) {
        show(ErrorPresentation(error, texts: texts))
        isProblemOfLoad = true
    }

    private mutating func clearProblemOfLoad() {
        if isProblemOfLoad { (problem, isProblemOfLoad) = (nil, false) }
    }

    /// A part of what the screen shows could not be brought up to date. Nobody has asked for it, so that the error is
    /// shown only if a preview lacks the answer. It then stays, because the next load asks for something else.
    mutating func wantLoad(after error: any Error, _ texts: KithTexts, at now: Date) {
        needsLoad = true
        outdate(since: now)
        if error.isUnprepared { show(ErrorPresentation(error, texts: texts)) }
    }

    /// The stream of events is open. `isResumed` says that what was missed comes as events.
    mutating func connect(isResumed: Bool) {
        isConnected = true
        if isResumed, !needsLoad { outdatedSince = nil }
    }

    /// The stream of events has been lost since an instant.
    mutating func disconnect(since instant: Date) {
        isConnected = false
        outdate(since: instant)
    }

    private mutating func outdate(since instant: Date) { outdatedSince = min(outdatedSince ?? instant, instant) }

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
    var calls: ScreenCalls { get }
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

    /// Loads what the screen shows, without a haptic. The person may act meanwhile: an answer from before the end of an
    /// action is asked for again.
    ///
    /// - Returns: Why it could not be loaded.
    @discardableResult
    func load<Result: Sendable>(
        _ work: () async throws -> Result, then: (Result) -> Void
    ) async -> (any Error)? {
        let number = state.beginLoad()
        do {
            var result: Result
            var actions: Int
            var tries = 0
            repeat {
                (actions, tries) = (state.actions, tries + 1)
                result = try await work()
            } while actions != state.actions && tries < 3
            if state.finishLoad(number, at: calls.now) { then(result) }
            return nil
        } catch {
            state.failLoad(number, error, texts, at: calls.now, isQuiet: ScreenLoading.isQuiet)
            return error
        }
    }

    /// Loads a part of what the screen shows, such as the next page of a list. It says nothing of the rest.
    func loadPart<Result: Sendable>(_ work: () async throws -> Result, then: (Result) -> Void) async {
        state.beginPart()
        do {
            then(try await work())
            state.endPart(nil, texts)
        } catch {
            state.endPart(error, texts)
        }
    }

    /// Whether the fields of a form are those that are stored, or nobody has asked for them: whoever saves others while
    /// the first load runs would replace what they have never seen.
    var maySave: Bool { state.isLoaded || !state.isLoading }
}

/// Whether the loads of a task were asked for by a person.
enum ScreenLoading {
    /// True for the loads by which the library brings a screen up to date. They show no error, because there is nothing
    /// that the person has tried.
    @TaskLocal static var isQuiet = false
}

extension KithScreen {
    /// "Not up to date since 09:41.", for a screen that may show an old state; nil while it is current. Show it
    /// wherever a screen says that somebody is safe.
    public var outdated: String? {
        guard let since = state.outdatedSince else { return nil }
        let style = Date.FormatStyle(date: .omitted, time: .shortened, locale: Locale(identifier: texts.language))
        return texts.screenOutdated(time: since.formatted(style))
    }
}
