// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “I'm safe”
    public var checkInButton: String { known("check_in.button") }

    /// “You checked in at {time}.”
    public func checkInDone(time: String) -> String {
        known("check_in.done", ["time": time])
    }

    /// “You checked in late, at {time}.”
    public func checkInDoneLate(time: String) -> String {
        known("check_in.done_late", ["time": time])
    }

    /// “Let your receivers know you're safe.”
    public var checkInDue: String { known("check_in.due") }

    /// “Not sent yet. Your check-in is kept on this device and will be sent when the network returns. Your receivers do not know about it yet.”
    public var checkInKept: String { known("check_in.kept") }

    /// “Your next check-in is at {time}.”
    public func checkInLater(time: String) -> String {
        known("check_in.later", ["time": time])
    }

    /// “{count} minutes left to check in.”
    public func checkInLeft(count: Int) -> String {
        known("check_in.left", count: count)
    }

    /// “You missed today's check-in. Check in now to let your receivers know you're safe.”
    public var checkInMissed: String { known("check_in.missed") }

    /// “You missed the check-in of {date}. Check in now to let your receivers know you're safe.”
    public func checkInMissedOn(date: String) -> String {
        known("check_in.missed_on", ["date": date])
    }

    /// “Nothing to check in to today.”
    public var checkInNothing: String { known("check_in.nothing") }

    /// “You are on a break until {date}.”
    public func checkInOnBreak(date: String) -> String {
        known("check_in.on_break", ["date": date])
    }

    /// “Your check-in has arrived.”
    public var checkInReceived: String { known("check_in.received") }

    /// “Your check-in was not accepted. Your receivers do not know about it.”
    public var checkInRefused: String { known("check_in.refused") }

    /// “{name} checked in.”
    public func checkInSeenCompleted(name: String) -> String {
        known("check_in.seen.completed", ["name": name])
    }

    /// “{name} checked in late. They're safe.”
    public func checkInSeenLate(name: String) -> String {
        known("check_in.seen.late", ["name": name])
    }

    /// “{name} has not checked in today.”
    public func checkInSeenMissed(name: String) -> String {
        known("check_in.seen.missed", ["name": name])
    }

    /// “{name} missed the check-in of {date} and has not checked in since.”
    public func checkInSeenMissedOn(name: String, date: String) -> String {
        known("check_in.seen.missed_on", ["name": name, "date": date])
    }

    /// “Sending your check-in…”
    public var checkInSending: String { known("check_in.sending") }

    /// “{count} check-ins have not been sent yet. They stay on this device until you sign in again.”
    public func checkInSignOut(count: Int) -> String {
        known("check_in.sign_out", count: count)
    }

    /// “Not loaded yet. You can check in all the same.”
    public var checkInUnknown: String { known("check_in.unknown") }
}
