// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    static let textsDeInformal: [String: Text] = [
        "access.refused":
            .plain("Dein Zugang erlaubt das nicht."),
        "account.delete.message":
            .plain("Damit enden deine Verbindungen und dein Zugang zu Tresoren. Danach wird niemand mehr benachrichtigt, wenn du dich nicht meldest. Das lässt sich nicht rückgängig machen."),
        "alarm.call.end.message":
            .plain("Alle, die benachrichtigt wurden, lesen dann, dass es dir gut geht."),
        "alarm.call.message":
            .plain("Alle, die deine Lebenszeichen bekommen, werden sofort benachrichtigt."),
        "alarm.call.told": .plural([
            .one: "Eine Person wird benachrichtigt, dass du Hilfe brauchst.",
            .other: "{count} Personen werden benachrichtigt, dass du Hilfe brauchst.",
        ]),
        "alarm.call.unsent":
            .plain("Niemand wurde benachrichtigt. Ruf die {number} an, wenn du jetzt Hilfe brauchst. Dein Hilferuf wurde nicht gesendet und wird auch später nicht gesendet."),
        "alarm.card.delete.message":
            .plain("Wer nach dir sieht, hat sie dann nicht."),
        "alarm.card.deleted":
            .plain("Deine Notfallkarte und dein Ort sind gelöscht."),
        "alarm.card.meaning":
            .plain("{name} erfährt, dass du die Notfallkarte angesehen hast."),
        "alarm.card.saved":
            .plain("Deine Notfallkarte ist gespeichert."),
        "alarm.declined":
            .plain("Du hast gesagt, dass du nicht kannst. Die anderen können es lesen."),
        "alarm.drill.message":
            .plain("Deine Kontaktpersonen werden wie bei einem Alarm benachrichtigt. Jede Nachricht sagt, dass es eine Übung ist."),
        "alarm.help_called.title":
            .plain("Hast du den Notruf gewählt?"),
        "alarm.nobody_told":
            .plain("Es konnte niemand benachrichtigt werden. Ruf den Notruf deines Landes an, in Europa die 112."),
        "alarm.note.empty":
            .plain("Schreib zuerst etwas."),
        "alarm.noted":
            .plain("Deine Notiz ist eingetragen."),
        "alarm.plan.saved":
            .plain("Dein Plan ist gespeichert."),
        "alarm.safe.meaning":
            .plain("Das beendet den Alarm. Alle, die benachrichtigt wurden, erfahren, dass es von dir kommt."),
        "alarm.took":
            .plain("Du kümmerst dich um {name}."),
        "chat.empty":
            .plain("Schreib zuerst etwas."),
        "chat.me":
            .plain("Du"),
        "check_in.kept":
            .plain("Noch nicht gesendet. Dein Lebenszeichen bleibt auf diesem Gerät und geht hinaus, sobald wieder Netz da ist. Deine Kontaktpersonen wissen noch nichts davon."),
        "check_in.kept.sign_in":
            .plain("Noch nicht gesendet. Dein Lebenszeichen bleibt auf diesem Gerät und geht hinaus, sobald du dich wieder angemeldet hast. Deine Kontaktpersonen wissen noch nichts davon."),
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
        "check_in.unknown":
            .plain("Noch nicht geladen. Du kannst dich trotzdem melden."),
        "connect.code.incomplete":
            .plain("Gib alle 6 Ziffern des Codes ein."),
        "connection.pause.message":
            .plain("Bis du die Verbindung wieder aufnimmst, wird {name} nicht benachrichtigt, wenn du dich nicht meldest. {name} erfährt von der Pause."),
        "connection.remove.message.receiver":
            .plain("{name} steht dann nicht mehr auf deiner Liste und erfährt davon. Du wirst nicht mehr benachrichtigt, wenn die Meldung ausbleibt. Mit einer neuen Einladung kannst du dich später wieder verbinden."),
        "connection.remove.message.sender":
            .plain("{name} bekommt dann keine Lebenszeichen mehr von dir, wird nicht mehr benachrichtigt, wenn du dich nicht meldest, und erfährt davon. Mit dem Code dieser Person kannst du dich später wieder verbinden."),
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
            .plain("Wähle, was den Zugang auslöst: eine Anfrage, Tage ohne Lebenszeichen oder beides."),
        "emergency.settings.wait.invalid":
            .plain("Wähle eine Wartezeit zwischen 1 Stunde und 90 Tagen."),
        "emergency.silence":
            .plain("Du hast dich nicht gemeldet. {name} bekommt Notfallzugang zum Tresor {vault}."),
        "emergency.withdrawn":
            .plain("Du hast deine Anfrage zurückgezogen"),
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
            .plain("Dieses Gerät kann keine Nachrichten senden. Kopiere die Einladung stattdessen."),
        "invitee.name.empty":
            .plain("Gib an, wen du einlädst."),
        "nominees.remove.message":
            .plain("Der Zugang von {name} zum Tresor {vault} endet sofort, und die Person wird benachrichtigt. Du kannst sie später wieder einladen."),
        "problem.content_damaged":
            .plain("Der Inhalt ist beschädigt angekommen. Bitte versuch es noch einmal."),
        "problem.not_done":
            .plain("Das ist nicht geschehen. Bitte versuch es noch einmal."),
        "problem.not_kept":
            .plain("Dieses Gerät konnte dein Lebenszeichen nicht aufheben, weil sein Speicher voll ist oder nicht beschrieben werden kann, und es gibt keine Verbindung. Niemand weiß davon, und es wird nicht später gesendet. Melde dich noch einmal, sobald du eine Verbindung hast."),
        "problem.other_recipient":
            .plain("Diese Nachricht ist für eine andere Person als die angemeldete. Öffne die App und tu es dort."),
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
        "problem.signed_out":
            .plain("Du bist abgemeldet. Melde dich wieder an."),
        "problem.unreachable":
            .plain("Keine Verbindung zum Server. Prüf dein Netz und versuch es noch einmal."),
        "problem.unreadable":
            .plain("Ein Lebenszeichen, das auf diesem Gerät aufgehoben war, ist nicht lesbar. Es wird nicht gesendet. Bitte melde dich noch einmal."),
        "sender.grace.invalid":
            .plain("Wähle zwischen 5 und 719 Minuten."),
        "sender.reminder.invalid":
            .plain("Die Erinnerung muss kommen, nachdem du gefragt wurdest und bevor die Zeit abläuft."),
        "sender.reminders.invalid":
            .plain("Wähle bis zu 4 verschiedene Erinnerungen zwischen der Frage und dem Ende der Frist."),
        "sender.reminders.saved":
            .plain("Deine Erinnerungen sind eingestellt."),
        "sender.saved":
            .plain("Deine tägliche Meldung ist eingerichtet."),
        "sender.title":
            .plain("Deine tägliche Meldung"),
        "share.none":
            .plain("Du teilst keinen Tresor."),
        "sign_in.address.empty":
            .plain("Gib deine Telefonnummer oder deine E-Mail-Adresse ein."),
        "sign_in.code.incomplete":
            .plain("Gib alle 6 Ziffern des Codes ein."),
        "thing.made":
            .plain("Lass {name} diese Adresse öffnen. Sie wird nur einmal gezeigt."),
        "thing.name.empty":
            .plain("Gib einen Namen ein."),
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
            .plain("Deine Vertrauenspersonen kommen erst hinein, wenn der Tresor geöffnet ist, außer über den Notfallzugang."),
    ]
}
