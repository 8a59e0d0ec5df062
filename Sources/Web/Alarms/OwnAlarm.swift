internal import Pages
internal import Texts

/// What Today says while there is an alarm of the visitor: that others worry, who looks after it, and what ends it.
struct OwnAlarm {
    private let alarm: PresentAlarm

    /// The real alarm of the visitor; nil if there is none.
    init?(_ visit: Visit) {
        guard let alarm = visit.person?.alarms.first(where: { $0.isMine && $0.kind != .drill }) else { return nil }
        self.alarm = alarm
    }

    /// Whether the day itself says it already.
    var isMiss: Bool { alarm.kind == .missed }
    var isHelp: Bool { alarm.kind == .help }

    /// The whole part of the sender, in place of the day's check-in.
    func section(_ visit: Visit) -> HTML {
        let state: HTML = """
            <p class="lead">\(alarm.state.detail ?? "")</p>
            \(link(visit))
            """
        let heading = alarm.state.heading
        return isHelp ? heading + state + EndCallScreen.link(visit) : Self.safe(visit, below: heading) + state
    }

    /// The way to the alarm.
    func link(_ visit: Visit) -> HTML {
        """
        <a class="button plain" href="\(AlarmScreen.path(of: alarm.id))">\(visit.words("web.alarm.own.open"))</a>

        """
    }

    /// "I'm safe", which ends an alarm of the visitor that is no call for help.
    static func safe(_ visit: Visit, below heading: HTML = "") -> HTML {
        visit.form(
            """
            \(heading)<button class="button main big" name="\(FormFields.act)" value="safe">\(visit.words("web.today.safe"))</button>
            <p class="hint">\(visit.words("web.alarm.own.safe_hint"))</p>
            """, to: TodayScreen.path)
    }
}
