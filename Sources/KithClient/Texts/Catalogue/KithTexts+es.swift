// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    static let textsEs: [String: Text] = [
        "access.edit":
            .plain("Edición"),
        "access.edit.meaning":
            .plain("Permite leer, añadir y reemplazar documentos mientras la caja fuerte está abierta."),
        "access.full":
            .plain("Completo"),
        "access.full.meaning":
            .plain("Permite además borrar documentos, invitar a personas de confianza y cerrar la caja fuerte."),
        "access.refused":
            .plain("Su nivel de acceso no permite esto."),
        "access.view":
            .plain("Lectura"),
        "access.view.meaning":
            .plain("Permite leer los documentos mientras la caja fuerte está abierta."),
        "account.delete.confirm":
            .plain("Borrar la cuenta"),
        "account.delete.message":
            .plain("Esto termina sus conexiones y su acceso a cajas fuertes. Después no se avisa a nadie si usted no confirma que está bien. No se puede deshacer."),
        "account.delete.title":
            .plain("¿Borrar la cuenta?"),
        "alarm.another_receiver":
            .plain("otra persona de contacto"),
        "alarm.call":
            .plain("Necesito ayuda"),
        "alarm.call.end.confirm":
            .plain("Estoy bien, terminar la petición"),
        "alarm.call.end.message":
            .plain("Todas las personas avisadas leerán que usted está bien."),
        "alarm.call.end.title":
            .plain("¿Terminar su petición de ayuda?"),
        "alarm.call.message":
            .plain("Se avisa de inmediato a todas las personas que reciben sus confirmaciones."),
        "alarm.call.title":
            .plain("¿Pedir ayuda?"),
        "alarm.call.told": .plural([
            .one: "Se está avisando a {count} persona de que usted necesita ayuda.",
            .other: "Se está avisando a {count} personas de que usted necesita ayuda.",
        ]),
        "alarm.call.unsent":
            .plain("No se ha avisado a nadie. Si necesita ayuda ahora, llame al {number}. Su petición de ayuda no se ha enviado y tampoco se enviará más tarde."),
        "alarm.call.unsent.title":
            .plain("No se ha avisado a nadie"),
        "alarm.card.delete.confirm":
            .plain("Borrar"),
        "alarm.card.delete.message":
            .plain("Quien venga a ver cómo está usted no la tendrá."),
        "alarm.card.delete.title":
            .plain("¿Borrar su ficha de emergencia?"),
        "alarm.card.deleted":
            .plain("Se han borrado su ficha de emergencia y su ubicación."),
        "alarm.card.invalid":
            .plain("Puede haber hasta 8 apartados. Cada uno necesita un título y un texto."),
        "alarm.card.meaning":
            .plain("{name} ve que usted ha mirado la ficha de emergencia."),
        "alarm.card.saved":
            .plain("Su ficha de emergencia está guardada."),
        "alarm.card.show":
            .plain("Mostrar la ficha de emergencia"),
        "alarm.decline":
            .plain("No puedo"),
        "alarm.declined":
            .plain("Usted ha dicho que no puede. Las demás personas pueden leerlo."),
        "alarm.drill":
            .plain("Esto es un simulacro: {body}"),
        "alarm.drill.held":
            .plain("El simulacro ha empezado."),
        "alarm.drill.hold":
            .plain("Hacer un simulacro"),
        "alarm.drill.message":
            .plain("Se avisa a sus personas de contacto como en una alarma. Cada mensaje dice que es un simulacro."),
        "alarm.ended":
            .plain("La alarma ha terminado. Ahora se lo comunicamos a todas las personas avisadas."),
        "alarm.false":
            .plain("Fue una falsa alarma"),
        "alarm.false.message":
            .plain("Se comunica a todas las personas avisadas que no ha pasado nada."),
        "alarm.false.title":
            .plain("¿Fue una falsa alarma?"),
        "alarm.help_called":
            .plain("He llamado al número de emergencias"),
        "alarm.help_called.title":
            .plain("¿Ha llamado usted al número de emergencias?"),
        "alarm.nobody_told":
            .plain("No se ha podido avisar a nadie. Llame al número de emergencias de su país."),
        "alarm.none":
            .plain("No hay ninguna alarma."),
        "alarm.note.empty":
            .plain("Escriba algo primero."),
        "alarm.noted":
            .plain("Su nota se ha añadido."),
        "alarm.plan.invalid":
            .plain("Cada grupo debe recibir el aviso más tarde que el grupo anterior, como máximo 12 horas después del fin del plazo."),
        "alarm.plan.saved":
            .plain("Su plan está guardado."),
        "alarm.release":
            .plain("Dejar de ocuparme"),
        "alarm.released":
            .plain("Ahora otra persona puede ocuparse de {name}."),
        "alarm.reopen":
            .plain("Activarla de nuevo"),
        "alarm.reopen.message":
            .plain("Todas las personas avisadas vuelven a recibir aviso de que alguien tiene que ver qué pasa."),
        "alarm.reopen.title":
            .plain("¿Activar de nuevo la alarma?"),
        "alarm.reopened":
            .plain("La alarma vuelve a estar activa."),
        "alarm.safe":
            .plain("He contactado con la persona y está bien"),
        "alarm.safe.meaning":
            .plain("Esto termina la alarma. Todas las personas avisadas sabrán que lo ha dicho usted."),
        "alarm.safe.title":
            .plain("¿Está bien {name}?"),
        "alarm.take":
            .plain("Me ocupo yo"),
        "alarm.take.again":
            .plain("Sigo ocupándome yo"),
        "alarm.taken":
            .plain("{name} se ocupa de ello."),
        "alarm.title":
            .plain("Alarmas"),
        "alarm.took":
            .plain("Usted se ocupa de {name}."),
        "button.cancel":
            .plain("Cancelar"),
        "button.ok":
            .plain("OK"),
        "button.try_again":
            .plain("Volver a intentarlo"),
        "chat.about":
            .plain("Sobre la caja fuerte {vault}. Nadie más lo lee."),
        "chat.empty":
            .plain("Escriba algo primero."),
        "chat.me":
            .plain("Usted"),
        "chat.none":
            .plain("Todavía no hay ningún mensaje."),
        "chat.read":
            .plain("Leído"),
        "chat.received":
            .plain("{name}: {text}"),
        "chat.send":
            .plain("Enviar"),
        "chat.sent":
            .plain("Mensaje enviado"),
        "chat.title":
            .plain("Conversación con {name}"),
        "chat.unread": .plural([
            .one: "{count} mensaje sin leer",
            .other: "{count} mensajes sin leer",
        ]),
        "check_in.button":
            .plain("Estoy bien"),
        "check_in.kept":
            .plain("Todavía no se ha enviado. Su confirmación está guardada en este dispositivo y se enviará cuando vuelva la red. Sus personas de contacto todavía no saben nada de ella."),
        "check_in.kept.sign_in":
            .plain("Todavía no se ha enviado. Su confirmación está guardada en este dispositivo y se enviará cuando usted haya iniciado sesión de nuevo. Sus personas de contacto todavía no saben nada de ella."),
        "check_in.nothing":
            .plain("Hoy no hay nada que confirmar."),
        "check_in.received":
            .plain("Su confirmación ha llegado."),
        "check_in.refused":
            .plain("Su confirmación no se ha aceptado. Sus personas de contacto no saben nada de ella."),
        "check_in.sending":
            .plain("Enviando su confirmación…"),
        "check_in.sign_out": .plural([
            .one: "{count} confirmación no se ha enviado todavía. Se queda en este dispositivo hasta que usted inicie sesión de nuevo.",
            .other: "{count} confirmaciones no se han enviado todavía. Se quedan en este dispositivo hasta que usted inicie sesión de nuevo.",
        ]),
        "check_in.unknown":
            .plain("Todavía no se ha cargado. De todos modos, puede confirmar que está bien."),
        "connect.busy":
            .plain("Conectando…"),
        "connect.button":
            .plain("Conectar"),
        "connect.code.entered": .plural([
            .one: "{count} de 6 cifras escritas",
            .other: "{count} de 6 cifras escritas",
        ]),
        "connect.code.incomplete":
            .plain("Escriba las 6 cifras del código."),
        "connect.code.label":
            .plain("Código de 6 cifras"),
        "connect.done":
            .plain("Ya tiene conexión con {name}"),
        "connect.paste":
            .plain("Pegar {code}"),
        "connect.title.receiver":
            .plain("Estar pendiente de otra persona"),
        "connect.title.sender":
            .plain("Añadir una persona de contacto"),
        "connection.pause.action":
            .plain("Poner la conexión en pausa"),
        "connection.pause.confirm":
            .plain("Poner en pausa"),
        "connection.pause.done":
            .plain("La conexión con {name} está en pausa"),
        "connection.pause.message":
            .plain("Por esta conexión no se le preguntará si está bien hasta que usted la reanude. Se avisará a {name} de la pausa. Hasta entonces, {name} NO recibe aviso si usted no confirma que está bien."),
        "connection.pause.title":
            .plain("¿Poner la conexión en pausa?"),
        "connection.remove.action":
            .plain("Terminar la conexión"),
        "connection.remove.confirm":
            .plain("Terminar"),
        "connection.remove.done":
            .plain("La conexión con {name} ha terminado"),
        "connection.remove.message.receiver":
            .plain("{name} desaparecerá de la lista de personas de las que usted está pendiente. Se avisará a {name} de ello. Más tarde pueden volver a conectarse si {name} le invita de nuevo. Usted ya no recibe aviso si {name} no confirma que está bien."),
        "connection.remove.message.sender":
            .plain("Sus confirmaciones ya no se enviarán a {name}. Se avisará a {name} de ello. Más tarde puede volver a conectarse con el código de esa persona. Desde ahora, {name} NO recibe aviso si usted no confirma que está bien."),
        "connection.remove.title":
            .plain("¿Terminar la conexión?"),
        "connection.resume.action":
            .plain("Reanudar la conexión"),
        "connection.resume.done":
            .plain("La conexión con {name} está activa"),
        "connection.status.active":
            .plain("Activa"),
        "connection.status.announcement":
            .plain("{name}: {status}"),
        "connection.status.deleted":
            .plain("Terminada"),
        "connection.status.paused":
            .plain("En pausa"),
        "connection.status.pending":
            .plain("Pendiente"),
        "connection.unknown_since":
            .plain("Estado desconocido desde el {time}."),
        "dashboard.empty.receiver":
            .plain("Todavía nadie le envía confirmaciones."),
        "dashboard.empty.sender":
            .plain("Todavía nadie recibe sus confirmaciones."),
        "dashboard.open": .plural([
            .one: "{count} confirmación pendiente",
            .other: "{count} confirmaciones pendientes",
        ]),
        "dashboard.title.receiver":
            .plain("Personas de las que usted está pendiente"),
        "dashboard.title.sender":
            .plain("Sus personas de contacto"),
        "emergency.approve":
            .plain("Sí, dejar entrar"),
        "emergency.approve.confirm":
            .plain("Dejar entrar"),
        "emergency.approve.message":
            .plain("{name} podrá entrar en la caja fuerte {vault} de inmediato, sin esperar."),
        "emergency.approve.title":
            .plain("¿Dejar entrar ahora a {name}?"),
        "emergency.approved":
            .plain("{name} puede entrar en la caja fuerte {vault}"),
        "emergency.ask":
            .plain("Solicitar acceso"),
        "emergency.ask.confirm":
            .plain("Solicitar"),
        "emergency.ask.message":
            .plain("Se avisa de inmediato a la persona titular de la caja fuerte {vault}, que puede decir que no."),
        "emergency.ask.title":
            .plain("¿Solicitar acceso de emergencia?"),
        "emergency.asked":
            .plain("Usted ha solicitado acceso de emergencia a la caja fuerte {vault}"),
        "emergency.asks":
            .plain("{name} solicita acceso de emergencia a la caja fuerte {vault}."),
        "emergency.enter":
            .plain("Entrar ahora"),
        "emergency.entered":
            .plain("Usted está en la caja fuerte {vault}"),
        "emergency.gathering": .plural([
            .one: "Todavía debe solicitarlo {count} persona de confianza más para que empiece la espera.",
            .other: "Todavía deben solicitarlo {count} personas de confianza más para que empiece la espera.",
        ]),
        "emergency.granted":
            .plain("Esa persona puede entrar hasta el {date}."),
        "emergency.grants":
            .plain("Esa persona podrá entrar a partir del {date}, salvo que usted diga que no."),
        "emergency.held":
            .plain("El servicio de asistencia ha detenido esta solicitud. Mientras tanto, no da acceso."),
        "emergency.own.granted":
            .plain("Usted puede entrar ahora en la caja fuerte {vault}, hasta el {date}."),
        "emergency.own.waiting":
            .plain("Usted podrá entrar en la caja fuerte {vault} a partir del {date}, salvo que la persona titular diga que no."),
        "emergency.reject":
            .plain("No"),
        "emergency.reject.confirm":
            .plain("Decir que no"),
        "emergency.reject.message":
            .plain("{name} no obtiene acceso a la caja fuerte {vault}. Se avisa a {name} de ello."),
        "emergency.reject.title":
            .plain("¿Decir que no?"),
        "emergency.rejected":
            .plain("{name} no obtiene acceso a la caja fuerte {vault}"),
        "emergency.settings.after_missed_days": .plural([
            .one: "Tras {count} día sin confirmación",
            .other: "Tras {count} días seguidos sin confirmación",
        ]),
        "emergency.settings.days.invalid":
            .plain("Elija entre 2 y 30 días sin confirmación."),
        "emergency.settings.end":
            .plain("Terminar el acceso de emergencia"),
        "emergency.settings.end.confirm":
            .plain("Terminar el acceso"),
        "emergency.settings.end.message":
            .plain("{name} ya no podrá entrar en la caja fuerte {vault} en una emergencia. Si hay una solicitud en espera, termina."),
        "emergency.settings.end.title":
            .plain("¿Terminar el acceso de emergencia?"),
        "emergency.settings.ended":
            .plain("El acceso de emergencia de {name} ha terminado"),
        "emergency.settings.grant": .plural([
            .one: "Duración de {count} hora",
            .other: "Duración de {count} horas",
        ]),
        "emergency.settings.grant.invalid":
            .plain("Elija una duración de entre 1 hora y 30 días."),
        "emergency.settings.nothing":
            .plain("Elija qué lo pone en marcha: una solicitud, los días sin confirmación o ambas cosas."),
        "emergency.settings.on_request":
            .plain("{name} puede solicitarlo"),
        "emergency.settings.saved":
            .plain("El acceso de emergencia para {name} está configurado"),
        "emergency.settings.title":
            .plain("Acceso de emergencia para {name}"),
        "emergency.settings.wait": .plural([
            .one: "Espera de {count} hora",
            .other: "Espera de {count} horas",
        ]),
        "emergency.settings.wait.invalid":
            .plain("Elija una espera de entre 1 hora y 90 días."),
        "emergency.silence":
            .plain("Usted no ha confirmado que esté bien. {name} obtiene acceso de emergencia a la caja fuerte {vault}."),
        "emergency.status.ended":
            .plain("Terminada"),
        "emergency.status.gathering":
            .plain("A la espera de otras personas"),
        "emergency.status.granted":
            .plain("Acceso dado"),
        "emergency.status.rejected":
            .plain("Se dijo que no"),
        "emergency.status.waiting":
            .plain("En espera"),
        "emergency.status.withdrawn":
            .plain("Retirada"),
        "emergency.title":
            .plain("Acceso de emergencia"),
        "emergency.withdraw":
            .plain("Retirar la solicitud"),
        "emergency.withdrawn":
            .plain("Usted ha retirado su solicitud"),
        "feedback.rating": .plural([
            .one: "{count} estrella de 5",
            .other: "{count} estrellas de 5",
        ]),
        "feedback.rating.missing":
            .plain("Elija de 1 a 5 estrellas."),
        "feedback.send":
            .plain("Enviar"),
        "feedback.sent":
            .plain("Gracias. Su opinión se ha enviado."),
        "feedback.title":
            .plain("Su opinión"),
        "feedback.topic.app":
            .plain("La aplicación"),
        "feedback.topic.invitation":
            .plain("Invitaciones"),
        "feedback.topic.share":
            .plain("Compartir"),
        "invitation.accept":
            .plain("Aceptar"),
        "invitation.accepted":
            .plain("Usted ha aceptado la invitación"),
        "invitation.access":
            .plain("Acceso: {level}"),
        "invitation.decline":
            .plain("Rechazar"),
        "invitation.declined":
            .plain("Usted ha rechazado la invitación"),
        "invitation.from":
            .plain("{name} le invita a la caja fuerte {vault}."),
        "invitation.needs_confirmation":
            .plain("La persona titular de la caja fuerte todavía no ha verificado el acceso de usted."),
        "invitation.over":
            .plain("Ya no se puede responder a esta invitación."),
        "invitation.transfer.from":
            .plain("{name} le ofrece la caja fuerte {vault}. Usted pasará a ser titular."),
        "invite.button":
            .plain("Invitar a personas de contacto"),
        "invite.contacts":
            .plain("Elegir de la agenda"),
        "invite.nobody":
            .plain("Elija al menos a una persona con número de teléfono."),
        "invite.not_invited": .plural([
            .one: "No se ha podido invitar a {count} persona.",
            .other: "No se ha podido invitar a {count} personas.",
        ]),
        "invite.outcome.cancelled":
            .plain("Invitación no enviada"),
        "invite.outcome.failed":
            .plain("No se ha podido enviar la invitación. Vuelva a intentarlo."),
        "invite.outcome.sent":
            .plain("Invitación enviada"),
        "invite.outcome.unavailable":
            .plain("Este dispositivo no puede enviar mensajes de texto. Copie la invitación en su lugar."),
        "invite.without_number": .plural([
            .one: "{count} persona de la agenda no tiene número de teléfono.",
            .other: "{count} personas de la agenda no tienen número de teléfono.",
        ]),
        "invitee.access":
            .plain("Nivel de acceso"),
        "invitee.copied":
            .plain("Enlace copiado"),
        "invitee.copy":
            .plain("Copiar el enlace"),
        "invitee.email":
            .plain("Correo electrónico"),
        "invitee.field":
            .plain("{label} ({hint})"),
        "invitee.name":
            .plain("Nombre de la persona"),
        "invitee.name.empty":
            .plain("Escriba el nombre de la persona."),
        "invitee.optional":
            .plain("opcional"),
        "invitee.phone":
            .plain("Número de teléfono"),
        "invitee.ready":
            .plain("La invitación para {name} está lista para enviarse"),
        "invitee.required":
            .plain("obligatorio"),
        "invitee.send":
            .plain("Enviar invitación"),
        "invitee.share":
            .plain("Compartir"),
        "nominee.meaning.accepted":
            .plain("Invitación aceptada, a la espera de que se abra la caja fuerte"),
        "nominee.meaning.active":
            .plain("La caja fuerte está abierta y la persona de confianza tiene acceso al mismo tiempo"),
        "nominee.meaning.inactive":
            .plain("Acceso desactivado por ahora"),
        "nominee.meaning.pending":
            .plain("Invitación enviada, todavía no aceptada"),
        "nominee.meaning.revoked":
            .plain("Acceso retirado para siempre"),
        "nominee.status.accepted":
            .plain("Ha aceptado"),
        "nominee.status.active":
            .plain("Con acceso ahora"),
        "nominee.status.inactive":
            .plain("En pausa"),
        "nominee.status.pending":
            .plain("Pendiente"),
        "nominee.status.revoked":
            .plain("Acceso retirado"),
        "nominees.add":
            .plain("+"),
        "nominees.add.label":
            .plain("Invitar a una persona de confianza"),
        "nominees.changed":
            .plain("El acceso de {name} ha cambiado"),
        "nominees.chat":
            .plain("Conversación"),
        "nominees.confirm":
            .plain("Verificar el acceso"),
        "nominees.confirmed":
            .plain("{name} tiene acceso a la caja fuerte {vault}"),
        "nominees.empty":
            .plain("Esta caja fuerte todavía no tiene personas de confianza."),
        "nominees.history":
            .plain("Historial de accesos"),
        "nominees.invite_via_messages":
            .plain("Invitar por mensaje"),
        "nominees.owner":
            .plain("Titular"),
        "nominees.path":
            .plain("Caja fuerte → Compartir → Gestionar personas de confianza"),
        "nominees.pause":
            .plain("Poner el acceso en pausa"),
        "nominees.remove":
            .plain("Quitar a la persona de confianza"),
        "nominees.remove.confirm":
            .plain("Quitar"),
        "nominees.remove.message":
            .plain("El acceso de {name} a la caja fuerte {vault} terminará de inmediato. Se avisará a {name} de ello. Más tarde puede volver a invitar a esa persona."),
        "nominees.remove.title":
            .plain("¿Quitar a la persona de confianza?"),
        "nominees.removed":
            .plain("{name} ya no tiene acceso a la caja fuerte {vault}"),
        "nominees.resend":
            .plain("Volver a enviar la invitación"),
        "nominees.resent":
            .plain("Una nueva invitación para {name} está lista. La anterior ya no es válida."),
        "nominees.resume":
            .plain("Reanudar el acceso"),
        "nominees.title":
            .plain("Gestionar personas de confianza"),
        "notifications.empty":
            .plain("Todavía no hay avisos."),
        "notifications.read_all":
            .plain("Marcar todos como leídos"),
        "notifications.title":
            .plain("Avisos"),
        "notifications.unread": .plural([
            .one: "{count} aviso sin leer",
            .other: "{count} avisos sin leer",
        ]),
        "ping.status.cancelled":
            .plain("Anulado"),
        "ping.status.completed":
            .plain("Confirmado"),
        "ping.status.completed_late":
            .plain("Confirmado con retraso"),
        "ping.status.due":
            .plain("Pendiente"),
        "ping.status.missed":
            .plain("Sin confirmar"),
        "ping.status.scheduled":
            .plain("Previsto"),
        "ping.status.unknown":
            .plain("Desconocido"),
        "problem.content_damaged":
            .plain("El contenido ha llegado dañado. Vuelva a intentarlo, por favor."),
        "problem.file":
            .plain("No se puede leer el archivo, o no hay espacio para él en este dispositivo."),
        "problem.not_done":
            .plain("No se ha hecho. Vuelva a intentarlo, por favor."),
        "problem.not_kept":
            .plain("Este dispositivo no ha podido guardar su confirmación, porque su memoria está llena o no se puede escribir en ella, y no hay conexión. Nadie sabe nada de ella, y no se enviará más tarde. Vuelva a confirmar que está bien cuando tenga conexión."),
        "problem.other_recipient":
            .plain("Este mensaje es para otra persona, no para la que ha iniciado sesión. Abra la aplicación y hágalo allí."),
        "problem.retry.hours": .plural([
            .one: "Vuelva a intentarlo dentro de {count} hora.",
            .other: "Vuelva a intentarlo dentro de {count} horas.",
        ]),
        "problem.retry.minutes": .plural([
            .one: "Vuelva a intentarlo dentro de {count} minuto.",
            .other: "Vuelva a intentarlo dentro de {count} minutos.",
        ]),
        "problem.retry.seconds": .plural([
            .one: "Vuelva a intentarlo dentro de {count} segundo.",
            .other: "Vuelva a intentarlo dentro de {count} segundos.",
        ]),
        "problem.signed_out":
            .plain("Su sesión está cerrada. Inicie sesión de nuevo."),
        "problem.title":
            .plain("No ha funcionado"),
        "problem.unreachable":
            .plain("No hay conexión con el servidor. Compruebe su red y vuelva a intentarlo."),
        "problem.unreadable":
            .plain("Una confirmación guardada en este dispositivo no se puede leer. No se enviará. Vuelva a confirmar que está bien, por favor."),
        "screen.outdated":
            .plain("Sin actualizar (desde: {time})."),
        "sender.grace.invalid":
            .plain("Elija entre 5 y 719 minutos."),
        "sender.grace.label":
            .plain("Tiempo para responder"),
        "sender.grace.value": .plural([
            .one: "{count} minuto",
            .other: "{count} minutos",
        ]),
        "sender.reminder.invalid":
            .plain("El recordatorio debe llegar después de la hora de la pregunta y antes del fin del plazo."),
        "sender.reminder.label":
            .plain("Recordatorio antes del fin del plazo"),
        "sender.reminders.invalid":
            .plain("Elija hasta 4 recordatorios distintos, entre la hora de la pregunta y el fin del plazo."),
        "sender.reminders.saved":
            .plain("Sus recordatorios están guardados."),
        "sender.save":
            .plain("Guardar"),
        "sender.saved":
            .plain("Su confirmación diaria está configurada."),
        "sender.time.label":
            .plain("Hora"),
        "sender.title":
            .plain("Su confirmación diaria"),
        "share.changed.read_only":
            .plain("Quienes participan ahora pueden leer la caja fuerte {vault}."),
        "share.changed.read_write":
            .plain("Quienes participan ahora pueden editar la caja fuerte {vault}."),
        "share.none":
            .plain("Usted no comparte ninguna caja fuerte."),
        "share.participants": .plural([
            .one: "{count} participante",
            .other: "{count} participantes",
        ]),
        "share.permission":
            .plain("Permiso"),
        "share.read_only":
            .plain("Lectura"),
        "share.read_write":
            .plain("Edición"),
        "share.revoke":
            .plain("Dejar de compartir"),
        "share.revoke.confirm":
            .plain("Dejar de compartir"),
        "share.revoke.message":
            .plain("Todas las personas que tienen acceso a la caja fuerte {vault} por este acceso compartido lo pierden de inmediato."),
        "share.revoke.title":
            .plain("¿Dejar de compartir?"),
        "share.revoked":
            .plain("La caja fuerte {vault} ya no se comparte."),
        "sign_in.address.button":
            .plain("Enviar código"),
        "sign_in.address.empty":
            .plain("Escriba su número de teléfono o su dirección de correo electrónico."),
        "sign_in.address.label":
            .plain("Número de teléfono o correo electrónico"),
        "sign_in.code.again":
            .plain("Enviar un código nuevo"),
        "sign_in.code.button":
            .plain("Iniciar sesión"),
        "sign_in.code.incomplete":
            .plain("Escriba las 6 cifras del código."),
        "sign_in.code.sent":
            .plain("Hemos enviado un código a {address}."),
        "sign_in.done":
            .plain("Sesión iniciada"),
        "sign_in.title":
            .plain("Iniciar sesión"),
        "thing.end.confirm":
            .plain("Quitar"),
        "thing.end.message":
            .plain("La dirección deja de funcionar."),
        "thing.end.title":
            .plain("¿Quitar {name}?"),
        "thing.ended":
            .plain("Se ha quitado {name}."),
        "thing.made":
            .plain("Haga que {name} abra esta dirección. Se muestra una sola vez."),
        "thing.name.empty":
            .plain("Póngale un nombre."),
        "transfer.button":
            .plain("Traspasar"),
        "transfer.cancel":
            .plain("Cancelar el traspaso"),
        "transfer.cancelled":
            .plain("El traspaso se ha cancelado"),
        "transfer.first.confirm":
            .plain("Continuar"),
        "transfer.first.message.keep":
            .plain("{name} pasa a ser titular de la caja fuerte {vault}. Usted sigue como persona de confianza con acceso completo, y sus demás personas de confianza pierden el suyo."),
        "transfer.first.message.leave":
            .plain("{name} pasa a ser titular de la caja fuerte {vault}. Usted pierde su acceso, y sus personas de confianza también pierden el suyo."),
        "transfer.first.title":
            .plain("¿Traspasar la caja fuerte {vault}?"),
        "transfer.ready":
            .plain("La oferta para {name} está lista para enviarse"),
        "transfer.second.confirm":
            .plain("Traspasar la caja fuerte"),
        "transfer.second.message":
            .plain("Cuando {name} acepte, usted no podrá recuperar la caja fuerte {vault}."),
        "transfer.second.title":
            .plain("¿Seguro que quiere hacerlo?"),
        "transfer.title":
            .plain("Traspasar la caja fuerte"),
        "vault.delete.confirm":
            .plain("Borrar"),
        "vault.delete.message":
            .plain("La caja fuerte {vault} se cierra de inmediato y nadie puede entrar. Usted puede recuperarla durante 30 días."),
        "vault.delete.title":
            .plain("¿Borrar la caja fuerte?"),
        "vault.left.minutes": .plural([
            .one: "Se cierra dentro de {count} minuto",
            .other: "Se cierra dentro de {count} minutos",
        ]),
        "vault.left.seconds": .plural([
            .one: "Se cierra dentro de {count} segundo",
            .other: "Se cierra dentro de {count} segundos",
        ]),
        "vault.lock":
            .plain("Cerrar la caja fuerte"),
        "vault.locked":
            .plain("La caja fuerte {vault} está cerrada"),
        "vault.locked.expired":
            .plain("La caja fuerte {vault} se ha cerrado sola tras 30 minutos sin actividad"),
        "vault.locked.nominee":
            .plain("Esta caja fuerte está cerrada. Usted puede entrar mientras la persona titular la tenga abierta."),
        "vault.locked.owner":
            .plain("Sus personas de confianza no pueden entrar hasta que la caja fuerte esté abierta, salvo por acceso de emergencia."),
        "vault.open":
            .plain("Abrir la caja fuerte"),
        "vault.open.meaning":
            .plain("Mientras la caja fuerte está abierta, puede entrar toda persona de confianza que haya aceptado. Todas ven los mismos documentos."),
        "vault.opened":
            .plain("La caja fuerte {vault} está abierta"),
        "vault.state.locked":
            .plain("Cerrada"),
        "vault.state.open":
            .plain("Abierta"),
    ]
}
