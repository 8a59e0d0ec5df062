internal import Pages
internal import Texts

/// The data for the modules of a page: its visitor, when it was rendered, and the texts that they show.
struct LiveParts {
    private let visit: Visit
    private var words: Words { visit.words }

    init(_ visit: Visit) {
        self.visit = visit
    }

    /// The modules, the manifest of the tenant's app, and what a phone's Home Screen shows.
    var head: HTML {
        var html: HTML = ""
        html += "<link rel=\"apple-touch-icon\" href=\"\(visit.brandMark?.path ?? Asset.icon(180).path)\">\n"
        if visit.tenant != nil { html += "<link rel=\"manifest\" href=\"/manifest.webmanifest\(query)\">\n" }
        // Without these a browser learns of a module only from the one that imports it, a round trip later.
        // On a slow network the style comes first: the page can be used without its modules.
        for module in Asset.modules {
            html += "<link rel=\"modulepreload\" href=\"\(module.path)\" fetchpriority=\"low\">\n"
        }
        return html + "<script type=\"module\" src=\"\(Asset.script.path)\" fetchpriority=\"low\"></script>\n"
    }

    /// The attributes of the element `body`.
    var attributes: HTML {
        guard !visit.isOffline else { return " data-offline" }
        var html: HTML = " data-now=\"\(String(visit.now / 1000))\""
        if let user = visit.userID, visit.person != nil {
            if let place = visit.place, visit.refused == nil { html += " data-place=\"\(place)\"" }
            html += " data-user=\"\(user)\" data-zone=\"\(words.timeZone)\" data-worker=\"/worker.js\(query)\""
        }
        return html
    }

    /// The query of the files that a browser caches for the tenant, the language and the emergency number of the
    /// visitor.
    private var query: String { "?t=\(visit.tenant ?? "")&l=\(words.language)&e=\(visit.emergencyNumber)" }

    /// The check-ins that are kept on the device, which only modules know: whether they wait for a connection or a
    /// sign-in, and what came of the last try.
    var kept: HTML {
        """
        <section id="kept" class="panel warn" tabindex="-1" aria-labelledby="kept-heading" hidden data-tapped="\(timed("web.kept.tapped"))" \
        data-refused="\(timed("web.kept.refused"))" data-held="\(timed("web.kept.held"))" data-leave="\(words("web.kept.leave"))" \
        data-waits="\(words("web.kept.text"))" data-signed-out="\(words("web.kept.signed_out"))" data-failed="\(timed("web.kept.failed"))">
        <h2 id="kept-heading">\(words("web.kept.heading"))</h2>
        <p id="kept-text">\(words("web.kept.text"))</p>
        <ul id="kept-list"></ul>
        <p id="kept-tried" role="status"></p>
        <a class="button plain" id="kept-sign-in" href="\(SignInPage.address(next: TodayScreen.path, tenant: visit.tenant))" hidden>\(words("web.kept.sign_in"))</a>
        <a class="button plain" id="kept-ask" href="\(EndCallScreen.path)" hidden>\(words("web.alarm.own.end"))</a>
        <button type="button" class="button plain" id="kept-send">\(words("web.kept.send"))</button>
        </section>

        """
    }

    /// The live region for screen readers, and the line that says whether the page is live.
    var states: HTML {
        """
        <p id="said" class="hidden" role="status" data-news="\(timed("web.live.news"))"></p>
        <p id="stream" class="bar" data-lost="\(timed("web.live.lost"))" data-again="\(words("web.live.again"))"></p>

        """
    }

    /// A text in which a module fills in the time.
    private func timed(_ key: String) -> String { words(key, ["time": .words("{time}")]) }
}
