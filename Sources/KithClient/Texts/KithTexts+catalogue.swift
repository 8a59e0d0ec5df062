// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    /// The languages of the catalogue beside English, a variant after its base.
    static let translations: [KithTexts] = [
        KithTexts(language: "de", texts: textsDe) { number in
            number == 1 ? .one : .other
        },
        KithTexts(language: "de-informal", texts: textsDe.merging(textsDeInformal) { $1 }) { number in
            number == 1 ? .one : .other
        },
    ]

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
            .plain("This ends your connections and your access to vaults. It cannot be undone."),
        "account.delete.title":
            .plain("Delete Account?"),
        "button.cancel":
            .plain("Cancel"),
        "button.ok":
            .plain("OK"),
        "button.try_again":
            .plain("Try Again"),
        "check_in.button":
            .plain("I'm safe"),
        "check_in.done":
            .plain("You checked in at {time}."),
        "check_in.done_late":
            .plain("You checked in late, at {time}."),
        "check_in.due":
            .plain("Let your receivers know you're safe."),
        "check_in.kept":
            .plain("Not sent yet. Your check-in is kept on this device and will be sent when the network returns. Your receivers do not know about it yet."),
        "check_in.later":
            .plain("Your next check-in is at {time}."),
        "check_in.left": .plural([
            .one: "{count} minute left to check in.",
            .other: "{count} minutes left to check in.",
        ]),
        "check_in.missed":
            .plain("You missed today's check-in. Check in now to let your receivers know you're safe."),
        "check_in.nothing":
            .plain("Nothing to check in to today."),
        "check_in.on_break":
            .plain("You are on a break until {date}."),
        "check_in.received":
            .plain("Your check-in has arrived."),
        "check_in.refused":
            .plain("Your check-in was not accepted. Your receivers do not know about it."),
        "check_in.seen.completed":
            .plain("{name} checked in."),
        "check_in.seen.late":
            .plain("{name} checked in late. They're safe."),
        "check_in.seen.missed":
            .plain("{name} has not checked in today."),
        "check_in.sending":
            .plain("Sending your check-in…"),
        "check_in.sign_out": .plural([
            .one: "{count} check-in has not been sent yet. It stays on this device until you sign in again.",
            .other: "{count} check-ins have not been sent yet. They stay on this device until you sign in again.",
        ]),
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
            .plain("Pings will not be generated for this connection until you resume it. {name} will be notified."),
        "connection.pause.title":
            .plain("Pause Connection?"),
        "connection.remove.action":
            .plain("Remove Connection"),
        "connection.remove.confirm":
            .plain("Remove"),
        "connection.remove.done":
            .plain("The connection with {name} is removed"),
        "connection.remove.message.receiver":
            .plain("This will remove {name} from your senders list. They will be notified. You can reconnect later if they invite you again."),
        "connection.remove.message.sender":
            .plain("This will stop sending pings to {name}. They will be notified. You can reconnect later using their code."),
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
            .plain("Support holds this request. Nobody gets in meanwhile."),
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
        "problem.title":
            .plain("That Did Not Work"),
        "problem.unreachable":
            .plain("No connection to the server. Check your network and try again."),
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
        "sender.save":
            .plain("Save"),
        "sender.saved":
            .plain("Your daily check-in is set."),
        "sender.time.label":
            .plain("Time"),
        "sender.title":
            .plain("Your Daily Check-In"),
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
        "sign_in.address.button":
            .plain("Send Code"),
        "sign_in.address.empty":
            .plain("Enter your phone number or your email."),
        "sign_in.address.label":
            .plain("Phone number or email"),
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
            .plain("Nobody can enter until you open the vault."),
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

    static let textsDe: [String: Text] = [
        "access.edit":
            .plain("Bearbeiten"),
        "access.edit.meaning":
            .plain("Liest, ergänzt und ersetzt Dokumente, solange der Tresor offen ist."),
        "access.full":
            .plain("Voll"),
        "access.full.meaning":
            .plain("Löscht auch Dokumente, lädt Vertrauenspersonen ein und verschließt den Tresor."),
        "access.refused":
            .plain("Ihr Zugang erlaubt das nicht."),
        "access.view":
            .plain("Lesen"),
        "access.view.meaning":
            .plain("Liest die Dokumente, solange der Tresor offen ist."),
        "account.delete.confirm":
            .plain("Konto löschen"),
        "account.delete.message":
            .plain("Damit enden Ihre Verbindungen und Ihr Zugang zu Tresoren. Das lässt sich nicht rückgängig machen."),
        "account.delete.title":
            .plain("Konto löschen?"),
        "button.cancel":
            .plain("Abbrechen"),
        "button.ok":
            .plain("OK"),
        "button.try_again":
            .plain("Noch einmal versuchen"),
        "check_in.button":
            .plain("Mir geht es gut"),
        "check_in.done":
            .plain("Sie haben sich um {time} gemeldet."),
        "check_in.done_late":
            .plain("Sie haben sich verspätet gemeldet, um {time}."),
        "check_in.due":
            .plain("Ein kurzes Lebenszeichen genügt, und Ihre Kontaktpersonen wissen, dass es Ihnen gut geht."),
        "check_in.kept":
            .plain("Noch nicht gesendet. Ihr Lebenszeichen bleibt auf diesem Gerät und geht hinaus, sobald wieder Netz da ist. Ihre Kontaktpersonen wissen noch nichts davon."),
        "check_in.later":
            .plain("Ihr nächstes Lebenszeichen ist um {time} fällig."),
        "check_in.left": .plural([
            .one: "Sie haben noch eine Minute, um sich zu melden.",
            .other: "Sie haben noch {count} Minuten, um sich zu melden.",
        ]),
        "check_in.missed":
            .plain("Sie haben sich heute noch nicht gemeldet. Melden Sie sich jetzt, damit Ihre Kontaktpersonen wissen, dass es Ihnen gut geht."),
        "check_in.nothing":
            .plain("Heute ist kein Lebenszeichen fällig."),
        "check_in.on_break":
            .plain("Sie nehmen sich bis zum {date} eine Auszeit."),
        "check_in.received":
            .plain("Ihr Lebenszeichen ist angekommen."),
        "check_in.refused":
            .plain("Ihr Lebenszeichen wurde nicht angenommen. Ihre Kontaktpersonen wissen nichts davon."),
        "check_in.seen.completed":
            .plain("{name} hat sich gemeldet."),
        "check_in.seen.late":
            .plain("{name} hat sich verspätet gemeldet. Es ist alles in Ordnung."),
        "check_in.seen.missed":
            .plain("{name} hat sich heute noch nicht gemeldet."),
        "check_in.sending":
            .plain("Ihr Lebenszeichen wird gesendet …"),
        "check_in.sign_out": .plural([
            .one: "{count} Lebenszeichen ist noch nicht gesendet. Es bleibt auf diesem Gerät, bis Sie sich wieder anmelden.",
            .other: "{count} Lebenszeichen sind noch nicht gesendet. Sie bleiben auf diesem Gerät, bis Sie sich wieder anmelden.",
        ]),
        "connect.busy":
            .plain("Wird verbunden …"),
        "connect.button":
            .plain("Verbinden"),
        "connect.code.entered": .plural([
            .one: "{count} von 6 Ziffern eingegeben",
            .other: "{count} von 6 Ziffern eingegeben",
        ]),
        "connect.code.incomplete":
            .plain("Geben Sie alle 6 Ziffern des Codes ein."),
        "connect.code.label":
            .plain("Sechsstelliger Code"),
        "connect.done":
            .plain("Verbunden mit {name}"),
        "connect.paste":
            .plain("{code} einsetzen"),
        "connect.title.receiver":
            .plain("Auf jemanden achten"),
        "connect.title.sender":
            .plain("Kontaktperson hinzufügen"),
        "connection.pause.action":
            .plain("Verbindung pausieren"),
        "connection.pause.confirm":
            .plain("Pausieren"),
        "connection.pause.done":
            .plain("Die Verbindung mit {name} ist pausiert"),
        "connection.pause.message":
            .plain("Über diese Verbindung werden Sie nicht mehr nach einem Lebenszeichen gefragt, bis Sie sie wieder aufnehmen. {name} erfährt davon."),
        "connection.pause.title":
            .plain("Verbindung pausieren?"),
        "connection.remove.action":
            .plain("Verbindung beenden"),
        "connection.remove.confirm":
            .plain("Beenden"),
        "connection.remove.done":
            .plain("Die Verbindung mit {name} ist beendet"),
        "connection.remove.message.receiver":
            .plain("{name} steht dann nicht mehr auf Ihrer Liste und erfährt davon. Mit einer neuen Einladung können Sie sich später wieder verbinden."),
        "connection.remove.message.sender":
            .plain("{name} bekommt dann keine Lebenszeichen mehr von Ihnen und erfährt davon. Mit dem Code dieser Person können Sie sich später wieder verbinden."),
        "connection.remove.title":
            .plain("Verbindung beenden?"),
        "connection.resume.action":
            .plain("Verbindung wieder aufnehmen"),
        "connection.resume.done":
            .plain("Die Verbindung mit {name} ist aktiv"),
        "connection.status.active":
            .plain("Aktiv"),
        "connection.status.announcement":
            .plain("{name}: {status}"),
        "connection.status.deleted":
            .plain("Beendet"),
        "connection.status.paused":
            .plain("Pausiert"),
        "connection.status.pending":
            .plain("Angefragt"),
        "dashboard.empty.receiver":
            .plain("Noch schickt Ihnen niemand Lebenszeichen."),
        "dashboard.empty.sender":
            .plain("Noch bekommt niemand Ihre Lebenszeichen."),
        "dashboard.open": .plural([
            .one: "{count} Lebenszeichen steht aus",
            .other: "{count} Lebenszeichen stehen aus",
        ]),
        "dashboard.title.receiver":
            .plain("Auf wen Sie achten"),
        "dashboard.title.sender":
            .plain("Ihre Kontaktpersonen"),
        "emergency.approve":
            .plain("Ja, Zugang geben"),
        "emergency.approve.confirm":
            .plain("Zugang geben"),
        "emergency.approve.message":
            .plain("{name} kommt sofort in den Tresor {vault}, ohne Wartezeit."),
        "emergency.approve.title":
            .plain("{name} jetzt Zugang geben?"),
        "emergency.approved":
            .plain("{name} kann in den Tresor {vault}"),
        "emergency.ask":
            .plain("Um Zugang bitten"),
        "emergency.ask.confirm":
            .plain("Bitten"),
        "emergency.ask.message":
            .plain("Die Person, der der Tresor {vault} gehört, erfährt es sofort und kann widersprechen."),
        "emergency.ask.title":
            .plain("Um Notfallzugang bitten?"),
        "emergency.asked":
            .plain("Sie haben um Notfallzugang zum Tresor {vault} gebeten"),
        "emergency.asks":
            .plain("{name} bittet um Notfallzugang zum Tresor {vault}."),
        "emergency.enter":
            .plain("Jetzt hinein"),
        "emergency.entered":
            .plain("Sie sind im Tresor {vault}"),
        "emergency.gathering": .plural([
            .one: "Noch {count} Vertrauensperson muss darum bitten, bevor die Wartezeit beginnt.",
            .other: "Noch {count} Vertrauenspersonen müssen darum bitten, bevor die Wartezeit beginnt.",
        ]),
        "emergency.granted":
            .plain("Der Zugang gilt bis zum {date}."),
        "emergency.grants":
            .plain("Ohne Ihren Widerspruch beginnt der Zugang am {date}."),
        "emergency.held":
            .plain("Der Support hält diese Bitte an. Solange kommt niemand hinein."),
        "emergency.own.granted":
            .plain("Sie können jetzt in den Tresor {vault}, bis zum {date}."),
        "emergency.own.waiting":
            .plain("Sie können am {date} in den Tresor {vault}, wenn niemand widerspricht."),
        "emergency.reject":
            .plain("Nein"),
        "emergency.reject.confirm":
            .plain("Widersprechen"),
        "emergency.reject.message":
            .plain("{name} bekommt keinen Zugang zum Tresor {vault} und erfährt davon."),
        "emergency.reject.title":
            .plain("Widersprechen?"),
        "emergency.rejected":
            .plain("{name} bekommt keinen Zugang zum Tresor {vault}"),
        "emergency.settings.after_missed_days": .plural([
            .one: "Nach {count} Tag ohne Lebenszeichen",
            .other: "Nach {count} Tagen in Folge ohne Lebenszeichen",
        ]),
        "emergency.settings.days.invalid":
            .plain("Wählen Sie zwischen 2 und 30 Tagen ohne Lebenszeichen."),
        "emergency.settings.end":
            .plain("Notfallzugang beenden"),
        "emergency.settings.end.confirm":
            .plain("Zugang beenden"),
        "emergency.settings.end.message":
            .plain("{name} kommt im Notfall nicht mehr in den Tresor {vault}. Eine wartende Bitte endet."),
        "emergency.settings.end.title":
            .plain("Notfallzugang beenden?"),
        "emergency.settings.ended":
            .plain("Der Notfallzugang für {name} ist beendet"),
        "emergency.settings.grant": .plural([
            .one: "Dauert {count} Stunde",
            .other: "Dauert {count} Stunden",
        ]),
        "emergency.settings.grant.invalid":
            .plain("Wählen Sie eine Dauer zwischen 1 Stunde und 30 Tagen."),
        "emergency.settings.nothing":
            .plain("Wählen Sie, was den Zugang auslöst: eine Bitte, Tage ohne Lebenszeichen oder beides."),
        "emergency.settings.on_request":
            .plain("{name} kann darum bitten"),
        "emergency.settings.saved":
            .plain("Der Notfallzugang für {name} ist eingerichtet"),
        "emergency.settings.title":
            .plain("Notfallzugang für {name}"),
        "emergency.settings.wait": .plural([
            .one: "Wartet {count} Stunde",
            .other: "Wartet {count} Stunden",
        ]),
        "emergency.settings.wait.invalid":
            .plain("Wählen Sie eine Wartezeit zwischen 1 Stunde und 90 Tagen."),
        "emergency.silence":
            .plain("Sie haben sich nicht gemeldet. {name} bekommt Notfallzugang zum Tresor {vault}."),
        "emergency.status.ended":
            .plain("Beendet"),
        "emergency.status.gathering":
            .plain("Wartet auf andere"),
        "emergency.status.granted":
            .plain("Gewährt"),
        "emergency.status.rejected":
            .plain("Abgelehnt"),
        "emergency.status.waiting":
            .plain("Wartet"),
        "emergency.status.withdrawn":
            .plain("Zurückgezogen"),
        "emergency.title":
            .plain("Notfallzugang"),
        "emergency.withdraw":
            .plain("Zurückziehen"),
        "emergency.withdrawn":
            .plain("Sie haben Ihre Bitte zurückgezogen"),
        "feedback.rating": .plural([
            .one: "{count} Stern von 5",
            .other: "{count} Sterne von 5",
        ]),
        "feedback.rating.missing":
            .plain("Wählen Sie 1 bis 5 Sterne."),
        "feedback.send":
            .plain("Senden"),
        "feedback.sent":
            .plain("Danke. Ihre Rückmeldung ist gesendet."),
        "feedback.title":
            .plain("Rückmeldung"),
        "feedback.topic.app":
            .plain("Die App"),
        "feedback.topic.invitation":
            .plain("Einladungen"),
        "feedback.topic.share":
            .plain("Teilen"),
        "invitation.accept":
            .plain("Annehmen"),
        "invitation.accepted":
            .plain("Sie haben die Einladung angenommen"),
        "invitation.access":
            .plain("Zugang: {level}"),
        "invitation.decline":
            .plain("Ablehnen"),
        "invitation.declined":
            .plain("Sie haben die Einladung abgelehnt"),
        "invitation.from":
            .plain("{name} lädt Sie zum Tresor {vault} ein."),
        "invitation.needs_confirmation":
            .plain("Ihr Zugang ist noch nicht bestätigt."),
        "invitation.over":
            .plain("Auf diese Einladung kann nicht mehr geantwortet werden."),
        "invitation.transfer.from":
            .plain("{name} möchte Ihnen den Tresor {vault} übergeben. Er gehört dann Ihnen."),
        "invite.button":
            .plain("Kontaktpersonen einladen"),
        "invite.contacts":
            .plain("Aus Kontakten wählen"),
        "invite.nobody":
            .plain("Wählen Sie mindestens eine Person mit Telefonnummer."),
        "invite.not_invited": .plural([
            .one: "{count} Person konnte nicht eingeladen werden.",
            .other: "{count} Personen konnten nicht eingeladen werden.",
        ]),
        "invite.outcome.cancelled":
            .plain("Einladung nicht gesendet"),
        "invite.outcome.failed":
            .plain("Die Einladung ließ sich nicht senden. Versuchen Sie es noch einmal."),
        "invite.outcome.sent":
            .plain("Einladung gesendet"),
        "invite.outcome.unavailable":
            .plain("Dieses Gerät kann keine Nachrichten senden. Kopieren Sie die Einladung stattdessen."),
        "invite.without_number": .plural([
            .one: "{count} Kontakt hat keine Telefonnummer.",
            .other: "{count} Kontakte haben keine Telefonnummer.",
        ]),
        "invitee.access":
            .plain("Zugang"),
        "invitee.copied":
            .plain("Link kopiert"),
        "invitee.copy":
            .plain("Link kopieren"),
        "invitee.email":
            .plain("E-Mail-Adresse"),
        "invitee.field":
            .plain("{label} ({hint})"),
        "invitee.name":
            .plain("Name"),
        "invitee.name.empty":
            .plain("Geben Sie an, wen Sie einladen."),
        "invitee.optional":
            .plain("freiwillig"),
        "invitee.phone":
            .plain("Telefonnummer"),
        "invitee.ready":
            .plain("Die Einladung für {name} kann gesendet werden"),
        "invitee.required":
            .plain("erforderlich"),
        "invitee.send":
            .plain("Einladung senden"),
        "invitee.share":
            .plain("Teilen"),
        "nominee.meaning.accepted":
            .plain("Einladung angenommen, der Tresor ist noch verschlossen"),
        "nominee.meaning.active":
            .plain("Der Tresor ist offen, Zugang ist möglich"),
        "nominee.meaning.inactive":
            .plain("Vorübergehend ohne Zugang"),
        "nominee.meaning.pending":
            .plain("Einladung verschickt, noch nicht angenommen"),
        "nominee.meaning.revoked":
            .plain("Zugang auf Dauer entzogen"),
        "nominee.status.accepted":
            .plain("Angenommen"),
        "nominee.status.active":
            .plain("Aktiv"),
        "nominee.status.inactive":
            .plain("Pausiert"),
        "nominee.status.pending":
            .plain("Eingeladen"),
        "nominee.status.revoked":
            .plain("Entzogen"),
        "nominees.add":
            .plain("+"),
        "nominees.add.label":
            .plain("Vertrauensperson einladen"),
        "nominees.changed":
            .plain("Der Zugang von {name} ist geändert"),
        "nominees.chat":
            .plain("Chat"),
        "nominees.confirm":
            .plain("Zugang bestätigen"),
        "nominees.confirmed":
            .plain("{name} hat Zugang zum Tresor {vault}"),
        "nominees.empty":
            .plain("Dieser Tresor hat noch keine Vertrauenspersonen."),
        "nominees.history":
            .plain("Zugangsprotokoll"),
        "nominees.invite_via_messages":
            .plain("Per Nachricht einladen"),
        "nominees.owner":
            .plain("Inhaber/in"),
        "nominees.path":
            .plain("Tresor → Teilen → Vertrauenspersonen verwalten"),
        "nominees.pause":
            .plain("Zugang pausieren"),
        "nominees.remove":
            .plain("Vertrauensperson entfernen"),
        "nominees.remove.confirm":
            .plain("Entfernen"),
        "nominees.remove.message":
            .plain("Der Zugang von {name} zum Tresor {vault} endet sofort, mit einer Mitteilung. Sie können die Person später wieder einladen."),
        "nominees.remove.title":
            .plain("Vertrauensperson entfernen?"),
        "nominees.removed":
            .plain("{name} hat keinen Zugang mehr zum Tresor {vault}"),
        "nominees.resend":
            .plain("Einladung erneut senden"),
        "nominees.resent":
            .plain("Eine neue Einladung für {name} liegt bereit. Die alte gilt nicht mehr."),
        "nominees.resume":
            .plain("Zugang wieder geben"),
        "nominees.title":
            .plain("Vertrauenspersonen verwalten"),
        "notifications.empty":
            .plain("Noch keine Mitteilungen."),
        "notifications.read_all":
            .plain("Alle als gelesen markieren"),
        "notifications.title":
            .plain("Mitteilungen"),
        "notifications.unread": .plural([
            .one: "{count} ungelesene Mitteilung",
            .other: "{count} ungelesene Mitteilungen",
        ]),
        "ping.status.cancelled":
            .plain("Entfallen"),
        "ping.status.completed":
            .plain("Gemeldet"),
        "ping.status.completed_late":
            .plain("Verspätet gemeldet"),
        "ping.status.due":
            .plain("Fällig"),
        "ping.status.missed":
            .plain("Nicht gemeldet"),
        "ping.status.scheduled":
            .plain("Geplant"),
        "ping.status.unknown":
            .plain("Unbekannt"),
        "problem.retry.hours": .plural([
            .one: "Versuchen Sie es in {count} Stunde noch einmal.",
            .other: "Versuchen Sie es in {count} Stunden noch einmal.",
        ]),
        "problem.retry.minutes": .plural([
            .one: "Versuchen Sie es in {count} Minute noch einmal.",
            .other: "Versuchen Sie es in {count} Minuten noch einmal.",
        ]),
        "problem.retry.seconds": .plural([
            .one: "Versuchen Sie es in {count} Sekunde noch einmal.",
            .other: "Versuchen Sie es in {count} Sekunden noch einmal.",
        ]),
        "problem.title":
            .plain("Das hat nicht geklappt"),
        "problem.unreachable":
            .plain("Keine Verbindung zum Server. Prüfen Sie Ihr Netz und versuchen Sie es noch einmal."),
        "sender.grace.invalid":
            .plain("Wählen Sie zwischen 5 und 719 Minuten."),
        "sender.grace.label":
            .plain("Zeit zum Antworten"),
        "sender.grace.value": .plural([
            .one: "{count} Minute",
            .other: "{count} Minuten",
        ]),
        "sender.reminder.invalid":
            .plain("Die Erinnerung muss kommen, nachdem Sie gefragt wurden und bevor die Zeit abläuft."),
        "sender.reminder.label":
            .plain("Erinnerung vor Ablauf der Zeit"),
        "sender.save":
            .plain("Sichern"),
        "sender.saved":
            .plain("Ihr tägliches Lebenszeichen ist eingerichtet."),
        "sender.time.label":
            .plain("Uhrzeit"),
        "sender.title":
            .plain("Ihr tägliches Lebenszeichen"),
        "share.permission":
            .plain("Berechtigung"),
        "share.read_only":
            .plain("Lesen"),
        "share.read_write":
            .plain("Bearbeiten"),
        "share.revoke":
            .plain("Nicht mehr teilen"),
        "share.revoke.confirm":
            .plain("Nicht mehr teilen"),
        "share.revoke.message":
            .plain("Wer über diese Freigabe Zugang zum Tresor {vault} hat, verliert ihn sofort."),
        "share.revoke.title":
            .plain("Nicht mehr teilen?"),
        "sign_in.address.button":
            .plain("Code schicken"),
        "sign_in.address.empty":
            .plain("Geben Sie Ihre Telefonnummer oder Ihre E-Mail-Adresse ein."),
        "sign_in.address.label":
            .plain("Telefonnummer oder E-Mail-Adresse"),
        "sign_in.code.again":
            .plain("Neuen Code schicken"),
        "sign_in.code.button":
            .plain("Anmelden"),
        "sign_in.code.incomplete":
            .plain("Geben Sie alle 6 Ziffern des Codes ein."),
        "sign_in.code.sent":
            .plain("Wir haben einen Code an {address} geschickt."),
        "sign_in.done":
            .plain("Angemeldet"),
        "sign_in.title":
            .plain("Anmelden"),
        "transfer.button":
            .plain("Übergeben"),
        "transfer.cancel":
            .plain("Übergabe abbrechen"),
        "transfer.cancelled":
            .plain("Die Übergabe ist abgebrochen"),
        "transfer.first.confirm":
            .plain("Weiter"),
        "transfer.first.message.keep":
            .plain("Der Tresor {vault} gehört dann {name}. Sie behalten als Vertrauensperson vollen Zugang, Ihre anderen Vertrauenspersonen verlieren ihren."),
        "transfer.first.message.leave":
            .plain("Der Tresor {vault} gehört dann {name}. Sie und Ihre Vertrauenspersonen verlieren den Zugang."),
        "transfer.first.title":
            .plain("Tresor {vault} übergeben?"),
        "transfer.ready":
            .plain("Das Angebot an {name} kann gesendet werden"),
        "transfer.second.confirm":
            .plain("Tresor übergeben"),
        "transfer.second.message":
            .plain("Sobald {name} annimmt, können Sie den Tresor {vault} nicht zurückholen."),
        "transfer.second.title":
            .plain("Sind Sie sicher?"),
        "transfer.title":
            .plain("Tresor übergeben"),
        "vault.delete.confirm":
            .plain("Löschen"),
        "vault.delete.message":
            .plain("Der Tresor {vault} wird sofort verschlossen, und niemand kommt mehr hinein. Sie können ihn 30 Tage lang wiederherstellen."),
        "vault.delete.title":
            .plain("Tresor löschen?"),
        "vault.left.minutes": .plural([
            .one: "Schließt in {count} Minute",
            .other: "Schließt in {count} Minuten",
        ]),
        "vault.left.seconds": .plural([
            .one: "Schließt in {count} Sekunde",
            .other: "Schließt in {count} Sekunden",
        ]),
        "vault.lock":
            .plain("Tresor verschließen"),
        "vault.locked":
            .plain("Der Tresor {vault} ist verschlossen"),
        "vault.locked.expired":
            .plain("Der Tresor {vault} hat sich nach 30 Minuten ohne Nutzung verschlossen"),
        "vault.locked.nominee":
            .plain("Dieser Tresor ist verschlossen. Sie können hinein, solange er geöffnet ist."),
        "vault.locked.owner":
            .plain("Niemand kommt hinein, bis Sie den Tresor öffnen."),
        "vault.open":
            .plain("Tresor öffnen"),
        "vault.open.meaning":
            .plain("Solange der Tresor offen ist, kommen alle Vertrauenspersonen hinein, die angenommen haben. Alle sehen dieselben Dokumente."),
        "vault.opened":
            .plain("Der Tresor {vault} ist offen"),
        "vault.state.locked":
            .plain("Verschlossen"),
        "vault.state.open":
            .plain("Offen"),
    ]

    static let textsDeInformal: [String: Text] = [
        "access.refused":
            .plain("Dein Zugang erlaubt das nicht."),
        "account.delete.message":
            .plain("Damit enden deine Verbindungen und dein Zugang zu Tresoren. Das lässt sich nicht rückgängig machen."),
        "check_in.done":
            .plain("Du hast dich um {time} gemeldet."),
        "check_in.done_late":
            .plain("Du hast dich verspätet gemeldet, um {time}."),
        "check_in.due":
            .plain("Ein kurzes Lebenszeichen genügt, und deine Kontaktpersonen wissen, dass es dir gut geht."),
        "check_in.kept":
            .plain("Noch nicht gesendet. Dein Lebenszeichen bleibt auf diesem Gerät und geht hinaus, sobald wieder Netz da ist. Deine Kontaktpersonen wissen noch nichts davon."),
        "check_in.later":
            .plain("Dein nächstes Lebenszeichen ist um {time} fällig."),
        "check_in.left": .plural([
            .one: "Du hast noch eine Minute, um dich zu melden.",
            .other: "Du hast noch {count} Minuten, um dich zu melden.",
        ]),
        "check_in.missed":
            .plain("Du hast dich heute noch nicht gemeldet. Melde dich jetzt, damit deine Kontaktpersonen wissen, dass es dir gut geht."),
        "check_in.on_break":
            .plain("Du nimmst dir bis zum {date} eine Auszeit."),
        "check_in.received":
            .plain("Dein Lebenszeichen ist angekommen."),
        "check_in.refused":
            .plain("Dein Lebenszeichen wurde nicht angenommen. Deine Kontaktpersonen wissen nichts davon."),
        "check_in.sending":
            .plain("Dein Lebenszeichen wird gesendet …"),
        "check_in.sign_out": .plural([
            .one: "{count} Lebenszeichen ist noch nicht gesendet. Es bleibt auf diesem Gerät, bis du dich wieder anmeldest.",
            .other: "{count} Lebenszeichen sind noch nicht gesendet. Sie bleiben auf diesem Gerät, bis du dich wieder anmeldest.",
        ]),
        "connect.code.incomplete":
            .plain("Gib alle 6 Ziffern des Codes ein."),
        "connection.pause.message":
            .plain("Über diese Verbindung wirst du nicht mehr nach einem Lebenszeichen gefragt, bis du sie wieder aufnimmst. {name} erfährt davon."),
        "connection.remove.message.receiver":
            .plain("{name} steht dann nicht mehr auf deiner Liste und erfährt davon. Mit einer neuen Einladung kannst du dich später wieder verbinden."),
        "connection.remove.message.sender":
            .plain("{name} bekommt dann keine Lebenszeichen mehr von dir und erfährt davon. Mit dem Code dieser Person kannst du dich später wieder verbinden."),
        "dashboard.empty.receiver":
            .plain("Noch schickt dir niemand Lebenszeichen."),
        "dashboard.empty.sender":
            .plain("Noch bekommt niemand deine Lebenszeichen."),
        "dashboard.title.receiver":
            .plain("Auf wen du achtest"),
        "dashboard.title.sender":
            .plain("Deine Kontaktpersonen"),
        "emergency.asked":
            .plain("Du hast um Notfallzugang zum Tresor {vault} gebeten"),
        "emergency.entered":
            .plain("Du bist im Tresor {vault}"),
        "emergency.grants":
            .plain("Ohne deinen Widerspruch beginnt der Zugang am {date}."),
        "emergency.own.granted":
            .plain("Du kannst jetzt in den Tresor {vault}, bis zum {date}."),
        "emergency.own.waiting":
            .plain("Du kannst am {date} in den Tresor {vault}, wenn niemand widerspricht."),
        "emergency.settings.days.invalid":
            .plain("Wähle zwischen 2 und 30 Tagen ohne Lebenszeichen."),
        "emergency.settings.grant.invalid":
            .plain("Wähle eine Dauer zwischen 1 Stunde und 30 Tagen."),
        "emergency.settings.nothing":
            .plain("Wähle, was den Zugang auslöst: eine Bitte, Tage ohne Lebenszeichen oder beides."),
        "emergency.settings.wait.invalid":
            .plain("Wähle eine Wartezeit zwischen 1 Stunde und 90 Tagen."),
        "emergency.silence":
            .plain("Du hast dich nicht gemeldet. {name} bekommt Notfallzugang zum Tresor {vault}."),
        "emergency.withdrawn":
            .plain("Du hast deine Bitte zurückgezogen"),
        "feedback.rating.missing":
            .plain("Wähle 1 bis 5 Sterne."),
        "feedback.sent":
            .plain("Danke. Deine Rückmeldung ist gesendet."),
        "invitation.accepted":
            .plain("Du hast die Einladung angenommen"),
        "invitation.declined":
            .plain("Du hast die Einladung abgelehnt"),
        "invitation.from":
            .plain("{name} lädt dich zum Tresor {vault} ein."),
        "invitation.needs_confirmation":
            .plain("Dein Zugang ist noch nicht bestätigt."),
        "invitation.transfer.from":
            .plain("{name} möchte dir den Tresor {vault} übergeben. Er gehört dann dir."),
        "invite.nobody":
            .plain("Wähle mindestens eine Person mit Telefonnummer."),
        "invite.outcome.failed":
            .plain("Die Einladung ließ sich nicht senden. Versuch es noch einmal."),
        "invite.outcome.unavailable":
            .plain("Dieses Gerät kann keine Nachrichten senden. Kopier die Einladung stattdessen."),
        "invitee.name.empty":
            .plain("Gib an, wen du einlädst."),
        "nominees.remove.message":
            .plain("Der Zugang von {name} zum Tresor {vault} endet sofort, mit einer Mitteilung. Du kannst die Person später wieder einladen."),
        "problem.retry.hours": .plural([
            .one: "Versuch es in {count} Stunde noch einmal.",
            .other: "Versuch es in {count} Stunden noch einmal.",
        ]),
        "problem.retry.minutes": .plural([
            .one: "Versuch es in {count} Minute noch einmal.",
            .other: "Versuch es in {count} Minuten noch einmal.",
        ]),
        "problem.retry.seconds": .plural([
            .one: "Versuch es in {count} Sekunde noch einmal.",
            .other: "Versuch es in {count} Sekunden noch einmal.",
        ]),
        "problem.unreachable":
            .plain("Keine Verbindung zum Server. Prüf dein Netz und versuch es noch einmal."),
        "sender.grace.invalid":
            .plain("Wähle zwischen 5 und 719 Minuten."),
        "sender.reminder.invalid":
            .plain("Die Erinnerung muss kommen, nachdem du gefragt wurdest und bevor die Zeit abläuft."),
        "sender.saved":
            .plain("Dein tägliches Lebenszeichen ist eingerichtet."),
        "sender.title":
            .plain("Dein tägliches Lebenszeichen"),
        "sign_in.address.empty":
            .plain("Gib deine Telefonnummer oder deine E-Mail-Adresse ein."),
        "sign_in.code.incomplete":
            .plain("Gib alle 6 Ziffern des Codes ein."),
        "transfer.first.message.keep":
            .plain("Der Tresor {vault} gehört dann {name}. Du behältst als Vertrauensperson vollen Zugang, deine anderen Vertrauenspersonen verlieren ihren."),
        "transfer.first.message.leave":
            .plain("Der Tresor {vault} gehört dann {name}. Du und deine Vertrauenspersonen verliert den Zugang."),
        "transfer.second.message":
            .plain("Sobald {name} annimmt, kannst du den Tresor {vault} nicht zurückholen."),
        "transfer.second.title":
            .plain("Bist du sicher?"),
        "vault.delete.message":
            .plain("Der Tresor {vault} wird sofort verschlossen, und niemand kommt mehr hinein. Du kannst ihn 30 Tage lang wiederherstellen."),
        "vault.locked.nominee":
            .plain("Dieser Tresor ist verschlossen. Du kannst hinein, solange er geöffnet ist."),
        "vault.locked.owner":
            .plain("Niemand kommt hinein, bis du den Tresor öffnest."),
    ]

    /// “Edit”
    public var accessEdit: String { known("access.edit") }

    /// “Reads, adds and replaces documents while the vault is open.”
    public var accessEditMeaning: String { known("access.edit.meaning") }

    /// “Full”
    public var accessFull: String { known("access.full") }

    /// “Also deletes documents, invites nominees and locks the vault.”
    public var accessFullMeaning: String { known("access.full.meaning") }

    /// “Your access level does not allow this.”
    public var accessRefused: String { known("access.refused") }

    /// “View”
    public var accessView: String { known("access.view") }

    /// “Reads the documents while the vault is open.”
    public var accessViewMeaning: String { known("access.view.meaning") }

    /// “Delete Account”
    public var accountDeleteConfirm: String { known("account.delete.confirm") }

    /// “This ends your connections and your access to vaults. It cannot be undone.”
    public var accountDeleteMessage: String { known("account.delete.message") }

    /// “Delete Account?”
    public var accountDeleteTitle: String { known("account.delete.title") }

    /// “Cancel”
    public var buttonCancel: String { known("button.cancel") }

    /// “OK”
    public var buttonOk: String { known("button.ok") }

    /// “Try Again”
    public var buttonTryAgain: String { known("button.try_again") }

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

    /// “Sending your check-in…”
    public var checkInSending: String { known("check_in.sending") }

    /// “{count} check-ins have not been sent yet. They stay on this device until you sign in again.”
    public func checkInSignOut(count: Int) -> String {
        known("check_in.sign_out", count: count)
    }

    /// “Connecting…”
    public var connectBusy: String { known("connect.busy") }

    /// “Connect”
    public var connectButton: String { known("connect.button") }

    /// “{count} of 6 digits entered”
    public func connectCodeEntered(count: Int) -> String {
        known("connect.code.entered", count: count)
    }

    /// “Enter all 6 digits of the code.”
    public var connectCodeIncomplete: String { known("connect.code.incomplete") }

    /// “6-digit code”
    public var connectCodeLabel: String { known("connect.code.label") }

    /// “Connected to {name}”
    public func connectDone(name: String) -> String {
        known("connect.done", ["name": name])
    }

    /// “Paste {code}”
    public func connectPaste(code: String) -> String {
        known("connect.paste", ["code": code])
    }

    /// “Add a Sender”
    public var connectTitleReceiver: String { known("connect.title.receiver") }

    /// “Add a Receiver”
    public var connectTitleSender: String { known("connect.title.sender") }

    /// “Pause Connection”
    public var connectionPauseAction: String { known("connection.pause.action") }

    /// “Pause”
    public var connectionPauseConfirm: String { known("connection.pause.confirm") }

    /// “The connection with {name} is paused”
    public func connectionPauseDone(name: String) -> String {
        known("connection.pause.done", ["name": name])
    }

    /// “Pings will not be generated for this connection until you resume it. {name} will be notified.”
    public func connectionPauseMessage(name: String) -> String {
        known("connection.pause.message", ["name": name])
    }

    /// “Pause Connection?”
    public var connectionPauseTitle: String { known("connection.pause.title") }

    /// “Remove Connection”
    public var connectionRemoveAction: String { known("connection.remove.action") }

    /// “Remove”
    public var connectionRemoveConfirm: String { known("connection.remove.confirm") }

    /// “The connection with {name} is removed”
    public func connectionRemoveDone(name: String) -> String {
        known("connection.remove.done", ["name": name])
    }

    /// “This will remove {name} from your senders list. They will be notified. You can reconnect later if they invite you again.”
    public func connectionRemoveMessageReceiver(name: String) -> String {
        known("connection.remove.message.receiver", ["name": name])
    }

    /// “This will stop sending pings to {name}. They will be notified. You can reconnect later using their code.”
    public func connectionRemoveMessageSender(name: String) -> String {
        known("connection.remove.message.sender", ["name": name])
    }

    /// “Remove Connection?”
    public var connectionRemoveTitle: String { known("connection.remove.title") }

    /// “Resume Connection”
    public var connectionResumeAction: String { known("connection.resume.action") }

    /// “The connection with {name} is active”
    public func connectionResumeDone(name: String) -> String {
        known("connection.resume.done", ["name": name])
    }

    /// “Active”
    public var connectionStatusActive: String { known("connection.status.active") }

    /// “{name}: {status}”
    public func connectionStatusAnnouncement(name: String, status: String) -> String {
        known("connection.status.announcement", ["name": name, "status": status])
    }

    /// “Removed”
    public var connectionStatusDeleted: String { known("connection.status.deleted") }

    /// “Paused”
    public var connectionStatusPaused: String { known("connection.status.paused") }

    /// “Pending”
    public var connectionStatusPending: String { known("connection.status.pending") }

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

    /// “Support holds this request. Nobody gets in meanwhile.”
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

    /// “{count} stars of 5”
    public func feedbackRating(count: Int) -> String {
        known("feedback.rating", count: count)
    }

    /// “Choose 1 to 5 stars.”
    public var feedbackRatingMissing: String { known("feedback.rating.missing") }

    /// “Send”
    public var feedbackSend: String { known("feedback.send") }

    /// “Thank you. Your feedback has been sent.”
    public var feedbackSent: String { known("feedback.sent") }

    /// “Feedback”
    public var feedbackTitle: String { known("feedback.title") }

    /// “The app”
    public var feedbackTopicApp: String { known("feedback.topic.app") }

    /// “Invitations”
    public var feedbackTopicInvitation: String { known("feedback.topic.invitation") }

    /// “Sharing”
    public var feedbackTopicShare: String { known("feedback.topic.share") }

    /// “Accept”
    public var invitationAccept: String { known("invitation.accept") }

    /// “You accepted the invitation”
    public var invitationAccepted: String { known("invitation.accepted") }

    /// “Access: {level}”
    public func invitationAccess(level: String) -> String {
        known("invitation.access", ["level": level])
    }

    /// “Decline”
    public var invitationDecline: String { known("invitation.decline") }

    /// “You declined the invitation”
    public var invitationDeclined: String { known("invitation.declined") }

    /// “{name} invites you to {vault}.”
    public func invitationFrom(name: String, vault: String) -> String {
        known("invitation.from", ["name": name, "vault": vault])
    }

    /// “The vault's owner has not confirmed your access yet.”
    public var invitationNeedsConfirmation: String { known("invitation.needs_confirmation") }

    /// “This invitation can no longer be answered.”
    public var invitationOver: String { known("invitation.over") }

    /// “{name} offers you {vault}. You become its owner.”
    public func invitationTransferFrom(name: String, vault: String) -> String {
        known("invitation.transfer.from", ["name": name, "vault": vault])
    }

    /// “Invite Receivers”
    public var inviteButton: String { known("invite.button") }

    /// “Select Contacts”
    public var inviteContacts: String { known("invite.contacts") }

    /// “Choose at least one person with a phone number.”
    public var inviteNobody: String { known("invite.nobody") }

    /// “{count} people could not be invited.”
    public func inviteNotInvited(count: Int) -> String {
        known("invite.not_invited", count: count)
    }

    /// “Invitation not sent”
    public var inviteOutcomeCancelled: String { known("invite.outcome.cancelled") }

    /// “The invitation could not be sent. Try again.”
    public var inviteOutcomeFailed: String { known("invite.outcome.failed") }

    /// “Invitation sent”
    public var inviteOutcomeSent: String { known("invite.outcome.sent") }

    /// “This device cannot send text messages. Copy the invitation instead.”
    public var inviteOutcomeUnavailable: String { known("invite.outcome.unavailable") }

    /// “{count} contacts have no phone number.”
    public func inviteWithoutNumber(count: Int) -> String {
        known("invite.without_number", count: count)
    }

    /// “Access level”
    public var inviteeAccess: String { known("invitee.access") }

    /// “Link copied”
    public var inviteeCopied: String { known("invitee.copied") }

    /// “Copy Link”
    public var inviteeCopy: String { known("invitee.copy") }

    /// “Email”
    public var inviteeEmail: String { known("invitee.email") }

    /// “{label} ({hint})”
    public func inviteeField(label: String, hint: String) -> String {
        known("invitee.field", ["label": label, "hint": hint])
    }

    /// “Recipient name”
    public var inviteeName: String { known("invitee.name") }

    /// “Enter the recipient's name.”
    public var inviteeNameEmpty: String { known("invitee.name.empty") }

    /// “optional”
    public var inviteeOptional: String { known("invitee.optional") }

    /// “Phone number”
    public var inviteePhone: String { known("invitee.phone") }

    /// “The invitation for {name} is ready to send”
    public func inviteeReady(name: String) -> String {
        known("invitee.ready", ["name": name])
    }

    /// “required”
    public var inviteeRequired: String { known("invitee.required") }

    /// “Send Invitation”
    public var inviteeSend: String { known("invitee.send") }

    /// “Share”
    public var inviteeShare: String { known("invitee.share") }

    /// “Invitation accepted, waiting for vault to open”
    public var nomineeMeaningAccepted: String { known("nominee.meaning.accepted") }

    /// “Vault is open, nominee has concurrent access”
    public var nomineeMeaningActive: String { known("nominee.meaning.active") }

    /// “Temporarily disabled”
    public var nomineeMeaningInactive: String { known("nominee.meaning.inactive") }

    /// “Invitation sent, not yet accepted”
    public var nomineeMeaningPending: String { known("nominee.meaning.pending") }

    /// “Access permanently revoked”
    public var nomineeMeaningRevoked: String { known("nominee.meaning.revoked") }

    /// “Accepted”
    public var nomineeStatusAccepted: String { known("nominee.status.accepted") }

    /// “Active”
    public var nomineeStatusActive: String { known("nominee.status.active") }

    /// “Inactive”
    public var nomineeStatusInactive: String { known("nominee.status.inactive") }

    /// “Pending”
    public var nomineeStatusPending: String { known("nominee.status.pending") }

    /// “Revoked”
    public var nomineeStatusRevoked: String { known("nominee.status.revoked") }

    /// “+”
    public var nomineesAdd: String { known("nominees.add") }

    /// “Invite a nominee”
    public var nomineesAddLabel: String { known("nominees.add.label") }

    /// “The access of {name} has changed”
    public func nomineesChanged(name: String) -> String {
        known("nominees.changed", ["name": name])
    }

    /// “Chat”
    public var nomineesChat: String { known("nominees.chat") }

    /// “Confirm Access”
    public var nomineesConfirm: String { known("nominees.confirm") }

    /// “{name} has access to {vault}”
    public func nomineesConfirmed(name: String, vault: String) -> String {
        known("nominees.confirmed", ["name": name, "vault": vault])
    }

    /// “Nobody is a nominee of this vault yet.”
    public var nomineesEmpty: String { known("nominees.empty") }

    /// “Access History”
    public var nomineesHistory: String { known("nominees.history") }

    /// “Invite via Messages”
    public var nomineesInviteViaMessages: String { known("nominees.invite_via_messages") }

    /// “Owner”
    public var nomineesOwner: String { known("nominees.owner") }

    /// “Vault Detail → Sharing → Manage Nominees”
    public var nomineesPath: String { known("nominees.path") }

    /// “Pause Access”
    public var nomineesPause: String { known("nominees.pause") }

    /// “Remove Nominee”
    public var nomineesRemove: String { known("nominees.remove") }

    /// “Remove”
    public var nomineesRemoveConfirm: String { known("nominees.remove.confirm") }

    /// “This will end the access of {name} to {vault} at once. They will be notified. You can invite them again later.”
    public func nomineesRemoveMessage(name: String, vault: String) -> String {
        known("nominees.remove.message", ["name": name, "vault": vault])
    }

    /// “Remove Nominee?”
    public var nomineesRemoveTitle: String { known("nominees.remove.title") }

    /// “{name} no longer has access to {vault}”
    public func nomineesRemoved(name: String, vault: String) -> String {
        known("nominees.removed", ["name": name, "vault": vault])
    }

    /// “Resend Invitation”
    public var nomineesResend: String { known("nominees.resend") }

    /// “A new invitation for {name} is ready. The old one no longer works.”
    public func nomineesResent(name: String) -> String {
        known("nominees.resent", ["name": name])
    }

    /// “Resume Access”
    public var nomineesResume: String { known("nominees.resume") }

    /// “Manage Nominees”
    public var nomineesTitle: String { known("nominees.title") }

    /// “No notifications yet.”
    public var notificationsEmpty: String { known("notifications.empty") }

    /// “Mark All as Read”
    public var notificationsReadAll: String { known("notifications.read_all") }

    /// “Notifications”
    public var notificationsTitle: String { known("notifications.title") }

    /// “{count} unread notifications”
    public func notificationsUnread(count: Int) -> String {
        known("notifications.unread", count: count)
    }

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

    /// “Try again in {count} hours.”
    public func problemRetryHours(count: Int) -> String {
        known("problem.retry.hours", count: count)
    }

    /// “Try again in {count} minutes.”
    public func problemRetryMinutes(count: Int) -> String {
        known("problem.retry.minutes", count: count)
    }

    /// “Try again in {count} seconds.”
    public func problemRetrySeconds(count: Int) -> String {
        known("problem.retry.seconds", count: count)
    }

    /// “That Did Not Work”
    public var problemTitle: String { known("problem.title") }

    /// “No connection to the server. Check your network and try again.”
    public var problemUnreachable: String { known("problem.unreachable") }

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

    /// “Save”
    public var senderSave: String { known("sender.save") }

    /// “Your daily check-in is set.”
    public var senderSaved: String { known("sender.saved") }

    /// “Time”
    public var senderTimeLabel: String { known("sender.time.label") }

    /// “Your Daily Check-In”
    public var senderTitle: String { known("sender.title") }

    /// “Permission”
    public var sharePermission: String { known("share.permission") }

    /// “View”
    public var shareReadOnly: String { known("share.read_only") }

    /// “Edit”
    public var shareReadWrite: String { known("share.read_write") }

    /// “Stop Sharing”
    public var shareRevoke: String { known("share.revoke") }

    /// “Stop Sharing”
    public var shareRevokeConfirm: String { known("share.revoke.confirm") }

    /// “Everybody who has access to {vault} through this share loses it at once.”
    public func shareRevokeMessage(vault: String) -> String {
        known("share.revoke.message", ["vault": vault])
    }

    /// “Stop Sharing?”
    public var shareRevokeTitle: String { known("share.revoke.title") }

    /// “Send Code”
    public var signInAddressButton: String { known("sign_in.address.button") }

    /// “Enter your phone number or your email.”
    public var signInAddressEmpty: String { known("sign_in.address.empty") }

    /// “Phone number or email”
    public var signInAddressLabel: String { known("sign_in.address.label") }

    /// “Send a New Code”
    public var signInCodeAgain: String { known("sign_in.code.again") }

    /// “Sign In”
    public var signInCodeButton: String { known("sign_in.code.button") }

    /// “Enter all 6 digits of the code.”
    public var signInCodeIncomplete: String { known("sign_in.code.incomplete") }

    /// “We sent a code to {address}.”
    public func signInCodeSent(address: String) -> String {
        known("sign_in.code.sent", ["address": address])
    }

    /// “Signed in”
    public var signInDone: String { known("sign_in.done") }

    /// “Sign In”
    public var signInTitle: String { known("sign_in.title") }

    /// “Transfer”
    public var transferButton: String { known("transfer.button") }

    /// “Cancel Transfer”
    public var transferCancel: String { known("transfer.cancel") }

    /// “The transfer is cancelled”
    public var transferCancelled: String { known("transfer.cancelled") }

    /// “Continue”
    public var transferFirstConfirm: String { known("transfer.first.confirm") }

    /// “{name} becomes the owner of {vault}. You stay as a nominee with full access, and your other nominees lose theirs.”
    public func transferFirstMessageKeep(name: String, vault: String) -> String {
        known("transfer.first.message.keep", ["name": name, "vault": vault])
    }

    /// “{name} becomes the owner of {vault}. You lose your access, and your nominees lose theirs.”
    public func transferFirstMessageLeave(name: String, vault: String) -> String {
        known("transfer.first.message.leave", ["name": name, "vault": vault])
    }

    /// “Transfer {vault}?”
    public func transferFirstTitle(vault: String) -> String {
        known("transfer.first.title", ["vault": vault])
    }

    /// “The offer to {name} is ready to send”
    public func transferReady(name: String) -> String {
        known("transfer.ready", ["name": name])
    }

    /// “Transfer Vault”
    public var transferSecondConfirm: String { known("transfer.second.confirm") }

    /// “Once {name} accepts, you cannot take {vault} back.”
    public func transferSecondMessage(name: String, vault: String) -> String {
        known("transfer.second.message", ["name": name, "vault": vault])
    }

    /// “Are You Sure?”
    public var transferSecondTitle: String { known("transfer.second.title") }

    /// “Transfer Ownership”
    public var transferTitle: String { known("transfer.title") }

    /// “Delete”
    public var vaultDeleteConfirm: String { known("vault.delete.confirm") }

    /// “{vault} is locked at once, and nobody can enter. You can restore it for 30 days.”
    public func vaultDeleteMessage(vault: String) -> String {
        known("vault.delete.message", ["vault": vault])
    }

    /// “Delete Vault?”
    public var vaultDeleteTitle: String { known("vault.delete.title") }

    /// “Locks in {count} minutes”
    public func vaultLeftMinutes(count: Int) -> String {
        known("vault.left.minutes", count: count)
    }

    /// “Locks in {count} seconds”
    public func vaultLeftSeconds(count: Int) -> String {
        known("vault.left.seconds", count: count)
    }

    /// “Lock Vault”
    public var vaultLock: String { known("vault.lock") }

    /// “{vault} is locked”
    public func vaultLocked(vault: String) -> String {
        known("vault.locked", ["vault": vault])
    }

    /// “{vault} locked itself after 30 minutes without activity”
    public func vaultLockedExpired(vault: String) -> String {
        known("vault.locked.expired", ["vault": vault])
    }

    /// “This vault is locked. You can enter while its owner has it open.”
    public var vaultLockedNominee: String { known("vault.locked.nominee") }

    /// “Nobody can enter until you open the vault.”
    public var vaultLockedOwner: String { known("vault.locked.owner") }

    /// “Open Vault”
    public var vaultOpen: String { known("vault.open") }

    /// “While the vault is open, every nominee who has accepted can enter. All see the same documents.”
    public var vaultOpenMeaning: String { known("vault.open.meaning") }

    /// “{vault} is open”
    public func vaultOpened(vault: String) -> String {
        known("vault.opened", ["vault": vault])
    }

    /// “Locked”
    public var vaultStateLocked: String { known("vault.state.locked") }

    /// “Open”
    public var vaultStateOpen: String { known("vault.state.open") }
}
