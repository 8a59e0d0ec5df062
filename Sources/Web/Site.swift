/// The screens of the web client.
package enum Site {
    /// Every screen. The server routes by their paths.
    package static let screens: [ScreenRoute] = [
        ScreenRoute(TodayScreen.self)
    ]

    /// Where a person goes after signing in.
    package static let home = TodayScreen.path
}
