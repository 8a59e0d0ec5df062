internal import Pages
package import Problems

/// The page in place of a screen that cannot be shown: the reason, and a link to the first screen.
package enum ProblemPage {
    package static func page(_ problem: Problem, _ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("problem.\(problem.code.rawValue).title")
        let body: HTML = """
            \(visit.path == HelpScreen.path ? HelpScreen.notTold(visit) : "")\
            <h1>\(title)</h1>
            <p class="lead">\(problem.text(in: words))</p>
            <a class="button" href="\(Site.home)">\(words("web.problem.home"))</a>
            \(problem.code == .unavailable ? status(visit) : "")
            """
        return ScreenPage(title: title, body: body)
    }

    private static func status(_ visit: Visit) -> HTML {
        "<p><a class=\"inline\" href=\"\(Site.status(of: visit.tenant))\">\(visit.words("page.status.link"))</a></p>\n"
    }
}
