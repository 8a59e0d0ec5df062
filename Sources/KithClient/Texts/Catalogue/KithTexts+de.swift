// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
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
            .plain("Damit enden Ihre Verbindungen und Ihr Zugang zu Tresoren. Danach wird niemand mehr benachrichtigt, wenn Sie sich nicht melden. Das lässt sich nicht rückgängig machen."),
        "account.delete.title":
            .plain("Konto löschen?"),
        "alarm.another_receiver":
            .plain("eine andere Kontaktperson"),
        "alarm.call":
            .plain("Ich brauche Hilfe"),
        "alarm.call.end.confirm":
            .plain("Mir geht es gut, Hilferuf beenden"),
        "alarm.call.end.message":
            .plain("Alle, die benachrichtigt wurden, lesen dann, dass es Ihnen gut geht."),
        "alarm.call.end.title":
            .plain("Hilferuf beenden?"),
        "alarm.call.message":
            .plain("Alle, die Ihre Lebenszeichen bekommen, werden sofort benachrichtigt."),
        "alarm.call.title":
            .plain("Um Hilfe rufen?"),
        "alarm.call.told": .plural([
            .one: "Eine Person wird benachrichtigt, dass Sie Hilfe brauchen.",
            .other: "{count} Personen werden benachrichtigt, dass Sie Hilfe brauchen.",
        ]),
        "alarm.call.unsent":
            .plain("Niemand wurde benachrichtigt. Rufen Sie die {number} an, wenn Sie jetzt Hilfe brauchen. Ihr Hilferuf wurde nicht gesendet und wird auch später nicht gesendet."),
        "alarm.call.unsent.title":
            .plain("Niemand wurde benachrichtigt"),
        "alarm.card.delete.confirm":
            .plain("Löschen"),
        "alarm.card.delete.message":
            .plain("Wer nach Ihnen sieht, hat sie dann nicht."),
        "alarm.card.delete.title":
            .plain("Notfallkarte löschen?"),
        "alarm.card.deleted":
            .plain("Ihre Notfallkarte und Ihr Ort sind gelöscht."),
        "alarm.card.invalid":
            .plain("Es sind höchstens 8 Abschnitte. Jeder braucht einen Titel und einen Text."),
        "alarm.card.meaning":
            .plain("{name} erfährt, dass Sie die Notfallkarte angesehen haben."),
        "alarm.card.saved":
            .plain("Ihre Notfallkarte ist gespeichert."),
        "alarm.card.show":
            .plain("Notfallkarte zeigen"),
        "alarm.decline":
            .plain("Ich kann nicht"),
        "alarm.declined":
            .plain("Sie haben gesagt, dass Sie nicht können. Die anderen können es lesen."),
        "alarm.drill":
            .plain("Das ist eine Übung: {body}"),
        "alarm.drill.held":
            .plain("Die Übung hat begonnen."),
        "alarm.drill.hold":
            .plain("Übung abhalten"),
        "alarm.drill.message":
            .plain("Ihre Kontaktpersonen werden wie bei einem Alarm benachrichtigt. Jede Nachricht sagt, dass es eine Übung ist."),
        "alarm.ended":
            .plain("Der Alarm ist beendet. Alle, die benachrichtigt wurden, erfahren es jetzt."),
        "alarm.false":
            .plain("Es war ein Fehlalarm"),
        "alarm.false.message":
            .plain("Alle, die benachrichtigt wurden, erfahren, dass nichts geschehen ist."),
        "alarm.false.title":
            .plain("War es ein Fehlalarm?"),
        "alarm.help_called":
            .plain("Ich habe den Notruf gewählt"),
        "alarm.help_called.title":
            .plain("Haben Sie den Notruf gewählt?"),
        "alarm.nobody_told":
            .plain("Es konnte niemand benachrichtigt werden. Rufen Sie den Notruf Ihres Landes an, in Europa die 112."),
        "alarm.none":
            .plain("Es gibt keinen Alarm."),
        "alarm.note.empty":
            .plain("Schreiben Sie zuerst etwas."),
        "alarm.noted":
            .plain("Ihre Notiz ist eingetragen."),
        "alarm.plan.invalid":
            .plain("Jede Gruppe muss später benachrichtigt werden als die davor, höchstens 12 Stunden nach Ablauf der Frist."),
        "alarm.plan.saved":
            .plain("Ihr Plan ist gespeichert."),
        "alarm.release":
            .plain("Abgeben"),
        "alarm.released":
            .plain("Jetzt kann sich jemand anderes um {name} kümmern."),
        "alarm.reopen":
            .plain("Wieder öffnen"),
        "alarm.reopen.message":
            .plain("Alle, die benachrichtigt wurden, erfahren, dass wieder jemand nachsehen muss."),
        "alarm.reopen.title":
            .plain("Den Alarm wieder öffnen?"),
        "alarm.reopened":
            .plain("Der Alarm ist wieder offen."),
        "alarm.safe":
            .plain("Ich habe die Person erreicht, alles in Ordnung"),
        "alarm.safe.meaning":
            .plain("Das beendet den Alarm. Alle, die benachrichtigt wurden, erfahren, dass es von Ihnen kommt."),
        "alarm.safe.title":
            .plain("Ist bei {name} alles in Ordnung?"),
        "alarm.take":
            .plain("Ich kümmere mich darum"),
        "alarm.take.again":
            .plain("Ich kümmere mich weiter darum"),
        "alarm.taken":
            .plain("{name} kümmert sich darum."),
        "alarm.title":
            .plain("Alarme"),
        "alarm.took":
            .plain("Sie kümmern sich um {name}."),
        "button.cancel":
            .plain("Abbrechen"),
        "button.ok":
            .plain("OK"),
        "button.try_again":
            .plain("Noch einmal versuchen"),
        "chat.about":
            .plain("Zu {vault}. Niemand sonst liest mit."),
        "chat.empty":
            .plain("Schreiben Sie zuerst etwas."),
        "chat.me":
            .plain("Sie"),
        "chat.none":
            .plain("Noch keine Nachricht."),
        "chat.read":
            .plain("Gelesen"),
        "chat.received":
            .plain("{name}: {text}"),
        "chat.send":
            .plain("Senden"),
        "chat.sent":
            .plain("Nachricht gesendet"),
        "chat.title":
            .plain("Chat mit {name}"),
        "chat.unread": .plural([
            .one: "{count} ungelesene Nachricht",
            .other: "{count} ungelesene Nachrichten",
        ]),
        "check_in.button":
            .plain("Mir geht es gut"),
        "check_in.kept":
            .plain("Noch nicht gesendet. Ihr Lebenszeichen bleibt auf diesem Gerät und geht hinaus, sobald wieder Netz da ist. Ihre Kontaktpersonen wissen noch nichts davon."),
        "check_in.kept.sign_in":
            .plain("Noch nicht gesendet. Ihr Lebenszeichen bleibt auf diesem Gerät und geht hinaus, sobald Sie sich wieder angemeldet haben. Ihre Kontaktpersonen wissen noch nichts davon."),
        "check_in.nothing":
            .plain("Heute ist kein Lebenszeichen fällig."),
        "check_in.received":
            .plain("Ihr Lebenszeichen ist angekommen."),
        "check_in.refused":
            .plain("Ihr Lebenszeichen wurde nicht angenommen. Ihre Kontaktpersonen wissen nichts davon."),
        "check_in.sending":
            .plain("Ihr Lebenszeichen wird gesendet …"),
        "check_in.sign_out": .plural([
            .one: "{count} Lebenszeichen ist noch nicht gesendet. Es bleibt auf diesem Gerät, bis Sie sich wieder anmelden.",
            .other: "{count} Lebenszeichen sind noch nicht gesendet. Sie bleiben auf diesem Gerät, bis Sie sich wieder anmelden.",
        ]),
        "check_in.unknown":
            .plain("Noch nicht geladen. Sie können sich trotzdem melden."),
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
            .plain("Bis Sie die Verbindung wieder aufnehmen, wird {name} nicht benachrichtigt, wenn Sie sich nicht melden. {name} erfährt von der Pause."),
        "connection.pause.title":
            .plain("Verbindung pausieren?"),
        "connection.remove.action":
            .plain("Verbindung beenden"),
        "connection.remove.confirm":
            .plain("Beenden"),
        "connection.remove.done":
            .plain("Die Verbindung mit {name} ist beendet"),
        "connection.remove.message.receiver":
            .plain("{name} steht dann nicht mehr auf Ihrer Liste und erfährt davon. Sie werden nicht mehr benachrichtigt, wenn die Meldung ausbleibt. Mit einer neuen Einladung können Sie sich später wieder verbinden."),
        "connection.remove.message.sender":
            .plain("{name} bekommt dann keine Lebenszeichen mehr von Ihnen, wird nicht mehr benachrichtigt, wenn Sie sich nicht melden, und erfährt davon. Mit dem Code dieser Person können Sie sich später wieder verbinden."),
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
        "connection.unknown_since":
            .plain("Nicht bekannt seit {time}."),
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
            .plain("Der Support hält diese Anfrage an. Solange gibt sie keinen Zugang."),
        "emergency.own.granted":
            .plain("Sie können jetzt in den Tresor {vault}, bis zum {date}."),
        "emergency.own.waiting":
            .plain("Sie können am {date} in den Tresor {vault}, wenn niemand widerspricht."),
        "emergency.reject":
            .plain("Widersprechen"),
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
            .plain("{name} kommt im Notfall nicht mehr in den Tresor {vault}. Eine laufende Anfrage endet."),
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
            .plain("Wählen Sie, was den Zugang auslöst: eine Anfrage, Tage ohne Lebenszeichen oder beides."),
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
            .plain("Widersprochen"),
        "emergency.status.waiting":
            .plain("Wartet"),
        "emergency.status.withdrawn":
            .plain("Zurückgezogen"),
        "emergency.title":
            .plain("Notfallzugang"),
        "emergency.withdraw":
            .plain("Zurückziehen"),
        "emergency.withdrawn":
            .plain("Sie haben Ihre Anfrage zurückgezogen"),
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
            .plain("Der Zugang von {name} zum Tresor {vault} endet sofort, und die Person wird benachrichtigt. Sie können sie später wieder einladen."),
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
        "problem.content_damaged":
            .plain("Der Inhalt ist beschädigt angekommen. Bitte versuchen Sie es noch einmal."),
        "problem.file":
            .plain("Die Datei ist nicht lesbar, oder auf diesem Gerät ist kein Platz für sie."),
        "problem.not_done":
            .plain("Das ist nicht geschehen. Bitte versuchen Sie es noch einmal."),
        "problem.not_kept":
            .plain("Dieses Gerät konnte Ihr Lebenszeichen nicht aufheben, weil sein Speicher voll ist oder nicht beschrieben werden kann, und es gibt keine Verbindung. Niemand weiß davon, und es wird nicht später gesendet. Melden Sie sich noch einmal, sobald Sie eine Verbindung haben."),
        "problem.other_recipient":
            .plain("Diese Nachricht ist für eine andere Person als die angemeldete. Öffnen Sie die App und tun Sie es dort."),
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
        "problem.signed_out":
            .plain("Sie sind abgemeldet. Melden Sie sich wieder an."),
        "problem.title":
            .plain("Das hat nicht geklappt"),
        "problem.unreachable":
            .plain("Keine Verbindung zum Server. Prüfen Sie Ihr Netz und versuchen Sie es noch einmal."),
        "problem.unreadable":
            .plain("Ein Lebenszeichen, das auf diesem Gerät aufgehoben war, ist nicht lesbar. Es wird nicht gesendet. Bitte melden Sie sich noch einmal."),
        "screen.outdated":
            .plain("Seit {time} nicht mehr aktuell."),
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
        "sender.reminders.invalid":
            .plain("Wählen Sie bis zu 4 verschiedene Erinnerungen zwischen der Frage und dem Ende der Frist."),
        "sender.reminders.saved":
            .plain("Ihre Erinnerungen sind eingestellt."),
        "sender.save":
            .plain("Speichern"),
        "sender.saved":
            .plain("Ihre tägliche Meldung ist eingerichtet."),
        "sender.time.label":
            .plain("Uhrzeit"),
        "sender.title":
            .plain("Ihre tägliche Meldung"),
        "share.changed.read_only":
            .plain("Wer teilnimmt, kann den Tresor {vault} jetzt lesen."),
        "share.changed.read_write":
            .plain("Wer teilnimmt, kann den Tresor {vault} jetzt bearbeiten."),
        "share.none":
            .plain("Sie teilen keinen Tresor."),
        "share.participants": .plural([
            .one: "{count} Person nimmt teil",
            .other: "{count} Personen nehmen teil",
        ]),
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
        "share.revoked":
            .plain("Der Tresor {vault} wird nicht mehr geteilt."),
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
        "thing.end.confirm":
            .plain("Entfernen"),
        "thing.end.message":
            .plain("Die Adresse gilt dann nicht mehr."),
        "thing.end.title":
            .plain("{name} entfernen?"),
        "thing.ended":
            .plain("{name} ist entfernt."),
        "thing.made":
            .plain("Lassen Sie {name} diese Adresse öffnen. Sie wird nur einmal gezeigt."),
        "thing.name.empty":
            .plain("Geben Sie einen Namen ein."),
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
            .plain("Ihre Vertrauenspersonen kommen erst hinein, wenn der Tresor geöffnet ist, außer über den Notfallzugang."),
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
}
