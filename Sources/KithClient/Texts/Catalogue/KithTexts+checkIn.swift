// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “I'm safe”
    public var checkInButton: String { known("check_in.button") }

    /// “You have called for help.”
    public var checkInCalled: String { known("check_in.called") }

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

    /// “Not sent yet. Your check-in is kept on this device and will be sent when you have signed in again. Your receivers do not know about it yet.”
    public var checkInKeptSignIn: String { known("check_in.kept.sign_in") }

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

    /// “{name} called the emergency number for you ({time}). Your own check-in is still missing.”
    public func checkInSaidHelpCalled(name: String, time: String) -> String {
        known("check_in.said.help_called", ["name": name, "time": time])
    }

    /// “{name} said that you are safe ({time}). Your own check-in is still missing.”
    public func checkInSaidSafe(name: String, time: String) -> String {
        known("check_in.said.safe", ["name": name, "time": time])
    }

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

    /// “{name} called the emergency number ({time}). There is no check-in yet.”
    public func checkInSeenSaidHelpCalled(name: String, time: String) -> String {
        known("check_in.seen.said.help_called", ["name": name, "time": time])
    }

    /// “{name} said that everything is all right ({time}). There is no check-in yet.”
    public func checkInSeenSaidSafe(name: String, time: String) -> String {
        known("check_in.seen.said.safe", ["name": name, "time": time])
    }

    /// “Sending your check-in…”
    public var checkInSending: String { known("check_in.sending") }

    /// “{count} check-ins have not been sent yet. They stay on this device until you sign in again.”
    public func checkInSignOut(count: Int) -> String {
        known("check_in.sign_out", count: count)
    }

    /// “You were asked whether you are OK, and have not answered. Check in now to let your receivers know you're safe.”
    public var checkInUnanswered: String { known("check_in.unanswered") }

    /// “Not loaded yet. You can check in all the same.”
    public var checkInUnknown: String { known("check_in.unknown") }
}
