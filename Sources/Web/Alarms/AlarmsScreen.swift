package import JSON
internal import Pages
package import Problems
internal import Texts

/// The alarms in which the visitor has a part, those that are not over first.
package struct AlarmsScreen: Screen {
    package static let path = "/alarms"

    private let alarms: [Alarm]
    private let more: JSONValue

    package static func calls(_ visit: Visit) -> [APICall] {
        let cursor = visit.query["after"]
        return [.get("/v1/alarms?limit=20\(PathID.accepts(cursor) ? "&cursor=\(cursor)" : "")")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        alarms = answers[0]["items"]?.elements.map(Alarm.init) ?? []
        more = answers[0]
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.alarms.title")
        var body: HTML = "<h1>\(title)</h1>\n"
        if alarms.isEmpty { body += "<p class=\"lead\">\(words("web.alarms.none"))</p>\n" }
        let present = alarms.filter { !$0.isOver }
        let over = alarms.filter(\.isOver)
        if !present.isEmpty {
            body +=
                "<h2>\(words("web.alarms.present"))</h2>\n<ul class=\"rows\">\n\(HTML.joined(present.map { $0.row(visit) }))</ul>\n"
        }
        if !over.isEmpty {
            body +=
                "<h2>\(words("web.alarms.over"))</h2>\n<ul class=\"rows\">\n\(HTML.joined(over.map { $0.row(visit) }))</ul>\n"
        }
        return ScreenPage(title: title, section: .people, body: body + visit.more(more))
    }
}
