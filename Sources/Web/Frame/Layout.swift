package import HTTP
internal import JSON
internal import Pages
internal import Problems
internal import Texts

/// The frame of every page: the head, the navigation, what waits, what the last act did, the content, and when the page
/// was current.
package struct Layout {
    private let visit: Visit

    package init(_ visit: Visit) {
        self.visit = visit
    }

    private var words: Words { visit.words }

    /// The response with a page.
    package func response(_ page: ScreenPage, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status, headers: Self.headers, body: Array(document(page).text.utf8))
    }

    /// The fields of every page's response. A page is private: it is kept nowhere, so that the back button shows
    /// nothing after a sign-out.
    package static let headers: HTTPHeaders = [
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": """
        default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; frame-src 'self'; connect-src 'self'; \
        manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types kith
        """,
        "X-Content-Type-Options": "nosniff",
        // Within this site the field Origin of a form depends on it.
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "X-Robots-Tag": "noindex, nofollow",
        "Cache-Control": "no-store",
        "Vary": "Cookie",
    ]

    private func document(_ page: ScreenPage) -> HTML {
        """
        <!doctype html>
        <html lang="\(words.language)" dir="\(words.direction)">
        <head>
        <meta charset="utf-8">
        <title>\(alarm.map { "\($0.state.text) · " } ?? "")\(page.title) · \(visit.brand)</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="format-detection" content="telephone=no">
        <link rel="stylesheet" href="\(Asset.style.path)">
        \(visit.brandColor.map { "<link rel=\"stylesheet\" href=\"\(Asset.style(of: $0).path)\">\n" as HTML } ?? "")\
        <link rel="icon" href="\(icon.path)" type="\(icon.type)">
        \(LiveParts(visit).head)</head>
        <body\(LiveParts(visit).attributes)>
        <a class="skip" href="#content">\(words("web.frame.skip"))</a>
        <header>
        <p class="brand">\(visit.brandMark?.picture ?? "")<bdi>\(visit.brand)</bdi></p>
        \(navigation(page.section))</header>
        <main id="content">
        \(LiveParts(visit).kept)\(AlarmBanner(visit).html)\(emergencies)\(notice)\(page.showsProblem ? "" : alert(on: page))\(content(page))</main>
        <footer>
        \(footer)\(LiveParts(visit).states)</footer>
        </body>
        </html>

        """
    }

    /// The icon of the tab: the shape of an alarm, or else the brand's.
    private var icon: (path: String, type: String) {
        if alarm == nil, let mark = visit.brandMark { return (mark.path, BrandMark.type) }
        let drawing = alarm == nil ? visit.brandColor.map(Asset.icon(of:)) ?? Asset.icon : Asset.alarmIcon
        return (drawing.path, drawing.type)
    }

    /// The alarm that nobody should overlook, so that the tab of the page names it.
    private var alarm: PresentAlarm? { visit.person?.alarms.first(where: \.isUrgent) }

    /// What the screen shows. A page follows events, unless it shows a form that was refused, or an answer that is
    /// given only once.
    private func content(_ page: ScreenPage) -> HTML {
        guard let section = page.section, visit.person != nil, visit.refused == nil, !visit.isAnswer else {
            return page.body
        }
        return "<div id=\"page\" data-live=\"\(section.events)\">\n\(page.body)</div>\n"
    }

    private func navigation(_ current: ScreenPage.Section?) -> HTML {
        guard let person = visit.person else { return "" }
        var items: HTML = ""
        for section in ScreenPage.Section.allCases {
            let mark: HTML = section == current ? " aria-current=\"page\"" : ""
            var label: HTML = "\(section.icon)<span>\(words("web.nav.\(section.rawValue)"))</span>"
            if section == .messages, person.unreadCount > 0 {
                label += """
                     <span class="count"><span aria-hidden="true">\(String(person.unreadCount))</span>\
                    <span class="hidden">\(words("web.nav.unread", ["count": .number(person.unreadCount)]))</span></span>
                    """
            }
            items += "<li><a href=\"\(section.path)\"\(mark)>\(label)</a></li>\n"
        }
        return """
            <nav id="nav" data-live="notification notifications_read" aria-label="\(words("web.nav.label"))">
            <ul>
            \(items)</ul>
            </nav>

            """
    }

    /// How many requests for emergency access a page shows. The others are behind a link.
    private static let shownEmergencies = 3

    /// The requests for emergency access, on every page: whoever is well says so here.
    private var emergencies: HTML {
        guard let emergencies = visit.person?.emergencies else { return "" }
        var html: HTML = "<div id=\"emergencies\" data-live=\"emergency_request vault nominee\">\n"
        for emergency in emergencies.prefix(Self.shownEmergencies) {
            let names: [String: HTML] = [
                "nominee": "\(name: emergency.nominee)", "vault": "\(name: emergency.vault)",
                "moment": "\(emergency.grantsAt.map(words.moment) ?? "")",
            ]
            let key =
                emergency.isGranted ? "granted" : emergency.grantsAt == nil ? "gathering" : "waiting"
            html += """
                <section class="emergency" aria-labelledby="emergency-\(emergency.id)">
                <h2 id="emergency-\(emergency.id)">\(words("web.emergency.title"))</h2>
                <p>\(words.html("web.emergency.\(key)", names))</p>
                <form method="post" action="/today">
                <input type="hidden" name="\(FormFields.token)" value="\(visit.token())">
                <input type="hidden" name="\(FormFields.key)" value="\(visit.newKey())">
                <input type="hidden" name="vault" value="\(emergency.vaultID)">
                <input type="hidden" name="request" value="\(emergency.id)">
                <button class="button main deliberate" name="\(FormFields.act)" value="here">\(words("web.emergency.here"))</button>
                </form>
                </section>

                """
        }
        let more = emergencies.count - Self.shownEmergencies
        if more > 0 {
            html +=
                "<p><a class=\"inline\" href=\"/me/emergency\">\(words("web.emergency.more", ["count": .number(more)]))</a></p>\n"
        }
        return html + "</div>\n"
    }

    private var notice: HTML {
        guard let notice = visit.notice else { return "" }
        return
            "<p class=\"notice\" role=\"status\" tabindex=\"-1\" autofocus>\(words(notice.key, notice.values))</p>\n"
    }

    /// Why a form was refused, unless it says so beside its fields.
    private func alert(on page: ScreenPage) -> HTML {
        guard let refused = visit.refused else { return "" }
        guard let problem = refused.problem else {
            return "<p class=\"alert\" role=\"alert\" tabindex=\"-1\" autofocus>\(words("web.form.again"))</p>\n"
        }
        guard problem.errors.isEmpty else {
            // The fields say themselves what is wrong with them.
            let others = problem.errors.filter { !page.body.text.contains("id=\"\($0.field)-error\"") }
            // The first of them has the focus.
            guard !others.isEmpty else { return "<p class=\"alert\" role=\"alert\">\(words("web.form.invalid"))</p>\n" }
            return
                "<p class=\"alert\" role=\"alert\" tabindex=\"-1\" autofocus>\(others.map { words.refusal($0.message) }.joined(separator: " "))</p>\n"
        }
        var text = problem.text(in: words)
        if let wait = problem.retryAfter, problem.code.saysWhenToRetry {
            text += " " + words("web.form.retry", ["moment": .words(words.moment(in: wait))])
        }
        return "<p class=\"alert\" role=\"alert\" tabindex=\"-1\" autofocus>\(text)</p>\n"
    }

    /// The way to the status of the server. Nobody is sent away from an alarm.
    private var status: HTML {
        guard visit.person?.alarms.isEmpty == true else { return "" }
        return " · <a href=\"\(Site.status(of: visit.tenant))\">\(words("page.status.link"))</a>"
    }

    private var footer: HTML {
        guard visit.person != nil else { return "" }
        return """
            <p id="current">\(words("web.frame.current", ["time": .words(words.time(visit.now))])) \
            <a href="\(visit.path)">\(words("web.frame.reload"))</a>\(status)</p>

            """
    }
}
