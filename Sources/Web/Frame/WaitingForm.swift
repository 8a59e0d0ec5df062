internal import Pages

/// The page of a form that could not be carried out, if its own screen cannot be shown either. It keeps the fields, and
/// submits them again.
package enum WaitingForm {
    package static func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        var fields: HTML = ""
        for (name, value) in visit.refused?.fields.input ?? [] { fields += visit.hidden(name, value) }
        let body: HTML = """
            \(visit.path == HelpScreen.path ? HelpScreen.notTold(visit) : "")\
            <h1>\(words("web.form.waits_heading"))</h1>
            <p>\(words("web.form.waits"))</p>
            \(visit.form("\(fields)\(visit.button(visit.refused?.act ?? "", words("web.form.send_again")))"))
            """
        return ScreenPage(title: words("web.form.waits_heading"), body: body)
    }
}
