public import Foundation

/// A push of Kith's, as the system hands it to the app, and what its reader can do without opening the app.
///
/// ```swift
/// func userNotificationCenter(_: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async {
///     guard let push = KithPush(response.notification.request.content.userInfo),
///         let action = KithPush.Action(rawValue: response.actionIdentifier)
///     else { return }
///     try? await kith.perform(action, for: push)
/// }
/// ```
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
        public func label(_ texts: KithTexts = .english) -> String {
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

    /// The id of the notification.
    public let notificationID: UUID
    /// The type of the notification.
    public let type: String
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
        alarmID = (kith["alarm_id"] as? String).flatMap(UUID.init)
        let category = ((userInfo["aps"] as? [String: Any])?["category"] as? String).flatMap(Category.init)
        self.category = category == .alarm && alarmID == nil ? nil : category
    }
}

extension Kith {
    /// Does what a button of a push says. A check-in is kept on the device while there is no network.
    ///
    /// - Throws: ``KithProblem`` as the call refuses: the alarm may be over, or somebody else may look after it.
    public func perform(_ action: KithPush.Action, for push: KithPush) async throws {
        guard push.category?.actions.contains(action) == true else { return }
        switch (action, push.alarmID) {
        case (.checkIn, _): _ = try await checkIn()
        case (.help, _): _ = try await api.callForHelp()
        case (.take, let id?): _ = try await api.takeAlarm(id: id)
        case (.safe, let id?): _ = try await api.resolveAlarm(id: id, .init(outcome: .safe))
        case (.take, nil), (.safe, nil): break
        }
    }
}
