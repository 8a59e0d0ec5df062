// swift-format-ignore-file
// Generated from Sources/Texts/Catalogue by `make texts`. Change the files there instead.

extension KithTexts {
    static let textsAr: [String: Text] = [
        "access.edit":
            .plain("تعديل"),
        "access.edit.meaning":
            .plain("يقرأ المستندات ويضيفها ويستبدلها ما دامت الخزنة مفتوحة."),
        "access.full":
            .plain("كامل"),
        "access.full.meaning":
            .plain("كما يحذف المستندات ويدعو أشخاص ثقة ويقفل الخزنة."),
        "access.refused":
            .plain("مستوى دخولك لا يسمح بهذا."),
        "access.view":
            .plain("قراءة"),
        "access.view.meaning":
            .plain("يقرأ المستندات ما دامت الخزنة مفتوحة."),
        "account.delete.confirm":
            .plain("حذف الحساب"),
        "account.delete.message":
            .plain("ينهي هذا صلاتك وحقك في دخول الخزائن. بعد ذلك لا يتم إبلاغ أحد إذا لم تصل منك إشارة الطمأنة. ولا يمكن التراجع عن ذلك."),
        "account.delete.title":
            .plain("هل تريد حذف الحساب؟"),
        "alarm.another_receiver":
            .plain("شخص اتصال آخر"),
        "alarm.call":
            .plain("أحتاج إلى مساعدة"),
        "alarm.call.end.confirm":
            .plain("أنا بخير، إنهاء نداء الاستغاثة"),
        "alarm.call.end.message":
            .plain("كل من سبق إبلاغه يقرأ أنك بخير."),
        "alarm.call.end.title":
            .plain("هل تريد إنهاء نداء استغاثتك؟"),
        "alarm.call.message":
            .plain("يتم فورًا إبلاغ كل من يرى إشارات الطمأنة منك."),
        "alarm.call.title":
            .plain("هل تريد إطلاق نداء استغاثة؟"),
        "alarm.call.told": .plural([
            .few: "يجري إبلاغ {count} أشخاص بأنك بحاجة إلى مساعدة.",
            .many: "يجري إبلاغ {count} شخصًا بأنك بحاجة إلى مساعدة.",
            .one: "يجري إبلاغ شخص واحد بأنك بحاجة إلى مساعدة.",
            .other: "يجري إبلاغ {count} شخص بأنك بحاجة إلى مساعدة.",
            .two: "يجري إبلاغ شخصين بأنك بحاجة إلى مساعدة.",
            .zero: "يجري إبلاغ {count} شخص بأنك بحاجة إلى مساعدة.",
        ]),
        "alarm.call.unsent":
            .plain("لم يتم إبلاغ أحد. إذا كنت بحاجة إلى مساعدة الآن فاتصل بالرقم {number}. لم يُرسل نداء استغاثتك، ولن يُرسل لاحقًا."),
        "alarm.call.unsent.title":
            .plain("لم يتم إبلاغ أحد"),
        "alarm.card.delete.confirm":
            .plain("حذف"),
        "alarm.card.delete.message":
            .plain("من يأتي ليتفقد حالك لن تكون البطاقة لديه."),
        "alarm.card.delete.title":
            .plain("هل تريد حذف بطاقة رعايتك؟"),
        "alarm.card.deleted":
            .plain("تم حذف بطاقة رعايتك ومكانك."),
        "alarm.card.invalid":
            .plain("العدد الأقصى 8 أقسام. ويحتاج كل قسم إلى عنوان ونص."),
        "alarm.card.meaning":
            .plain("يرى {name} أنك اطّلعت على بطاقة الرعاية."),
        "alarm.card.saved":
            .plain("تم حفظ بطاقة رعايتك."),
        "alarm.card.show":
            .plain("عرض بطاقة الرعاية"),
        "alarm.decline":
            .plain("لا أستطيع"),
        "alarm.declined":
            .plain("لقد قلت إنك لا تستطيع. ويمكن أن يقرأ الآخرون ذلك."),
        "alarm.drill":
            .plain("هذا تدريب: {body}"),
        "alarm.drill.held":
            .plain("بدأ التدريب."),
        "alarm.drill.hold":
            .plain("إجراء تدريب"),
        "alarm.drill.message":
            .plain("يتم إبلاغ أشخاص الاتصال لديك كما في الإنذار. وتذكر كل رسالة أن هذا تدريب."),
        "alarm.ended":
            .plain("انتهى الإنذار. يصل هذا الخبر الآن إلى كل من سبق إبلاغه."),
        "alarm.false":
            .plain("كان إنذارًا كاذبًا"),
        "alarm.false.message":
            .plain("كل من سبق إبلاغه يصله أنه لم يحدث شيء."),
        "alarm.false.title":
            .plain("هل كان إنذارًا كاذبًا؟"),
        "alarm.help_called":
            .plain("اتصلتُ برقم الطوارئ"),
        "alarm.help_called.title":
            .plain("هل اتصلت برقم الطوارئ؟"),
        "alarm.nobody_told":
            .plain("تعذّر إبلاغ أي شخص. اتصل برقم الطوارئ المحلي."),
        "alarm.none":
            .plain("لا يوجد إنذار."),
        "alarm.note.empty":
            .plain("يرجى كتابة شيء أولًا."),
        "alarm.noted":
            .plain("تمت إضافة ملاحظتك."),
        "alarm.plan.invalid":
            .plain("يجب أن يأتي موعد كل مجموعة بعد موعد المجموعة التي قبلها، وفي غضون 12 ساعة على الأكثر بعد انتهاء المهلة."),
        "alarm.plan.saved":
            .plain("تم حفظ خطتك."),
        "alarm.release":
            .plain("ترك الأمر لغيري"),
        "alarm.released":
            .plain("يمكن الآن أن يتولى شخص غيرك أمر {name}."),
        "alarm.reopen":
            .plain("إعادة فتح الإنذار"),
        "alarm.reopen.message":
            .plain("كل من سبق إبلاغه يصله من جديد أن على أحدهم أن يتفقد الحال."),
        "alarm.reopen.title":
            .plain("هل تريد إعادة فتح الإنذار؟"),
        "alarm.reopened":
            .plain("الإنذار مفتوح من جديد."),
        "alarm.safe":
            .plain("تواصلتُ مع الشخص وهو بخير"),
        "alarm.safe.meaning":
            .plain("هذا ينهي الإنذار. وكل من سبق إبلاغه يصله أن ذلك كان منك."),
        "alarm.safe.title":
            .plain("هل {name} بخير؟"),
        "alarm.take":
            .plain("أنا أتولى الأمر"),
        "alarm.take.again":
            .plain("ما زلتُ أتولى الأمر"),
        "alarm.taken":
            .plain("{name} يتولى الأمر."),
        "alarm.title":
            .plain("الإنذارات"),
        "alarm.took":
            .plain("أنت تتولى أمر {name}."),
        "button.cancel":
            .plain("إلغاء"),
        "button.ok":
            .plain("حسنًا"),
        "button.try_again":
            .plain("المحاولة من جديد"),
        "chat.about":
            .plain("بخصوص الخزنة {vault}. لا يقرأ هذه المحادثة أحد غيركما."),
        "chat.empty":
            .plain("يرجى كتابة شيء أولًا."),
        "chat.me":
            .plain("أنت"),
        "chat.none":
            .plain("لا توجد رسالة بعد."),
        "chat.read":
            .plain("مقروءة"),
        "chat.received":
            .plain("{name}: {text}"),
        "chat.send":
            .plain("إرسال"),
        "chat.sent":
            .plain("تم إرسال الرسالة"),
        "chat.title":
            .plain("محادثة مع {name}"),
        "chat.unread": .plural([
            .few: "{count} رسائل غير مقروءة",
            .many: "{count} رسالة غير مقروءة",
            .one: "رسالة واحدة غير مقروءة",
            .other: "{count} رسالة غير مقروءة",
            .two: "رسالتان غير مقروءتين",
            .zero: "{count} رسالة غير مقروءة",
        ]),
        "check_in.button":
            .plain("أنا بخير"),
        "check_in.kept":
            .plain("لم تُرسل بعد. إشارة الطمأنة محفوظة على هذا الجهاز، وستُرسل عندما تعود الشبكة. لا يعلم أشخاص الاتصال لديك بها بعد."),
        "check_in.kept.sign_in":
            .plain("لم تُرسل بعد. إشارة الطمأنة محفوظة على هذا الجهاز، وستُرسل بعد أن تسجل الدخول من جديد. لا يعلم أشخاص الاتصال لديك بها بعد."),
        "check_in.nothing":
            .plain("لا إشارة طمأنة مطلوبة اليوم."),
        "check_in.received":
            .plain("وصلت إشارة الطمأنة منك."),
        "check_in.refused":
            .plain("لم تُقبل إشارة الطمأنة منك. لا يعلم أشخاص الاتصال لديك بها."),
        "check_in.sending":
            .plain("جارٍ إرسال إشارة الطمأنة…"),
        "check_in.sign_out": .plural([
            .few: "هناك {count} إشارات طمأنة لم تُرسل بعد. تبقى على هذا الجهاز حتى تسجل الدخول من جديد.",
            .many: "هناك {count} إشارة طمأنة لم تُرسل بعد. تبقى على هذا الجهاز حتى تسجل الدخول من جديد.",
            .one: "هناك إشارة طمأنة واحدة لم تُرسل بعد. تبقى على هذا الجهاز حتى تسجل الدخول من جديد.",
            .other: "هناك {count} إشارة طمأنة لم تُرسل بعد. تبقى على هذا الجهاز حتى تسجل الدخول من جديد.",
            .two: "هناك إشارتا طمأنة لم تُرسلا بعد. تبقيان على هذا الجهاز حتى تسجل الدخول من جديد.",
            .zero: "هناك {count} إشارة طمأنة لم تُرسل بعد. تبقى على هذا الجهاز حتى تسجل الدخول من جديد.",
        ]),
        "check_in.unknown":
            .plain("لم يكتمل التحميل بعد. يمكنك إرسال إشارة الطمأنة على أي حال."),
        "connect.busy":
            .plain("جارٍ إنشاء الصلة…"),
        "connect.button":
            .plain("إنشاء الصلة"),
        "connect.code.entered":
            .plain("تم إدخال {count} من 6 أرقام"),
        "connect.code.incomplete":
            .plain("يرجى إدخال أرقام الرمز الستة كلها."),
        "connect.code.label":
            .plain("رمز من 6 أرقام"),
        "connect.done":
            .plain("تم إنشاء الصلة مع {name}"),
        "connect.paste":
            .plain("لصق {code}"),
        "connect.title.receiver":
            .plain("إضافة شخص تطمئن عليه"),
        "connect.title.sender":
            .plain("إضافة شخص اتصال"),
        "connection.pause.action":
            .plain("إيقاف الصلة مؤقتًا"),
        "connection.pause.confirm":
            .plain("إيقاف مؤقت"),
        "connection.pause.done":
            .plain("الصلة مع {name} موقوفة مؤقتًا"),
        "connection.pause.message":
            .plain("لن تُطلب منك إشارات طمأنة في هذه الصلة حتى تستأنفها. سيتم إعلام {name} بذلك. تنبيه: حتى ذلك الحين لا يتم إبلاغ {name} إذا لم تصل منك إشارة الطمأنة."),
        "connection.pause.title":
            .plain("هل تريد إيقاف الصلة مؤقتًا؟"),
        "connection.remove.action":
            .plain("إنهاء الصلة"),
        "connection.remove.confirm":
            .plain("إنهاء الصلة"),
        "connection.remove.done":
            .plain("انتهت الصلة مع {name}"),
        "connection.remove.message.receiver":
            .plain("يزيل هذا {name} من قائمة من تطمئن عليهم، ويتم إعلام {name} بذلك. يمكنك إنشاء الصلة من جديد لاحقًا إذا وصلتك دعوة أخرى من هذا الشخص. لن يتم إبلاغك بعد الآن إذا لم تصل إشارة الطمأنة من {name}."),
        "connection.remove.message.sender":
            .plain("تتوقف بذلك إشارات الطمأنة إلى {name}، ويتم إعلام {name} بذلك. يمكنك إنشاء الصلة من جديد لاحقًا باستخدام رمز هذا الشخص. تنبيه: من الآن فصاعدًا لا يتم إبلاغ {name} إذا لم تصل منك إشارة الطمأنة."),
        "connection.remove.title":
            .plain("هل تريد إنهاء الصلة؟"),
        "connection.resume.action":
            .plain("استئناف الصلة"),
        "connection.resume.done":
            .plain("الصلة مع {name} فعالة"),
        "connection.status.active":
            .plain("فعالة"),
        "connection.status.announcement":
            .plain("{name}: {status}"),
        "connection.status.deleted":
            .plain("منتهية"),
        "connection.status.paused":
            .plain("موقوفة مؤقتًا"),
        "connection.status.pending":
            .plain("قيد الانتظار"),
        "connection.unknown_since":
            .plain("غير معروف منذ {time}."),
        "dashboard.empty.receiver":
            .plain("لا يرسل إليك أحد إشارات طمأنة بعد."),
        "dashboard.empty.sender":
            .plain("لا تصل إشارات الطمأنة منك إلى أحد بعد."),
        "dashboard.open": .plural([
            .few: "{count} إشارات طمأنة منتظرة",
            .many: "{count} إشارة طمأنة منتظرة",
            .one: "إشارة طمأنة واحدة منتظرة",
            .other: "{count} إشارة طمأنة منتظرة",
            .two: "إشارتا طمأنة منتظرتان",
            .zero: "{count} إشارة طمأنة منتظرة",
        ]),
        "dashboard.title.receiver":
            .plain("من تطمئن عليهم"),
        "dashboard.title.sender":
            .plain("أشخاص الاتصال لديك"),
        "emergency.approve":
            .plain("نعم، السماح بالدخول"),
        "emergency.approve.confirm":
            .plain("السماح بالدخول"),
        "emergency.approve.message":
            .plain("يُسمح بدخول {name} إلى الخزنة {vault} فورًا، دون انتظار."),
        "emergency.approve.title":
            .plain("هل تريد السماح بدخول {name} الآن؟"),
        "emergency.approved":
            .plain("يستطيع {name} دخول الخزنة {vault}"),
        "emergency.ask":
            .plain("طلب الدخول"),
        "emergency.ask.confirm":
            .plain("طلب الدخول"),
        "emergency.ask.message":
            .plain("يتم فورًا إبلاغ صاحب الخزنة {vault} ويمكنه الاعتراض."),
        "emergency.ask.title":
            .plain("هل تريد طلب الدخول الطارئ؟"),
        "emergency.asked":
            .plain("لقد طلبت الدخول الطارئ إلى الخزنة {vault}"),
        "emergency.asks":
            .plain("يطلب {name} الدخول الطارئ إلى الخزنة {vault}."),
        "emergency.enter":
            .plain("الدخول الآن"),
        "emergency.entered":
            .plain("أنت داخل الخزنة {vault}"),
        "emergency.gathering": .plural([
            .few: "يجب أن يطلب ذلك {count} أشخاص ثقة آخرين قبل أن تبدأ مدة الانتظار.",
            .many: "يجب أن يطلب ذلك {count} شخص ثقة آخر قبل أن تبدأ مدة الانتظار.",
            .one: "يجب أن يطلب ذلك شخص ثقة آخر قبل أن تبدأ مدة الانتظار.",
            .other: "يجب أن يطلب ذلك {count} شخص ثقة آخر قبل أن تبدأ مدة الانتظار.",
            .two: "يجب أن يطلب ذلك شخصا ثقة آخران قبل أن تبدأ مدة الانتظار.",
            .zero: "يجب أن يطلب ذلك {count} شخص ثقة آخر قبل أن تبدأ مدة الانتظار.",
        ]),
        "emergency.granted":
            .plain("يستطيع هذا الشخص الدخول حتى {date}."),
        "emergency.grants":
            .plain("يُسمح بدخول هذا الشخص ابتداءً من {date} إلا إذا اعترضت."),
        "emergency.held":
            .plain("علّق فريق الدعم هذا الطلب. وفي هذه الأثناء لا يمنح حق الدخول."),
        "emergency.own.granted":
            .plain("يمكنك دخول الخزنة {vault} الآن، حتى {date}."),
        "emergency.own.waiting":
            .plain("يمكنك دخول الخزنة {vault} ابتداءً من {date} إلا إذا اعترض صاحبها."),
        "emergency.reject":
            .plain("اعتراض"),
        "emergency.reject.confirm":
            .plain("اعتراض"),
        "emergency.reject.message":
            .plain("لا يحصل {name} على حق دخول الخزنة {vault}. ويتم إبلاغ هذا الشخص بذلك."),
        "emergency.reject.title":
            .plain("هل تريد الاعتراض؟"),
        "emergency.rejected":
            .plain("لا يحصل {name} على حق دخول الخزنة {vault}"),
        "emergency.settings.after_missed_days": .plural([
            .few: "بعد {count} أيام متتالية دون إشارة طمأنة",
            .many: "بعد {count} يومًا متتاليًا دون إشارة طمأنة",
            .one: "بعد يوم واحد دون إشارة طمأنة",
            .other: "بعد {count} يوم متتالٍ دون إشارة طمأنة",
            .two: "بعد يومين متتاليين دون إشارة طمأنة",
            .zero: "بعد {count} يوم متتالٍ دون إشارة طمأنة",
        ]),
        "emergency.settings.days.invalid":
            .plain("يرجى الاختيار بين يومين و30 يومًا دون إشارة طمأنة."),
        "emergency.settings.end":
            .plain("إنهاء الدخول الطارئ"),
        "emergency.settings.end.confirm":
            .plain("إنهاء حق الدخول"),
        "emergency.settings.end.message":
            .plain("لن يستطيع {name} بعد ذلك دخول الخزنة {vault} في حالة الطوارئ. والطلب الذي ينتظر ينتهي."),
        "emergency.settings.end.title":
            .plain("هل تريد إنهاء الدخول الطارئ؟"),
        "emergency.settings.ended":
            .plain("انتهى حق {name} في الدخول الطارئ"),
        "emergency.settings.grant": .plural([
            .few: "مدة الدخول: {count} ساعات",
            .many: "مدة الدخول: {count} ساعة",
            .one: "مدة الدخول: ساعة واحدة",
            .other: "مدة الدخول: {count} ساعة",
            .two: "مدة الدخول: ساعتان",
            .zero: "مدة الدخول: {count} ساعة",
        ]),
        "emergency.settings.grant.invalid":
            .plain("يرجى اختيار مدة بين ساعة واحدة و30 يومًا."),
        "emergency.settings.nothing":
            .plain("يرجى اختيار ما يبدأ به ذلك: طلب، أو أيام دون إشارة طمأنة، أو كلاهما."),
        "emergency.settings.on_request":
            .plain("يستطيع {name} أن يطلب الدخول"),
        "emergency.settings.saved":
            .plain("تم ضبط الدخول الطارئ من أجل {name}"),
        "emergency.settings.title":
            .plain("الدخول الطارئ: {name}"),
        "emergency.settings.wait": .plural([
            .few: "مدة الانتظار: {count} ساعات",
            .many: "مدة الانتظار: {count} ساعة",
            .one: "مدة الانتظار: ساعة واحدة",
            .other: "مدة الانتظار: {count} ساعة",
            .two: "مدة الانتظار: ساعتان",
            .zero: "مدة الانتظار: {count} ساعة",
        ]),
        "emergency.settings.wait.invalid":
            .plain("يرجى اختيار مدة انتظار بين ساعة واحدة و90 يومًا."),
        "emergency.silence":
            .plain("لم تصل منك إشارة الطمأنة. يحصل {name} على حق الدخول الطارئ إلى الخزنة {vault}."),
        "emergency.status.ended":
            .plain("انتهى"),
        "emergency.status.gathering":
            .plain("في انتظار آخرين"),
        "emergency.status.granted":
            .plain("مُنح"),
        "emergency.status.rejected":
            .plain("تم الاعتراض"),
        "emergency.status.waiting":
            .plain("قيد الانتظار"),
        "emergency.status.withdrawn":
            .plain("تم السحب"),
        "emergency.title":
            .plain("الدخول الطارئ"),
        "emergency.withdraw":
            .plain("سحب الطلب"),
        "emergency.withdrawn":
            .plain("لقد سحبت طلبك"),
        "feedback.rating": .plural([
            .few: "{count} نجوم من 5",
            .many: "{count} نجمة من 5",
            .one: "نجمة واحدة من 5",
            .other: "{count} نجمة من 5",
            .two: "نجمتان من 5",
            .zero: "{count} نجمة من 5",
        ]),
        "feedback.rating.missing":
            .plain("يرجى اختيار عدد النجوم من 1 إلى 5."),
        "feedback.send":
            .plain("إرسال"),
        "feedback.sent":
            .plain("شكرًا. تم إرسال رأيك."),
        "feedback.title":
            .plain("رأيك"),
        "feedback.topic.app":
            .plain("التطبيق"),
        "feedback.topic.invitation":
            .plain("الدعوات"),
        "feedback.topic.share":
            .plain("المشاركة"),
        "invitation.accept":
            .plain("قبول"),
        "invitation.accepted":
            .plain("لقد قبلت الدعوة"),
        "invitation.access":
            .plain("مستوى الدخول: {level}"),
        "invitation.decline":
            .plain("رفض"),
        "invitation.declined":
            .plain("لقد رفضت الدعوة"),
        "invitation.from":
            .plain("يدعوك {name} إلى الخزنة {vault}."),
        "invitation.needs_confirmation":
            .plain("لم يؤكد صاحب الخزنة حقك في الدخول بعد."),
        "invitation.over":
            .plain("لم يعد الرد على هذه الدعوة ممكنًا."),
        "invitation.transfer.from":
            .plain("يعرض عليك {name} الخزنة {vault}. تصبح أنت صاحبها."),
        "invite.button":
            .plain("دعوة أشخاص الاتصال"),
        "invite.contacts":
            .plain("الاختيار من دليل الهاتف"),
        "invite.nobody":
            .plain("يرجى اختيار شخص واحد على الأقل له رقم هاتف."),
        "invite.not_invited": .plural([
            .few: "تعذّرت دعوة {count} أشخاص.",
            .many: "تعذّرت دعوة {count} شخصًا.",
            .one: "تعذّرت دعوة شخص واحد.",
            .other: "تعذّرت دعوة {count} شخص.",
            .two: "تعذّرت دعوة شخصين.",
            .zero: "تعذّرت دعوة {count} شخص.",
        ]),
        "invite.outcome.cancelled":
            .plain("لم تُرسل الدعوة"),
        "invite.outcome.failed":
            .plain("تعذّر إرسال الدعوة. يرجى المحاولة من جديد."),
        "invite.outcome.sent":
            .plain("تم إرسال الدعوة"),
        "invite.outcome.unavailable":
            .plain("لا يستطيع هذا الجهاز إرسال رسائل نصية. يرجى نسخ الدعوة بدلًا من ذلك."),
        "invite.without_number": .plural([
            .few: "{count} أشخاص بلا رقم هاتف.",
            .many: "{count} شخصًا بلا رقم هاتف.",
            .one: "شخص واحد بلا رقم هاتف.",
            .other: "{count} شخص بلا رقم هاتف.",
            .two: "شخصان بلا رقم هاتف.",
            .zero: "{count} شخص بلا رقم هاتف.",
        ]),
        "invitee.access":
            .plain("مستوى الدخول"),
        "invitee.copied":
            .plain("تم نسخ الرابط"),
        "invitee.copy":
            .plain("نسخ الرابط"),
        "invitee.email":
            .plain("البريد الإلكتروني"),
        "invitee.field":
            .plain("{label} ({hint})"),
        "invitee.name":
            .plain("اسم المستلم"),
        "invitee.name.empty":
            .plain("يرجى إدخال اسم المستلم."),
        "invitee.optional":
            .plain("اختياري"),
        "invitee.phone":
            .plain("رقم الهاتف"),
        "invitee.ready":
            .plain("الدعوة من أجل {name} جاهزة للإرسال"),
        "invitee.required":
            .plain("مطلوب"),
        "invitee.send":
            .plain("إرسال الدعوة"),
        "invitee.share":
            .plain("مشاركة"),
        "nominee.meaning.accepted":
            .plain("قُبلت الدعوة، في انتظار فتح الخزنة"),
        "nominee.meaning.active":
            .plain("الخزنة مفتوحة، ولدى شخص الثقة حق الدخول في الوقت نفسه"),
        "nominee.meaning.inactive":
            .plain("حق الدخول معطل مؤقتًا"),
        "nominee.meaning.pending":
            .plain("أُرسلت الدعوة، ولم تُقبل بعد"),
        "nominee.meaning.revoked":
            .plain("سُحب حق الدخول نهائيًا"),
        "nominee.status.accepted":
            .plain("تم القبول"),
        "nominee.status.active":
            .plain("فعال"),
        "nominee.status.inactive":
            .plain("موقوف مؤقتًا"),
        "nominee.status.pending":
            .plain("قيد الانتظار"),
        "nominee.status.revoked":
            .plain("تم سحب الحق"),
        "nominees.add":
            .plain("+"),
        "nominees.add.label":
            .plain("دعوة شخص ثقة"),
        "nominees.changed":
            .plain("تغيّر حق {name} في الدخول"),
        "nominees.chat":
            .plain("المحادثة"),
        "nominees.confirm":
            .plain("تأكيد حق الدخول"),
        "nominees.confirmed":
            .plain("لدى {name} حق دخول الخزنة {vault}"),
        "nominees.empty":
            .plain("لا يوجد شخص ثقة في هذه الخزنة بعد."),
        "nominees.history":
            .plain("سجل الخزنة"),
        "nominees.invite_via_messages":
            .plain("الدعوة عبر الرسائل"),
        "nominees.owner":
            .plain("صاحب الخزنة"),
        "nominees.path":
            .plain("الخزنة ← المشاركة ← إدارة أشخاص الثقة"),
        "nominees.pause":
            .plain("إيقاف حق الدخول مؤقتًا"),
        "nominees.remove":
            .plain("إزالة شخص الثقة"),
        "nominees.remove.confirm":
            .plain("إزالة"),
        "nominees.remove.message":
            .plain("ينهي هذا فورًا حق {name} في دخول الخزنة {vault}. ويتم إعلام هذا الشخص بذلك. يمكنك دعوته من جديد لاحقًا."),
        "nominees.remove.title":
            .plain("هل تريد إزالة شخص الثقة؟"),
        "nominees.removed":
            .plain("لم يعد لدى {name} حق دخول الخزنة {vault}"),
        "nominees.resend":
            .plain("إعادة إرسال الدعوة"),
        "nominees.resent":
            .plain("دعوة جديدة جاهزة من أجل {name}. الدعوة القديمة لم تعد صالحة."),
        "nominees.resume":
            .plain("استئناف حق الدخول"),
        "nominees.title":
            .plain("إدارة أشخاص الثقة"),
        "notifications.empty":
            .plain("لا توجد إشعارات بعد."),
        "notifications.read_all":
            .plain("تعليم الكل كمقروء"),
        "notifications.title":
            .plain("الإشعارات"),
        "notifications.unread": .plural([
            .few: "{count} إشعارات غير مقروءة",
            .many: "{count} إشعارًا غير مقروء",
            .one: "إشعار واحد غير مقروء",
            .other: "{count} إشعار غير مقروء",
            .two: "إشعاران غير مقروءين",
            .zero: "{count} إشعار غير مقروء",
        ]),
        "ping.status.cancelled":
            .plain("ملغاة"),
        "ping.status.completed":
            .plain("وصلت الإشارة"),
        "ping.status.completed_late":
            .plain("وصلت الإشارة متأخرة"),
        "ping.status.due":
            .plain("حان موعدها"),
        "ping.status.missed":
            .plain("لم تصل الإشارة"),
        "ping.status.scheduled":
            .plain("مقررة"),
        "ping.status.unknown":
            .plain("غير معروف"),
        "problem.content_damaged":
            .plain("وصل المحتوى تالفًا. يرجى المحاولة من جديد."),
        "problem.file":
            .plain("تعذّرت قراءة الملف، أو لا توجد له مساحة على هذا الجهاز."),
        "problem.not_done":
            .plain("لم يتم ذلك. يرجى المحاولة من جديد."),
        "problem.not_kept":
            .plain("تعذّر على هذا الجهاز حفظ إشارة الطمأنة لأن ذاكرته ممتلئة أو لا يمكن الكتابة فيها، ولا يوجد اتصال. لا أحد يعلم بها، ولن تُرسل لاحقًا. أرسل إشارة الطمأنة مرة أخرى عندما يتوفر الاتصال."),
        "problem.other_recipient":
            .plain("هذه الرسالة موجهة إلى شخص آخر غير الشخص الذي سجّل الدخول. افتح التطبيق وافعل ذلك هناك."),
        "problem.retry.hours": .plural([
            .few: "يرجى المحاولة من جديد بعد {count} ساعات.",
            .many: "يرجى المحاولة من جديد بعد {count} ساعة.",
            .one: "يرجى المحاولة من جديد بعد ساعة واحدة.",
            .other: "يرجى المحاولة من جديد بعد {count} ساعة.",
            .two: "يرجى المحاولة من جديد بعد ساعتين.",
            .zero: "يرجى المحاولة من جديد بعد {count} ساعة.",
        ]),
        "problem.retry.minutes": .plural([
            .few: "يرجى المحاولة من جديد بعد {count} دقائق.",
            .many: "يرجى المحاولة من جديد بعد {count} دقيقة.",
            .one: "يرجى المحاولة من جديد بعد دقيقة واحدة.",
            .other: "يرجى المحاولة من جديد بعد {count} دقيقة.",
            .two: "يرجى المحاولة من جديد بعد دقيقتين.",
            .zero: "يرجى المحاولة من جديد بعد {count} دقيقة.",
        ]),
        "problem.retry.seconds": .plural([
            .few: "يرجى المحاولة من جديد بعد {count} ثوانٍ.",
            .many: "يرجى المحاولة من جديد بعد {count} ثانية.",
            .one: "يرجى المحاولة من جديد بعد ثانية واحدة.",
            .other: "يرجى المحاولة من جديد بعد {count} ثانية.",
            .two: "يرجى المحاولة من جديد بعد ثانيتين.",
            .zero: "يرجى المحاولة من جديد بعد {count} ثانية.",
        ]),
        "problem.signed_out":
            .plain("تم تسجيل خروجك. يرجى تسجيل الدخول من جديد."),
        "problem.title":
            .plain("لم ينجح ذلك"),
        "problem.unreachable":
            .plain("لا يوجد اتصال بالخادم. يرجى التحقق من الشبكة والمحاولة من جديد."),
        "problem.unreadable":
            .plain("تعذّرت قراءة إشارة طمأنة محفوظة على هذا الجهاز. لن تُرسل. يرجى إرسال إشارة الطمأنة مرة أخرى."),
        "screen.outdated":
            .plain("غير محدّث منذ {time}."),
        "sender.grace.invalid":
            .plain("يرجى الاختيار بين 5 دقائق و719 دقيقة."),
        "sender.grace.label":
            .plain("مهلة الرد"),
        "sender.grace.value": .plural([
            .few: "{count} دقائق",
            .many: "{count} دقيقة",
            .one: "دقيقة واحدة",
            .other: "{count} دقيقة",
            .two: "دقيقتان",
            .zero: "{count} دقيقة",
        ]),
        "sender.reminder.invalid":
            .plain("يجب أن يأتي التذكير بعد موعد إشارة الطمأنة وقبل انتهاء مهلتها."),
        "sender.reminder.label":
            .plain("التذكير قبل انتهاء المهلة"),
        "sender.reminders.invalid":
            .plain("يرجى اختيار 4 تذكيرات مختلفة على الأكثر بين موعد إشارة الطمأنة وانتهاء مهلتها."),
        "sender.reminders.saved":
            .plain("تم ضبط تذكيراتك."),
        "sender.save":
            .plain("حفظ"),
        "sender.saved":
            .plain("تم ضبط إشارة الطمأنة اليومية."),
        "sender.time.label":
            .plain("الوقت"),
        "sender.title":
            .plain("إشارة الطمأنة اليومية"),
        "share.changed.read_only":
            .plain("يستطيع المشاركون الآن قراءة الخزنة {vault}."),
        "share.changed.read_write":
            .plain("يستطيع المشاركون الآن تعديل الخزنة {vault}."),
        "share.none":
            .plain("أنت لا تشارك أي خزنة."),
        "share.participants": .plural([
            .few: "{count} مشاركين",
            .many: "{count} مشاركًا",
            .one: "مشارك واحد",
            .other: "{count} مشارك",
            .two: "مشاركان",
            .zero: "{count} مشارك",
        ]),
        "share.permission":
            .plain("الصلاحية"),
        "share.read_only":
            .plain("قراءة"),
        "share.read_write":
            .plain("تعديل"),
        "share.revoke":
            .plain("إيقاف المشاركة"),
        "share.revoke.confirm":
            .plain("إيقاف المشاركة"),
        "share.revoke.message":
            .plain("كل من لديه حق دخول الخزنة {vault} عبر هذه المشاركة يفقده فورًا."),
        "share.revoke.title":
            .plain("هل تريد إيقاف المشاركة؟"),
        "share.revoked":
            .plain("لم تعد الخزنة {vault} مشتركة."),
        "sign_in.address.button":
            .plain("إرسال الرمز"),
        "sign_in.address.empty":
            .plain("يرجى إدخال رقم هاتفك أو عنوان بريدك الإلكتروني."),
        "sign_in.address.label":
            .plain("رقم الهاتف أو البريد الإلكتروني"),
        "sign_in.code.again":
            .plain("إرسال رمز جديد"),
        "sign_in.code.button":
            .plain("تسجيل الدخول"),
        "sign_in.code.incomplete":
            .plain("يرجى إدخال أرقام الرمز الستة كلها."),
        "sign_in.code.sent":
            .plain("أرسلنا رمزًا إلى {address}."),
        "sign_in.done":
            .plain("تم تسجيل الدخول"),
        "sign_in.title":
            .plain("تسجيل الدخول"),
        "thing.end.confirm":
            .plain("إزالة"),
        "thing.end.message":
            .plain("يتوقف عنوانه عن العمل."),
        "thing.end.title":
            .plain("هل تريد إزالة {name}؟"),
        "thing.ended":
            .plain("تمت إزالة {name}."),
        "thing.made":
            .plain("اجعل {name} يفتح هذا العنوان. لا يظهر العنوان إلا مرة واحدة."),
        "thing.name.empty":
            .plain("يرجى إدخال اسم."),
        "transfer.button":
            .plain("نقل الملكية"),
        "transfer.cancel":
            .plain("إلغاء النقل"),
        "transfer.cancelled":
            .plain("تم إلغاء النقل"),
        "transfer.first.confirm":
            .plain("متابعة"),
        "transfer.first.message.keep":
            .plain("يصبح {name} صاحب الخزنة {vault}. تبقى أنت شخص ثقة بمستوى دخول كامل، ويفقد أشخاص الثقة الآخرون لديك حقهم في الدخول."),
        "transfer.first.message.leave":
            .plain("يصبح {name} صاحب الخزنة {vault}. تفقد أنت حق الدخول، ويفقده أشخاص الثقة لديك."),
        "transfer.first.title":
            .plain("هل تريد نقل ملكية الخزنة {vault}؟"),
        "transfer.ready":
            .plain("العرض إلى {name} جاهز للإرسال"),
        "transfer.second.confirm":
            .plain("نقل ملكية الخزنة"),
        "transfer.second.message":
            .plain("بعد أن يقبل {name} لا يمكنك استرجاع الخزنة {vault}."),
        "transfer.second.title":
            .plain("هل أنت متأكد؟"),
        "transfer.title":
            .plain("نقل الملكية"),
        "vault.delete.confirm":
            .plain("حذف"),
        "vault.delete.message":
            .plain("تُقفل الخزنة {vault} فورًا، ولا يستطيع أحد الدخول. يمكنك استعادتها خلال 30 يومًا."),
        "vault.delete.title":
            .plain("هل تريد حذف الخزنة؟"),
        "vault.left.minutes": .plural([
            .few: "تُقفل بعد {count} دقائق",
            .many: "تُقفل بعد {count} دقيقة",
            .one: "تُقفل بعد دقيقة واحدة",
            .other: "تُقفل بعد {count} دقيقة",
            .two: "تُقفل بعد دقيقتين",
            .zero: "تُقفل بعد {count} دقيقة",
        ]),
        "vault.left.seconds": .plural([
            .few: "تُقفل بعد {count} ثوانٍ",
            .many: "تُقفل بعد {count} ثانية",
            .one: "تُقفل بعد ثانية واحدة",
            .other: "تُقفل بعد {count} ثانية",
            .two: "تُقفل بعد ثانيتين",
            .zero: "تُقفل بعد {count} ثانية",
        ]),
        "vault.lock":
            .plain("إقفال الخزنة"),
        "vault.locked":
            .plain("الخزنة {vault} مقفلة"),
        "vault.locked.expired":
            .plain("أُقفلت الخزنة {vault} تلقائيًا بعد 30 دقيقة دون نشاط"),
        "vault.locked.nominee":
            .plain("هذه الخزنة مقفلة. يمكنك الدخول عندما يفتحها صاحبها."),
        "vault.locked.owner":
            .plain("لا يستطيع أشخاص الثقة لديك الدخول حتى تُفتح الخزنة، إلا عن طريق الدخول الطارئ."),
        "vault.open":
            .plain("فتح الخزنة"),
        "vault.open.meaning":
            .plain("ما دامت الخزنة مفتوحة يستطيع دخولها كل شخص ثقة قبِل الدعوة. ويرى الجميع المستندات نفسها."),
        "vault.opened":
            .plain("الخزنة {vault} مفتوحة"),
        "vault.state.locked":
            .plain("مقفلة"),
        "vault.state.open":
            .plain("مفتوحة"),
    ]
}
