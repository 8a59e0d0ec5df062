extension Kith.ConnectionStatus {
    /// How a screen shows the status. One that this library does not know reads as pending.
    public func badge(_ texts: KithTexts = .preferred()) -> StatusBadge {
        switch self {
        case .active: StatusBadge(texts.connectionStatusActive, .success, "checkmark.circle.fill")
        case .paused: StatusBadge(texts.connectionStatusPaused, .secondary, "pause.circle.fill")
        case .deleted: StatusBadge(texts.connectionStatusDeleted, .error, "trash.fill")
        default: StatusBadge(texts.connectionStatusPending, .warning, "clock.fill")
        }
    }
}

extension Kith.PingStatus {
    /// How a screen shows the status. One that this library does not know is shown as unknown, and never as a sign of
    /// life. Show a ping by ``Kith/Ping/badge(_:)``, which knows whether "late" was told to anybody, and a connection
    /// by ``Kith/State/badge``.
    public func badge(_ texts: KithTexts = .preferred()) -> StatusBadge {
        switch self {
        case .scheduled: StatusBadge(texts.pingStatusScheduled, .secondary, "clock")
        case .due: StatusBadge(texts.pingStatusDue, .warning, "bell.fill")
        case .completed: StatusBadge(texts.pingStatusCompleted, .success, "checkmark.circle.fill")
        case .completedLate: StatusBadge(texts.pingStatusCompletedLate, .info, "checkmark.circle")
        case .missed: StatusBadge(texts.pingStatusMissed, .error, "exclamationmark.triangle.fill")
        case .cancelled: StatusBadge(texts.pingStatusCancelled, .secondary, "xmark.circle")
        default: StatusBadge(texts.pingStatusUnknown, .secondary, "questionmark.circle")
        }
    }
}

extension Kith.Ping {
    /// How a screen shows the ping. "Late" is said only where somebody had been told of the miss.
    public func badge(_ texts: KithTexts = .preferred()) -> StatusBadge {
        (status == .completedLate && toldAt == nil ? Kith.PingStatus.completed : status).badge(texts)
    }
}

extension Kith.NomineeStatus {
    /// How a screen shows the status, with the sentence that stands under it. One that this library does not know reads
    /// as pending.
    public func badge(_ texts: KithTexts = .preferred()) -> StatusBadge {
        switch self {
        case .accepted:
            StatusBadge(texts.nomineeStatusAccepted, .info, "checkmark", meaning: texts.nomineeMeaningAccepted)
        case .active:
            StatusBadge(texts.nomineeStatusActive, .success, "lock.open.fill", meaning: texts.nomineeMeaningActive)
        case .inactive:
            StatusBadge(
                texts.nomineeStatusInactive, .secondary, "pause.fill", meaning: texts.nomineeMeaningInactive)
        case .revoked:
            StatusBadge(texts.nomineeStatusRevoked, .error, "xmark", meaning: texts.nomineeMeaningRevoked)
        default:
            StatusBadge(texts.nomineeStatusPending, .warning, "hourglass", meaning: texts.nomineeMeaningPending)
        }
    }
}

extension Kith.EmergencyStatus {
    /// How a screen shows the status. One that this library does not know reads as waiting, which an owner looks at.
    public func badge(_ texts: KithTexts = .preferred()) -> StatusBadge {
        switch self {
        case .gathering: StatusBadge(texts.emergencyStatusGathering, .secondary, "person.2.fill")
        case .granted: StatusBadge(texts.emergencyStatusGranted, .error, "lock.open.fill")
        case .ended: StatusBadge(texts.emergencyStatusEnded, .secondary, "checkmark")
        case .rejected: StatusBadge(texts.emergencyStatusRejected, .secondary, "hand.raised.fill")
        case .withdrawn: StatusBadge(texts.emergencyStatusWithdrawn, .secondary, "arrow.uturn.backward")
        default: StatusBadge(texts.emergencyStatusWaiting, .warning, "hourglass")
        }
    }
}

extension Kith.AccessLevel {
    /// The name of the level, and one sentence that says what it allows. A level that this library does not know reads
    /// as view.
    public func name(_ texts: KithTexts = .preferred()) -> (name: String, meaning: String) {
        switch self {
        case .edit: (texts.accessEdit, texts.accessEditMeaning)
        case .full: (texts.accessFull, texts.accessFullMeaning)
        default: (texts.accessView, texts.accessViewMeaning)
        }
    }
}
