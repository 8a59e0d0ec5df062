// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// “Choose between 5 and 719 minutes.”
    public var senderGraceInvalid: String { known("sender.grace.invalid") }

    /// “Time to answer”
    public var senderGraceLabel: String { known("sender.grace.label") }

    /// “{count} minutes”
    public func senderGraceValue(count: Int) -> String {
        known("sender.grace.value", count: count)
    }

    /// “The reminder must come after the check-in is due and before its deadline.”
    public var senderReminderInvalid: String { known("sender.reminder.invalid") }

    /// “Reminder before the deadline”
    public var senderReminderLabel: String { known("sender.reminder.label") }

    /// “Choose up to 4 different reminders between the check-in and its deadline.”
    public var senderRemindersInvalid: String { known("sender.reminders.invalid") }

    /// “Your reminders are set.”
    public var senderRemindersSaved: String { known("sender.reminders.saved") }

    /// “Save”
    public var senderSave: String { known("sender.save") }

    /// “Your daily check-in is set.”
    public var senderSaved: String { known("sender.saved") }

    /// “Time”
    public var senderTimeLabel: String { known("sender.time.label") }

    /// “Your Daily Check-In”
    public var senderTitle: String { known("sender.title") }
}
