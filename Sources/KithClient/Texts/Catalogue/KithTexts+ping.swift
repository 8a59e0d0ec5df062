// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Cancelled”
    public var pingStatusCancelled: String { known("ping.status.cancelled") }

    /// “Checked In”
    public var pingStatusCompleted: String { known("ping.status.completed") }

    /// “Checked In Late”
    public var pingStatusCompletedLate: String { known("ping.status.completed_late") }

    /// “Due”
    public var pingStatusDue: String { known("ping.status.due") }

    /// “Missed”
    public var pingStatusMissed: String { known("ping.status.missed") }

    /// “Scheduled”
    public var pingStatusScheduled: String { known("ping.status.scheduled") }

    /// “Unknown”
    public var pingStatusUnknown: String { known("ping.status.unknown") }
}
