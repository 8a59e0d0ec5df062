public import Foundation

#if canImport(UserNotifications)
    public import UserNotifications
#endif

extension Kith {
    /// Registers this device for pushes, with the token that the system has given to the app. Call it after each
    /// sign-in and whenever the token is another one. Signing out ends the registration.
    ///
    /// - Parameters:
    ///   - token: The token, as the system gives it.
    ///   - environment: `sandbox` for an app that Xcode has installed, `production` for one from TestFlight or the App
    ///     Store.
    /// - Throws: ``KithProblem``.
    /// - Returns: The registration.
    @discardableResult
    public func registerForPushes(token: Data, environment: Kith.DeviceEnvironment) async throws -> Kith.Device {
        let text = token.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        return try await api.registerDevice(.init(platform: .ios, token: text, environment: environment))
    }
}

#if canImport(UserNotifications)
    extension KithPush {
        /// The categories of all questions that a push asks, with their buttons. Register them with the system at
        /// launch.
        public static func categories(_ texts: KithTexts = .preferred()) -> Set<UNNotificationCategory> {
            Set(
                Category.allCases.map { category in
                    UNNotificationCategory(
                        identifier: category.rawValue,
                        actions: category.actions.map { action in
                            UNNotificationAction(
                                identifier: action.rawValue, title: action.label(texts),
                                options: action.requiresUnlock ? [.authenticationRequired] : [])
                        },
                        intentIdentifiers: [])
                })
        }

        /// Reads the push that a person has answered, and the button; nil if it is no push of Kith's, or was only
        /// opened.
        public static func answer(_ response: UNNotificationResponse) -> (push: KithPush, action: Action)? {
            guard let push = KithPush(response.notification.request.content.userInfo),
                let action = Action(rawValue: response.actionIdentifier)
            else { return nil }
            return (push, action)
        }
    }
#endif
