internal import Pages
internal import Texts

/// The alarms that concern the visitor, and the questions to them, on every page: nobody should overlook them on the
/// way to something else.
struct AlarmBanner {
    private let visit: Visit
    private var words: Words { visit.words }

    /// The most alarms, and the most questions, that a page shows.
    private static let most = 3

    init(_ visit: Visit) {
        self.visit = visit
    }

    var html: HTML {
        guard let person = visit.person else { return "" }
        var html: HTML = "<div id=\"alarms\" data-live=\"alarm notification ping connection account\">\n"
        for ask in person.asks.prefix(Self.most) { html += question(ask) }
        let alarms = person.alarms.filter(isShown)
        for alarm in alarms.prefix(Self.most) { html += banner(alarm) }
        let more = alarms.count - Self.most
        if more > 0, visit.path != AlarmsScreen.path {
            html +=
                "<p><a class=\"inline\" href=\"\(AlarmsScreen.path)\">\(words("web.alarms.more", ["count": .number(more)]))</a></p>\n"
        }
        return html + "</div>\n"
    }

    /// Whether the page itself does not say it already.
    private func isShown(_ alarm: PresentAlarm) -> Bool {
        let own = AlarmScreen.path(of: alarm.id)
        if visit.path == own || visit.path.hasPrefix("\(own)/") || visit.path == AlarmsScreen.path { return false }
        if alarm.isMine, alarm.kind == .help, [HelpScreen.path, EndCallScreen.path].contains(visit.path) {
            return false
        }
        return !(visit.path == TodayScreen.path && alarm.isMine && alarm.kind != .drill)
    }

    private func banner(_ alarm: PresentAlarm) -> HTML {
        let (heading, state) = (alarm.state.text, alarm.state.detail ?? "")
        let path = alarm.isMine && alarm.kind != .drill ? TodayScreen.path : AlarmScreen.path(of: alarm.id)
        let label =
            !alarm.isMine
            ? "web.alarm.look" : alarm.kind == .help ? "web.alarm.own.open" : "web.alarm.own.answer"
        // What nobody looks after comes with a button on the first page. The rest is short, so that it leaves room for
        // the page, and on one that calls for help it is a line.
        guard alarm.isUrgent, visit.path == TodayScreen.path else {
            if visit.path == HelpScreen.path {
                return "<p class=\"panel \(tone(alarm))\"><a class=\"inline\" href=\"\(path)\">\(heading)</a></p>\n"
            }
            return """
                <p class="panel \(tone(alarm))"><strong>\(heading)</strong><br>
                \(state)<br>
                <a class="inline" href="\(path)">\(words(label))</a></p>

                """
        }
        return """
            <section class="emergency" aria-labelledby="alarm-\(alarm.id)">
            <h2 id="alarm-\(alarm.id)">\(heading)</h2>
            <p>\(state)</p>
            <a class="button main" href="\(path)">\(words(label))</a>
            </section>

            """
    }

    private func tone(_ alarm: PresentAlarm) -> String {
        alarm.isUrgent ? "bad" : alarm.isTakenByMe ? "warn" : "info"
    }

    private func question(_ ask: OpenAsk) -> HTML {
        let values: [String: HTML] = ["name": "\(name: ask.receiver)", "moment": "\(words.moment(ask.answerBy))"]
        // Nothing ends a call for help without a question.
        guard visit.person?.ownCall == nil else {
            return """
                <p class="panel info"><strong>\(words.html("web.ask.asks", values))</strong><br>
                <a class="inline" href="\(EndCallScreen.path)">\(words("web.alarm.own.end"))</a></p>

                """
        }
        // Not as the frame's other forms: a refused one of the page is no concern of this one.
        return """
            <section class="emergency" aria-labelledby="ask-\(ask.id)">
            <h2 id="ask-\(ask.id)">\(words.html("web.ask.asks", values))</h2>
            <p>\(words.html("web.ask.until", values))</p>
            <form method="post" action="\(TodayScreen.path)">
            <input type="hidden" name="\(FormFields.token)" value="\(visit.token())">
            <input type="hidden" name="\(FormFields.key)" value="\(visit.newKey())">
            <button class="button main" name="\(FormFields.act)" value="safe">\(words("web.today.safe"))</button>
            </form>
            </section>

            """
    }
}
