// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “another receiver”
    public var alarmAnotherReceiver: String { known("alarm.another_receiver") }

    /// “I need help”
    public var alarmCall: String { known("alarm.call") }

    /// “I'm safe, end the call”
    public var alarmCallEndConfirm: String { known("alarm.call.end.confirm") }

    /// “Everybody who was told reads that you are safe.”
    public var alarmCallEndMessage: String { known("alarm.call.end.message") }

    /// “End your call for help?”
    public var alarmCallEndTitle: String { known("alarm.call.end.title") }

    /// “Everybody who sees your check-ins is told at once.”
    public var alarmCallMessage: String { known("alarm.call.message") }

    /// “Call for help?”
    public var alarmCallTitle: String { known("alarm.call.title") }

    /// “{count} people are being told that you need help.”
    public func alarmCallTold(count: Int) -> String {
        known("alarm.call.told", count: count)
    }

    /// “Nobody has been told. Call {number} if you need help now. Your call for help was not sent, and it will not be sent later.”
    public func alarmCallUnsent(number: String) -> String {
        known("alarm.call.unsent", ["number": number])
    }

    /// “Nobody Has Been Told”
    public var alarmCallUnsentTitle: String { known("alarm.call.unsent.title") }

    /// “Delete”
    public var alarmCardDeleteConfirm: String { known("alarm.card.delete.confirm") }

    /// “Whoever comes to look after you will not have it.”
    public var alarmCardDeleteMessage: String { known("alarm.card.delete.message") }

    /// “Delete your care card?”
    public var alarmCardDeleteTitle: String { known("alarm.card.delete.title") }

    /// “Your care card and your place are deleted.”
    public var alarmCardDeleted: String { known("alarm.card.deleted") }

    /// “There can be up to 8 sections. Each needs a title and a text.”
    public var alarmCardInvalid: String { known("alarm.card.invalid") }

    /// “{name} sees that you have looked at the care card.”
    public func alarmCardMeaning(name: String) -> String {
        known("alarm.card.meaning", ["name": name])
    }

    /// “Your care card is saved.”
    public var alarmCardSaved: String { known("alarm.card.saved") }

    /// “Show the care card”
    public var alarmCardShow: String { known("alarm.card.show") }

    /// “I can’t”
    public var alarmDecline: String { known("alarm.decline") }

    /// “You have said that you can’t. The others can read it.”
    public var alarmDeclined: String { known("alarm.declined") }

    /// “This is a drill: {body}”
    public func alarmDrill(body: String) -> String {
        known("alarm.drill", ["body": body])
    }

    /// “The drill has begun.”
    public var alarmDrillHeld: String { known("alarm.drill.held") }

    /// “Hold a drill”
    public var alarmDrillHold: String { known("alarm.drill.hold") }

    /// “Your receivers are told as in an alarm. Each message says that it is a drill.”
    public var alarmDrillMessage: String { known("alarm.drill.message") }

    /// “The alarm is over. Everybody who was told hears of it now.”
    public var alarmEnded: String { known("alarm.ended") }

    /// “It was a false alarm”
    public var alarmFalse: String { known("alarm.false") }

    /// “Everybody who was told learns that nothing has happened.”
    public var alarmFalseMessage: String { known("alarm.false.message") }

    /// “Was it a false alarm?”
    public var alarmFalseTitle: String { known("alarm.false.title") }

    /// “I called the emergency number”
    public var alarmHelpCalled: String { known("alarm.help_called") }

    /// “Did you call the emergency number?”
    public var alarmHelpCalledTitle: String { known("alarm.help_called.title") }

    /// “Nobody could be told. Call your local emergency number.”
    public var alarmNobodyTold: String { known("alarm.nobody_told") }

    /// “There is no alarm.”
    public var alarmNone: String { known("alarm.none") }

    /// “Write something first.”
    public var alarmNoteEmpty: String { known("alarm.note.empty") }

    /// “Your note was added.”
    public var alarmNoted: String { known("alarm.noted") }

    /// “Each tier must come later than the one before it, at most 12 hours after the deadline.”
    public var alarmPlanInvalid: String { known("alarm.plan.invalid") }

    /// “Your plan is saved.”
    public var alarmPlanSaved: String { known("alarm.plan.saved") }

    /// “Hand it back”
    public var alarmRelease: String { known("alarm.release") }

    /// “Somebody else can look after {name} now.”
    public func alarmReleased(name: String) -> String {
        known("alarm.released", ["name": name])
    }

    /// “Open it again”
    public var alarmReopen: String { known("alarm.reopen") }

    /// “Everybody who was told is told again that somebody has to look.”
    public var alarmReopenMessage: String { known("alarm.reopen.message") }

    /// “Open the alarm again?”
    public var alarmReopenTitle: String { known("alarm.reopen.title") }

    /// “The alarm is open again.”
    public var alarmReopened: String { known("alarm.reopened") }

    /// “I reached them, they’re safe”
    public var alarmSafe: String { known("alarm.safe") }

    /// “This ends the alarm. Everybody who was told learns that it was you.”
    public var alarmSafeMeaning: String { known("alarm.safe.meaning") }

    /// “Is {name} safe?”
    public func alarmSafeTitle(name: String) -> String {
        known("alarm.safe.title", ["name": name])
    }

    /// “I’m looking after it”
    public var alarmTake: String { known("alarm.take") }

    /// “I’m still looking after it”
    public var alarmTakeAgain: String { known("alarm.take.again") }

    /// “{name} is looking after it.”
    public func alarmTaken(name: String) -> String {
        known("alarm.taken", ["name": name])
    }

    /// “Alarms”
    public var alarmTitle: String { known("alarm.title") }

    /// “You are looking after {name}.”
    public func alarmTook(name: String) -> String {
        known("alarm.took", ["name": name])
    }
}
