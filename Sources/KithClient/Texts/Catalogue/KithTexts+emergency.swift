// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Yes, Let Them In”
    public var emergencyApprove: String { known("emergency.approve") }

    /// “Let Them In”
    public var emergencyApproveConfirm: String { known("emergency.approve.confirm") }

    /// “{name} gets into {vault} at once, without waiting.”
    public func emergencyApproveMessage(name: String, vault: String) -> String {
        known("emergency.approve.message", ["name": name, "vault": vault])
    }

    /// “Let {name} In Now?”
    public func emergencyApproveTitle(name: String) -> String {
        known("emergency.approve.title", ["name": name])
    }

    /// “{name} can enter {vault}”
    public func emergencyApproved(name: String, vault: String) -> String {
        known("emergency.approved", ["name": name, "vault": vault])
    }

    /// “Ask for Access”
    public var emergencyAsk: String { known("emergency.ask") }

    /// “Ask”
    public var emergencyAskConfirm: String { known("emergency.ask.confirm") }

    /// “The owner of {vault} is told at once and can say no.”
    public func emergencyAskMessage(vault: String) -> String {
        known("emergency.ask.message", ["vault": vault])
    }

    /// “Ask for Emergency Access?”
    public var emergencyAskTitle: String { known("emergency.ask.title") }

    /// “You asked for emergency access to {vault}”
    public func emergencyAsked(vault: String) -> String {
        known("emergency.asked", ["vault": vault])
    }

    /// “{name} asks for emergency access to {vault}.”
    public func emergencyAsks(name: String, vault: String) -> String {
        known("emergency.asks", ["name": name, "vault": vault])
    }

    /// “Enter Now”
    public var emergencyEnter: String { known("emergency.enter") }

    /// “You are in {vault}”
    public func emergencyEntered(vault: String) -> String {
        known("emergency.entered", ["vault": vault])
    }

    /// “{count} more nominees must ask before the wait begins.”
    public func emergencyGathering(count: Int) -> String {
        known("emergency.gathering", count: count)
    }

    /// “They can enter until {date}.”
    public func emergencyGranted(date: String) -> String {
        known("emergency.granted", ["date": date])
    }

    /// “They get in on {date} unless you say no.”
    public func emergencyGrants(date: String) -> String {
        known("emergency.grants", ["date": date])
    }

    /// “Support has put this request on hold. It gives no access meanwhile.”
    public var emergencyHeld: String { known("emergency.held") }

    /// “You can enter {vault} now, until {date}.”
    public func emergencyOwnGranted(vault: String, date: String) -> String {
        known("emergency.own.granted", ["vault": vault, "date": date])
    }

    /// “You can enter {vault} on {date} unless its owner says no.”
    public func emergencyOwnWaiting(vault: String, date: String) -> String {
        known("emergency.own.waiting", ["vault": vault, "date": date])
    }

    /// “No”
    public var emergencyReject: String { known("emergency.reject") }

    /// “Say No”
    public var emergencyRejectConfirm: String { known("emergency.reject.confirm") }

    /// “{name} gets no access to {vault}. They are told.”
    public func emergencyRejectMessage(name: String, vault: String) -> String {
        known("emergency.reject.message", ["name": name, "vault": vault])
    }

    /// “Say No?”
    public var emergencyRejectTitle: String { known("emergency.reject.title") }

    /// “{name} gets no access to {vault}”
    public func emergencyRejected(name: String, vault: String) -> String {
        known("emergency.rejected", ["name": name, "vault": vault])
    }

    /// “After {count} missed days in a row”
    public func emergencySettingsAfterMissedDays(count: Int) -> String {
        known("emergency.settings.after_missed_days", count: count)
    }

    /// “Choose between 2 and 30 missed days.”
    public var emergencySettingsDaysInvalid: String { known("emergency.settings.days.invalid") }

    /// “End Emergency Access”
    public var emergencySettingsEnd: String { known("emergency.settings.end") }

    /// “End Access”
    public var emergencySettingsEndConfirm: String { known("emergency.settings.end.confirm") }

    /// “{name} can no longer get into {vault} in an emergency. A request that waits ends.”
    public func emergencySettingsEndMessage(name: String, vault: String) -> String {
        known("emergency.settings.end.message", ["name": name, "vault": vault])
    }

    /// “End Emergency Access?”
    public var emergencySettingsEndTitle: String { known("emergency.settings.end.title") }

    /// “Emergency access for {name} has ended”
    public func emergencySettingsEnded(name: String) -> String {
        known("emergency.settings.ended", ["name": name])
    }

    /// “Lasts {count} hours”
    public func emergencySettingsGrant(count: Int) -> String {
        known("emergency.settings.grant", count: count)
    }

    /// “Choose a time between 1 hour and 30 days.”
    public var emergencySettingsGrantInvalid: String { known("emergency.settings.grant.invalid") }

    /// “Choose what starts it: a request, missed days, or both.”
    public var emergencySettingsNothing: String { known("emergency.settings.nothing") }

    /// “{name} can ask”
    public func emergencySettingsOnRequest(name: String) -> String {
        known("emergency.settings.on_request", ["name": name])
    }

    /// “Emergency access for {name} is set”
    public func emergencySettingsSaved(name: String) -> String {
        known("emergency.settings.saved", ["name": name])
    }

    /// “Emergency Access for {name}”
    public func emergencySettingsTitle(name: String) -> String {
        known("emergency.settings.title", ["name": name])
    }

    /// “Waits {count} hours”
    public func emergencySettingsWait(count: Int) -> String {
        known("emergency.settings.wait", count: count)
    }

    /// “Choose a wait between 1 hour and 90 days.”
    public var emergencySettingsWaitInvalid: String { known("emergency.settings.wait.invalid") }

    /// “You have not checked in. {name} gets emergency access to {vault}.”
    public func emergencySilence(name: String, vault: String) -> String {
        known("emergency.silence", ["name": name, "vault": vault])
    }

    /// “Ended”
    public var emergencyStatusEnded: String { known("emergency.status.ended") }

    /// “Waiting for Others”
    public var emergencyStatusGathering: String { known("emergency.status.gathering") }

    /// “Granted”
    public var emergencyStatusGranted: String { known("emergency.status.granted") }

    /// “Rejected”
    public var emergencyStatusRejected: String { known("emergency.status.rejected") }

    /// “Waiting”
    public var emergencyStatusWaiting: String { known("emergency.status.waiting") }

    /// “Withdrawn”
    public var emergencyStatusWithdrawn: String { known("emergency.status.withdrawn") }

    /// “Emergency Access”
    public var emergencyTitle: String { known("emergency.title") }

    /// “Withdraw”
    public var emergencyWithdraw: String { known("emergency.withdraw") }

    /// “You withdrew your request”
    public var emergencyWithdrawn: String { known("emergency.withdrawn") }
}
