public import Foundation

/// A push of Kith's, as the system hands it to the app, and what its reader can do without opening the app.
///
/// ```swift
/// func userNotificationCenter(_: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async {
///     guard let push = KithPush(response.notification.request.content.userInfo),
///         let action = KithPush.Action(rawValue: response.actionIdentifier)
///     else { return }
///     do {
///         if let words = try await kith.perform(action, for: push).sentence() { await notify(words) }
///     } catch {
///         // Nobody knows of it. A person who needs help must not wait.
///         let words = action == .help ? ErrorPresentation(unsentHelp: error) : ErrorPresentation(error)
///         await notify(words.text)
///     }
/// }
/// ```
///
/// `notify` is a function of the app that shows a local notification.
public struct KithPush: Sendable, Hashable {
    /// The question that a push asks. Its identifier is that of the notification category to register with the system.
    public enum Category: String, Sendable, Hashable, CaseIterable {
        /// Whether the reader is safe.
        case checkIn = "kith.check_in"
        /// Whether the reader looks after somebody.
        case alarm = "kith.alarm"

        /// The actions, the most important first.
        public var actions: [Action] {
            switch self {
            case .checkIn: [.checkIn, .help]
            case .alarm: [.take, .safe]
            }
        }
    }

    /// What a button of a push does. Its text is the identifier of the notification action.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// "I'm safe".
        case checkIn = "kith.check_in.safe"
        /// "I need help".
        case help = "kith.check_in.help"
        /// "I'm looking after it".
        case take = "kith.alarm.take"
        /// "I reached them, they're safe".
        case safe = "kith.alarm.safe"

        /// The label of the button.
        public func label(_ texts: KithTexts = .preferred()) -> String {
            switch self {
            case .checkIn: texts.checkInButton
            case .help: texts.alarmCall
            case .take: texts.alarmTake
            case .safe: texts.alarmSafe
            }
        }

        /// Whether the device must be unlocked first: whoever finds it must not say that somebody is safe.
        public var requiresUnlock: Bool { self != .help }
    }

    /// The result of an action.
    public enum Outcome: Sendable, Hashable {
        /// How far the check-in is: received, refused, or not sent yet.
        case checkIn(KithCheckIn.State)
        /// The alarm of the call for help. Nobody may have been told: then it has advice.
        case help(Kith.CalledAlarm)
        /// The alarm, which the person looks after, or which is over.
        case alarm(Kith.Alarm)
        /// Nothing, because the push does not ask this question.
        case nothing

        /// The text of the notification that tells the person what became of a check-in or a call for help; nil for
        /// the others.
        public func sentence(_ texts: KithTexts = .preferred()) -> String? {
            switch self {
            // There was no answer for as long as the system lets the app wait.
            case .checkIn(.kept): texts.checkInKept
            case .checkIn(let state): state.sentence(texts)
            case .help(let alarm): alarm.advice ?? texts.alarmCallTold(count: alarm.told)
            case .alarm, .nothing: nil
            }
        }
    }

    /// The id of the notification.
    public let notificationID: UUID
    /// The type of the notification.
    public let type: String
    /// Whom the push is for; nil if the server is too old to say so.
    public let recipientID: UUID?
    /// The alarm that it is about; nil for any other.
    public let alarmID: UUID?
    /// The question that it asks; nil if it only tells something.
    public let category: Category?

    /// Reads what the system gives to the app; nil if it is no push of Kith's.
    public init?(_ userInfo: [AnyHashable: Any]) {
        guard let kith = userInfo["kith"] as? [String: Any], let type = kith["type"] as? String,
            let id = (kith["notification_id"] as? String).flatMap(UUID.init)
        else { return nil }
        (notificationID, self.type) = (id, type)
        recipientID = (kith["recipient_id"] as? String).flatMap(UUID.init)
        alarmID = (kith["alarm_id"] as? String).flatMap(UUID.init)
        let category = ((userInfo["aps"] as? [String: Any])?["category"] as? String).flatMap(Category.init)
        self.category = category == .alarm && alarmID == nil ? nil : category
    }
}

extension Kith {
    /// Does what a button of a push says, and waits for what became of it: 20 seconds at most, since the system gives
    /// an app little more. What takes longer goes on, except for a call for help. A check-in is kept on the device
    /// while there is no network.
    ///
    /// - Returns: What became of it. Tell the person: they do not see the app.
    /// - Throws: ``KithProblem`` as the call refuses: the alarm may be over, or somebody else may look after it.
    ///   `unreachable` if a call has no answer in time, `unauthenticated` if nobody is signed in, and
    ///   `other_recipient` if the push is for another person than the one who is signed in; then nothing is sent.
    ///   `CancellationError`. Whatever a call for help throws, nobody has been told and nothing is sent later: say so
    ///   at once, with the emergency number (``ErrorPresentation/init(unsentHelp:texts:)``).
    public func perform(_ action: KithPush.Action, for push: KithPush) async throws -> KithPush.Outcome {
        try await perform(action, for: push, within: Self.patience)
    }

    func perform(_ action: KithPush.Action, for push: KithPush, within limit: Duration) async throws -> KithPush.Outcome
    {
        if let recipient = push.recipientID, let http, http.sessions.credentials?.userID != recipient {
            throw KithProblem.otherRecipient
        }
        guard push.category?.actions.contains(action) == true else { return .nothing }
        switch (action, push.alarmID) {
        case (.checkIn, _):
            let checkIn = try await soon(limit) { try await self.checkIn() }
            let state = try? await soon(limit) { await checkIn.states.first { $0 != .kept } }
            return .checkIn(state ?? .kept)
        case (.help, _): return .help(try await callForHelp(.init(), within: limit))
        case (.take, let id?): return .alarm(try await soon(limit) { try await self.api.takeAlarm(id: id) })
        case (.safe, let id?):
            return .alarm(try await soon(limit) { try await self.api.resolveAlarm(id: id, .init(outcome: .safe)) })
        case (.take, nil), (.safe, nil): return .nothing
        }
    }
}
