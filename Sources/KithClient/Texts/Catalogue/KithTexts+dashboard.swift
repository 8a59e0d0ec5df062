// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Nobody sends you pings yet.”
    public var dashboardEmptyReceiver: String { known("dashboard.empty.receiver") }

    /// “Nobody receives your pings yet.”
    public var dashboardEmptySender: String { known("dashboard.empty.sender") }

    /// “{count} open pings”
    public func dashboardOpen(count: Int) -> String {
        known("dashboard.open", count: count)
    }

    /// “Your Senders”
    public var dashboardTitleReceiver: String { known("dashboard.title.receiver") }

    /// “Your Receivers”
    public var dashboardTitleSender: String { known("dashboard.title.sender") }
}
