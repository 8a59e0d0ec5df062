package import JSON
internal import Pages
package import Problems
internal import Texts

/// Asks before the visitor lets an alarm run through their plan as an exercise (K10).
package struct DrillScreen: Screen {
    package static let path = "/me/drill"

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {}

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        return ScreenPage(
            title: words("web.drill.title"), section: .me,
            body: """
                <h1>\(words("web.drill.title"))</h1>
                <p class="lead">\(words("web.drill.message"))</p>
                <p>\(words("web.drill.rules"))</p>
                \(visit.form("\(visit.button("drill", words("web.drill.confirm"), .main))"))\
                \(visit.link(AlarmPlanScreen.path, words("button.cancel")))
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "drill" else { return nil }
        return Act(.send(.post, "/v1/me/alarm-drill")) { answer in
            Destination(
                answer.map { Alarm($0).path } ?? AlarmsScreen.path,
                Notice("web.drill.done", ["count": .number(answer?["told"]?.integer ?? 0)]))
        }
    }
}
