// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    static let textsEn: [String: Text] = [
        "access.edit":
            .plain("Edit"),
        "access.edit.meaning":
            .plain("Reads, adds and replaces documents while the vault is open."),
        "access.full":
            .plain("Full"),
        "access.full.meaning":
            .plain("Also deletes documents, invites nominees and locks the vault."),
        "access.refused":
            .plain("Your access level does not allow this."),
        "access.view":
            .plain("View"),
        "access.view.meaning":
            .plain("Reads the documents while the vault is open."),
        "account.delete.confirm":
            .plain("Delete Account"),
        "account.delete.message":
            .plain("This ends your connections and your access to vaults. After that nobody is told if you do not check in. It cannot be undone."),
        "account.delete.title":
            .plain("Delete Account?"),
        "alarm.another_receiver":
            .plain("another receiver"),
        "alarm.call":
            .plain("I need help"),
        "alarm.call.end.confirm":
            .plain("I'm safe, end the call"),
        "alarm.call.end.message":
            .plain("Everybody who was told reads that you are safe."),
        "alarm.call.end.title":
            .plain("End your call for help?"),
        "alarm.call.message":
            .plain("Everybody who sees your check-ins is told at once."),
        "alarm.call.title":
            .plain("Call for help?"),
        "alarm.call.told": .plural([
            .one: "{count} person is being told that you need help.",
            .other: "{count} people are being told that you need help.",
        ]),
        "alarm.call.unsent":
            .plain("Nobody has been told. Call {number} if you need help now. Your call for help was not sent, and it will not be sent later."),
        "alarm.call.unsent.title":
            .plain("Nobody Has Been Told"),
        "alarm.card.delete.confirm":
            .plain("Delete"),
        "alarm.card.delete.message":
            .plain("Whoever comes to look after you will not have it."),
        "alarm.card.delete.title":
            .plain("Delete your care card?"),
        "alarm.card.deleted":
            .plain("Your care card and your place are deleted."),
        "alarm.card.invalid":
            .plain("There can be up to 8 sections. Each needs a title and a text."),
        "alarm.card.meaning":
            .plain("{name} sees that you have looked at the care card."),
        "alarm.card.saved":
            .plain("Your care card is saved."),
        "alarm.card.show":
            .plain("Show the care card"),
        "alarm.decline":
            .plain("I can’t"),
        "alarm.declined":
            .plain("You have said that you can’t. The others can read it."),
        "alarm.drill":
            .plain("This is a drill: {body}"),
        "alarm.drill.held":
            .plain("The drill has begun."),
        "alarm.drill.hold":
            .plain("Hold a drill"),
        "alarm.drill.message":
            .plain("Your receivers are told as in an alarm. Each message says that it is a drill."),
        "alarm.ended":
            .plain("The alarm is over. Everybody who was told hears of it now."),
        "alarm.false":
            .plain("It was a false alarm"),
        "alarm.false.message":
            .plain("Everybody who was told learns that nothing has happened."),
        "alarm.false.title":
            .plain("Was it a false alarm?"),
        "alarm.help_called":
            .plain("I called the emergency number"),
        "alarm.help_called.title":
            .plain("Did you call the emergency number?"),
        "alarm.nobody_told":
            .plain("Nobody could be told. Call your local emergency number."),
        "alarm.none":
            .plain("There is no alarm."),
        "alarm.note.empty":
            .plain("Write something first."),
        "alarm.noted":
            .plain("Your note was added."),
        "alarm.plan.invalid":
            .plain("Each tier must come later than the one before it, at most 12 hours after the deadline."),
        "alarm.plan.saved":
            .plain("Your plan is saved."),
        "alarm.release":
            .plain("Hand it back"),
        "alarm.released":
            .plain("Somebody else can look after {name} now."),
        "alarm.reopen":
            .plain("Open it again"),
        "alarm.reopen.message":
            .plain("Everybody who was told is told again that somebody has to look."),
        "alarm.reopen.title":
            .plain("Open the alarm again?"),
        "alarm.reopened":
            .plain("The alarm is open again."),
        "alarm.safe":
            .plain("I reached them, they’re safe"),
        "alarm.safe.meaning":
            .plain("This ends the alarm. Everybody who was told learns that it was you."),
        "alarm.safe.title":
            .plain("Is {name} safe?"),
        "alarm.take":
            .plain("I’m looking after it"),
        "alarm.take.again":
            .plain("I’m still looking after it"),
        "alarm.taken":
            .plain("{name} is looking after it."),
        "alarm.title":
            .plain("Alarms"),
        "alarm.took":
            .plain("You are looking after {name}."),
        "button.cancel":
            .plain("Cancel"),
        "button.ok":
            .plain("OK"),
        "button.try_again":
            .plain("Try Again"),
        "chat.about":
            .plain("About {vault}. Nobody else reads it."),
        "chat.empty":
            .plain("Write something first."),
        "chat.me":
            .plain("You"),
        "chat.none":
            .plain("There is no message yet."),
        "chat.read":
            .plain("Read"),
        "chat.received":
            .plain("{name}: {text}"),
        "chat.send":
            .plain("Send"),
        "chat.sent":
            .plain("Message sent"),
        "chat.title":
            .plain("Chat with {name}"),
        "chat.unread": .plural([
            .one: "{count} unread message",
            .other: "{count} unread messages",
        ]),
        "check_in.button":
            .plain("I'm safe"),
        "check_in.kept":
            .plain("Not sent yet. Your check-in is kept on this device and will be sent when the network returns. Your receivers do not know about it yet."),
        "check_in.kept.sign_in":
            .plain("Not sent yet. Your check-in is kept on this device and will be sent when you have signed in again. Your receivers do not know about it yet."),
        "check_in.nothing":
            .plain("Nothing to check in to today."),
        "check_in.received":
            .plain("Your check-in has arrived."),
        "check_in.refused":
            .plain("Your check-in was not accepted. Your receivers do not know about it."),
        "check_in.sending":
            .plain("Sending your check-in…"),
        "check_in.sign_out": .plural([
            .one: "{count} check-in has not been sent yet. It stays on this device until you sign in again.",
            .other: "{count} check-ins have not been sent yet. They stay on this device until you sign in again.",
        ]),
        "check_in.unknown":
            .plain("Not loaded yet. You can check in all the same."),
        "connect.busy":
            .plain("Connecting…"),
        "connect.button":
            .plain("Connect"),
        "connect.code.entered": .plural([
            .one: "{count} of 6 digits entered",
            .other: "{count} of 6 digits entered",
        ]),
        "connect.code.incomplete":
            .plain("Enter all 6 digits of the code."),
        "connect.code.label":
            .plain("6-digit code"),
        "connect.done":
            .plain("Connected to {name}"),
        "connect.paste":
            .plain("Paste {code}"),
        "connect.title.receiver":
            .plain("Add a Sender"),
        "connect.title.sender":
            .plain("Add a Receiver"),
        "connection.pause.action":
            .plain("Pause Connection"),
        "connection.pause.confirm":
            .plain("Pause"),
        "connection.pause.done":
            .plain("The connection with {name} is paused"),
        "connection.pause.message":
            .plain("Pings will not be generated for this connection until you resume it. {name} will be notified. Until then, {name} is NOT told if you don’t check in."),
        "connection.pause.title":
            .plain("Pause Connection?"),
        "connection.remove.action":
            .plain("Remove Connection"),
        "connection.remove.confirm":
            .plain("Remove"),
        "connection.remove.done":
            .plain("The connection with {name} is removed"),
        "connection.remove.message.receiver":
            .plain("This will remove {name} from your senders list. They will be notified. You can reconnect later if they invite you again. You are no longer told if {name} does not check in."),
        "connection.remove.message.sender":
            .plain("This will stop sending pings to {name}. They will be notified. You can reconnect later using their code. From now on, {name} is NOT told if you don’t check in."),
        "connection.remove.title":
            .plain("Remove Connection?"),
        "connection.resume.action":
            .plain("Resume Connection"),
        "connection.resume.done":
            .plain("The connection with {name} is active"),
        "connection.status.active":
            .plain("Active"),
        "connection.status.announcement":
            .plain("{name}: {status}"),
        "connection.status.deleted":
            .plain("Removed"),
        "connection.status.paused":
            .plain("Paused"),
        "connection.status.pending":
            .plain("Pending"),
        "connection.unknown_since":
            .plain("Not known since {time}."),
        "dashboard.empty.receiver":
            .plain("Nobody sends you pings yet."),
        "dashboard.empty.sender":
            .plain("Nobody receives your pings yet."),
        "dashboard.open": .plural([
            .one: "{count} open ping",
            .other: "{count} open pings",
        ]),
        "dashboard.title.receiver":
            .plain("Your Senders"),
        "dashboard.title.sender":
            .plain("Your Receivers"),
        "emergency.approve":
            .plain("Yes, Let Them In"),
        "emergency.approve.confirm":
            .plain("Let Them In"),
        "emergency.approve.message":
            .plain("{name} gets into {vault} at once, without waiting."),
        "emergency.approve.title":
            .plain("Let {name} In Now?"),
        "emergency.approved":
            .plain("{name} can enter {vault}"),
        "emergency.ask":
            .plain("Ask for Access"),
        "emergency.ask.confirm":
            .plain("Ask"),
        "emergency.ask.message":
            .plain("The owner of {vault} is told at once and can say no."),
        "emergency.ask.title":
            .plain("Ask for Emergency Access?"),
        "emergency.asked":
            .plain("You asked for emergency access to {vault}"),
        "emergency.asks":
            .plain("{name} asks for emergency access to {vault}."),
        "emergency.enter":
            .plain("Enter Now"),
        "emergency.entered":
            .plain("You are in {vault}"),
        "emergency.gathering": .plural([
            .one: "{count} more nominee must ask before the wait begins.",
            .other: "{count} more nominees must ask before the wait begins.",
        ]),
        "emergency.granted":
            .plain("They can enter until {date}."),
        "emergency.grants":
            .plain("They get in on {date} unless you say no."),
        "emergency.held":
            .plain("Support has put this request on hold. It gives no access meanwhile."),
        "emergency.own.granted":
            .plain("You can enter {vault} now, until {date}."),
        "emergency.own.waiting":
            .plain("You can enter {vault} on {date} unless its owner says no."),
        "emergency.reject":
            .plain("No"),
        "emergency.reject.confirm":
            .plain("Say No"),
        "emergency.reject.message":
            .plain("{name} gets no access to {vault}. They are told."),
        "emergency.reject.title":
            .plain("Say No?"),
        "emergency.rejected":
            .plain("{name} gets no access to {vault}"),
        "emergency.settings.after_missed_days": .plural([
            .one: "After {count} missed day in a row",
            .other: "After {count} missed days in a row",
        ]),
        "emergency.settings.days.invalid":
            .plain("Choose between 2 and 30 missed days."),
        "emergency.settings.end":
            .plain("End Emergency Access"),
        "emergency.settings.end.confirm":
            .plain("End Access"),
        "emergency.settings.end.message":
            .plain("{name} can no longer get into {vault} in an emergency. A request that waits ends."),
        "emergency.settings.end.title":
            .plain("End Emergency Access?"),
        "emergency.settings.ended":
            .plain("Emergency access for {name} has ended"),
        "emergency.settings.grant": .plural([
            .one: "Lasts {count} hour",
            .other: "Lasts {count} hours",
        ]),
        "emergency.settings.grant.invalid":
            .plain("Choose a time between 1 hour and 30 days."),
        "emergency.settings.nothing":
            .plain("Choose what starts it: a request, missed days, or both."),
        "emergency.settings.on_request":
            .plain("{name} can ask"),
        "emergency.settings.saved":
            .plain("Emergency access for {name} is set"),
        "emergency.settings.title":
            .plain("Emergency Access for {name}"),
        "emergency.settings.wait": .plural([
            .one: "Waits {count} hour",
            .other: "Waits {count} hours",
        ]),
        "emergency.settings.wait.invalid":
            .plain("Choose a wait between 1 hour and 90 days."),
        "emergency.silence":
            .plain("You have not checked in. {name} gets emergency access to {vault}."),
        "emergency.status.ended":
            .plain("Ended"),
        "emergency.status.gathering":
            .plain("Waiting for Others"),
        "emergency.status.granted":
            .plain("Granted"),
        "emergency.status.rejected":
            .plain("Rejected"),
        "emergency.status.waiting":
            .plain("Waiting"),
        "emergency.status.withdrawn":
            .plain("Withdrawn"),
        "emergency.title":
            .plain("Emergency Access"),
        "emergency.withdraw":
            .plain("Withdraw"),
        "emergency.withdrawn":
            .plain("You withdrew your request"),
        "feedback.rating": .plural([
            .one: "{count} star of 5",
            .other: "{count} stars of 5",
        ]),
        "feedback.rating.missing":
            .plain("Choose 1 to 5 stars."),
        "feedback.send":
            .plain("Send"),
        "feedback.sent":
            .plain("Thank you. Your feedback has been sent."),
        "feedback.title":
            .plain("Feedback"),
        "feedback.topic.app":
            .plain("The app"),
        "feedback.topic.invitation":
            .plain("Invitations"),
        "feedback.topic.share":
            .plain("Sharing"),
        "invitation.accept":
            .plain("Accept"),
        "invitation.accepted":
            .plain("You accepted the invitation"),
        "invitation.access":
            .plain("Access: {level}"),
        "invitation.decline":
            .plain("Decline"),
        "invitation.declined":
            .plain("You declined the invitation"),
        "invitation.from":
            .plain("{name} invites you to {vault}."),
        "invitation.needs_confirmation":
            .plain("The vault's owner has not confirmed your access yet."),
        "invitation.over":
            .plain("This invitation can no longer be answered."),
        "invitation.transfer.from":
            .plain("{name} offers you {vault}. You become its owner."),
        "invite.button":
            .plain("Invite Receivers"),
        "invite.contacts":
            .plain("Select Contacts"),
        "invite.nobody":
            .plain("Choose at least one person with a phone number."),
        "invite.not_invited": .plural([
            .one: "{count} person could not be invited.",
            .other: "{count} people could not be invited.",
        ]),
        "invite.outcome.cancelled":
            .plain("Invitation not sent"),
        "invite.outcome.failed":
            .plain("The invitation could not be sent. Try again."),
        "invite.outcome.sent":
            .plain("Invitation sent"),
        "invite.outcome.unavailable":
            .plain("This device cannot send text messages. Copy the invitation instead."),
        "invite.without_number": .plural([
            .one: "{count} contact has no phone number.",
            .other: "{count} contacts have no phone number.",
        ]),
        "invitee.access":
            .plain("Access level"),
        "invitee.copied":
            .plain("Link copied"),
        "invitee.copy":
            .plain("Copy Link"),
        "invitee.email":
            .plain("Email"),
        "invitee.field":
            .plain("{label} ({hint})"),
        "invitee.name":
            .plain("Recipient name"),
        "invitee.name.empty":
            .plain("Enter the recipient's name."),
        "invitee.optional":
            .plain("optional"),
        "invitee.phone":
            .plain("Phone number"),
        "invitee.ready":
            .plain("The invitation for {name} is ready to send"),
        "invitee.required":
            .plain("required"),
        "invitee.send":
            .plain("Send Invitation"),
        "invitee.share":
            .plain("Share"),
        "nominee.meaning.accepted":
            .plain("Invitation accepted, waiting for vault to open"),
        "nominee.meaning.active":
            .plain("Vault is open, nominee has concurrent access"),
        "nominee.meaning.inactive":
            .plain("Temporarily disabled"),
        "nominee.meaning.pending":
            .plain("Invitation sent, not yet accepted"),
        "nominee.meaning.revoked":
            .plain("Access permanently revoked"),
        "nominee.status.accepted":
            .plain("Accepted"),
        "nominee.status.active":
            .plain("Active"),
        "nominee.status.inactive":
            .plain("Inactive"),
        "nominee.status.pending":
            .plain("Pending"),
        "nominee.status.revoked":
            .plain("Revoked"),
        "nominees.add":
            .plain("+"),
        "nominees.add.label":
            .plain("Invite a nominee"),
        "nominees.changed":
            .plain("The access of {name} has changed"),
        "nominees.chat":
            .plain("Chat"),
        "nominees.confirm":
            .plain("Confirm Access"),
        "nominees.confirmed":
            .plain("{name} has access to {vault}"),
        "nominees.empty":
            .plain("Nobody is a nominee of this vault yet."),
        "nominees.history":
            .plain("Access History"),
        "nominees.invite_via_messages":
            .plain("Invite via Messages"),
        "nominees.owner":
            .plain("Owner"),
        "nominees.path":
            .plain("Vault Detail → Sharing → Manage Nominees"),
        "nominees.pause":
            .plain("Pause Access"),
        "nominees.remove":
            .plain("Remove Nominee"),
        "nominees.remove.confirm":
            .plain("Remove"),
        "nominees.remove.message":
            .plain("This will end the access of {name} to {vault} at once. They will be notified. You can invite them again later."),
        "nominees.remove.title":
            .plain("Remove Nominee?"),
        "nominees.removed":
            .plain("{name} no longer has access to {vault}"),
        "nominees.resend":
            .plain("Resend Invitation"),
        "nominees.resent":
            .plain("A new invitation for {name} is ready. The old one no longer works."),
        "nominees.resume":
            .plain("Resume Access"),
        "nominees.title":
            .plain("Manage Nominees"),
        "notifications.empty":
            .plain("No notifications yet."),
        "notifications.read_all":
            .plain("Mark All as Read"),
        "notifications.title":
            .plain("Notifications"),
        "notifications.unread": .plural([
            .one: "{count} unread notification",
            .other: "{count} unread notifications",
        ]),
        "ping.status.cancelled":
            .plain("Cancelled"),
        "ping.status.completed":
            .plain("Checked In"),
        "ping.status.completed_late":
            .plain("Checked In Late"),
        "ping.status.due":
            .plain("Due"),
        "ping.status.missed":
            .plain("Missed"),
        "ping.status.scheduled":
            .plain("Scheduled"),
        "ping.status.unknown":
            .plain("Unknown"),
        "problem.content_damaged":
            .plain("The content arrived damaged. Please try again."),
        "problem.file":
            .plain("The file could not be read, or this device has no room for it."),
        "problem.not_done":
            .plain("This was not done. Please try again."),
        "problem.not_kept":
            .plain("This device could not keep your check-in, because its storage is full or cannot be written, and there is no connection. Nobody knows of it, and it is not sent later. Check in again when you are connected."),
        "problem.other_recipient":
            .plain("This message is for another person than the one who is signed in. Open the app and do it there."),
        "problem.retry.hours": .plural([
            .one: "Try again in {count} hour.",
            .other: "Try again in {count} hours.",
        ]),
        "problem.retry.minutes": .plural([
            .one: "Try again in {count} minute.",
            .other: "Try again in {count} minutes.",
        ]),
        "problem.retry.seconds": .plural([
            .one: "Try again in {count} second.",
            .other: "Try again in {count} seconds.",
        ]),
        "problem.signed_out":
            .plain("You are signed out. Sign in again."),
        "problem.title":
            .plain("That Did Not Work"),
        "problem.unreachable":
            .plain("No connection to the server. Check your network and try again."),
        "problem.unreadable":
            .plain("A check-in that was kept on this device cannot be read. It is not sent. Please check in again."),
        "screen.outdated":
            .plain("Not up to date since {time}."),
        "sender.grace.invalid":
            .plain("Choose between 5 and 719 minutes."),
        "sender.grace.label":
            .plain("Time to answer"),
        "sender.grace.value": .plural([
            .one: "{count} minute",
            .other: "{count} minutes",
        ]),
        "sender.reminder.invalid":
            .plain("The reminder must come after the check-in is due and before its deadline."),
        "sender.reminder.label":
            .plain("Reminder before the deadline"),
        "sender.reminders.invalid":
            .plain("Choose up to 4 different reminders between the check-in and its deadline."),
        "sender.reminders.saved":
            .plain("Your reminders are set."),
        "sender.save":
            .plain("Save"),
        "sender.saved":
            .plain("Your daily check-in is set."),
        "sender.time.label":
            .plain("Time"),
        "sender.title":
            .plain("Your Daily Check-In"),
        "share.changed.read_only":
            .plain("The participants can now view {vault}."),
        "share.changed.read_write":
            .plain("The participants can now edit {vault}."),
        "share.none":
            .plain("You share no vault."),
        "share.participants": .plural([
            .one: "{count} participant",
            .other: "{count} participants",
        ]),
        "share.permission":
            .plain("Permission"),
        "share.read_only":
            .plain("View"),
        "share.read_write":
            .plain("Edit"),
        "share.revoke":
            .plain("Stop Sharing"),
        "share.revoke.confirm":
            .plain("Stop Sharing"),
        "share.revoke.message":
            .plain("Everybody who has access to {vault} through this share loses it at once."),
        "share.revoke.title":
            .plain("Stop Sharing?"),
        "share.revoked":
            .plain("{vault} is no longer shared."),
        "sign_in.address.button":
            .plain("Send Code"),
        "sign_in.address.empty":
            .plain("Enter your phone number or your e-mail address."),
        "sign_in.address.label":
            .plain("Phone number or e-mail"),
        "sign_in.code.again":
            .plain("Send a New Code"),
        "sign_in.code.button":
            .plain("Sign In"),
        "sign_in.code.incomplete":
            .plain("Enter all 6 digits of the code."),
        "sign_in.code.sent":
            .plain("We sent a code to {address}."),
        "sign_in.done":
            .plain("Signed in"),
        "sign_in.title":
            .plain("Sign In"),
        "thing.end.confirm":
            .plain("Remove"),
        "thing.end.message":
            .plain("Its address stops working."),
        "thing.end.title":
            .plain("Remove {name}?"),
        "thing.ended":
            .plain("{name} is removed."),
        "thing.made":
            .plain("Let {name} open this address. It is shown only once."),
        "thing.name.empty":
            .plain("Give it a name."),
        "transfer.button":
            .plain("Transfer"),
        "transfer.cancel":
            .plain("Cancel Transfer"),
        "transfer.cancelled":
            .plain("The transfer is cancelled"),
        "transfer.first.confirm":
            .plain("Continue"),
        "transfer.first.message.keep":
            .plain("{name} becomes the owner of {vault}. You stay as a nominee with full access, and your other nominees lose theirs."),
        "transfer.first.message.leave":
            .plain("{name} becomes the owner of {vault}. You lose your access, and your nominees lose theirs."),
        "transfer.first.title":
            .plain("Transfer {vault}?"),
        "transfer.ready":
            .plain("The offer to {name} is ready to send"),
        "transfer.second.confirm":
            .plain("Transfer Vault"),
        "transfer.second.message":
            .plain("Once {name} accepts, you cannot take {vault} back."),
        "transfer.second.title":
            .plain("Are You Sure?"),
        "transfer.title":
            .plain("Transfer Ownership"),
        "vault.delete.confirm":
            .plain("Delete"),
        "vault.delete.message":
            .plain("{vault} is locked at once, and nobody can enter. You can restore it for 30 days."),
        "vault.delete.title":
            .plain("Delete Vault?"),
        "vault.left.minutes": .plural([
            .one: "Locks in {count} minute",
            .other: "Locks in {count} minutes",
        ]),
        "vault.left.seconds": .plural([
            .one: "Locks in {count} second",
            .other: "Locks in {count} seconds",
        ]),
        "vault.lock":
            .plain("Lock Vault"),
        "vault.locked":
            .plain("{vault} is locked"),
        "vault.locked.expired":
            .plain("{vault} locked itself after 30 minutes without activity"),
        "vault.locked.nominee":
            .plain("This vault is locked. You can enter while its owner has it open."),
        "vault.locked.owner":
            .plain("Your nominees cannot enter until the vault is open, except by emergency access."),
        "vault.open":
            .plain("Open Vault"),
        "vault.open.meaning":
            .plain("While the vault is open, every nominee who has accepted can enter. All see the same documents."),
        "vault.opened":
            .plain("{vault} is open"),
        "vault.state.locked":
            .plain("Locked"),
        "vault.state.open":
            .plain("Open"),
    ]
}
