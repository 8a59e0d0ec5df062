internal import HTTP
internal import JSON
internal import Pages
internal import Problems
internal import Texts
internal import Web

/// The page that says to anybody whether Kith watches (G11), and the feed of its interruptions.
struct StatusPage {
    private static let feedPath = "\(Page.statusPath).atom"
    /// The query parameters.
    static let parameters: [Argument] = [
        .query(
            "t", .text(.line),
            "The tenant's slug, if the host belongs to no tenant. Without a tenant, the page is about all.")
    ]

    /// Answers `GET /status`.
    static func answer(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await of(request.http, services).response()
    }

    /// Answers a request for the page or its feed whose tenant's database cannot be asked.
    static func unreachable(_ request: HTTPRequest, _ services: Services) async -> HTTPResponse {
        let finding = await services.status.unreachable(request)
        let texts = await services.answerTexts.texts(for: request, finding.tenant?.wording)
        let page = StatusPage(finding, texts, at: request.receivedAt)
        return request.path == feedPath ? page.feed(publicURL: services.publicURL) : page.response()
    }

    /// Whether a path is that of the page or its feed.
    static func isAt(_ path: String) -> Bool { path == Page.statusPath || path == feedPath }

    /// Answers `GET /status.atom`.
    static func feed(_ request: ResourceRequest, _ services: Services) async throws(Problem) -> HTTPResponse {
        try await of(request.http, services).feed(publicURL: services.publicURL)
    }

    private static func of(_ request: HTTPRequest, _ services: Services) async throws(Problem) -> StatusPage {
        let finding = try await services.status.finding(for: request)
        let texts = await services.answerTexts.texts(for: request, finding.tenant?.wording)
        return StatusPage(finding, texts, at: request.receivedAt)
    }

    private let finding: StatusBoard.Finding
    private let words: Words
    private var texts: Texts { words.texts }
    private var status: SystemStatus { finding.status }
    private var brand: String { finding.tenant?.brand.name ?? "Kith" }

    private init(_ finding: StatusBoard.Finding, _ texts: Texts, at now: Int64) {
        self.finding = finding
        // The reader's time zone is not known, so all times are UTC, and say so.
        words = Words(texts, timeZone: "UTC", now: now)
    }

    // MARK: - The page

    private func response() -> HTTPResponse {
        let (shape, tone): (Shape, HTML) =
            switch status.level {
            case .ok: (.safe, "")
            case .partly: (.waiting, "")
            case .down: (.missed, " bad")
            }
        var body: HTML = """
            <div class="day\(tone)">\(shape.html)<h1>\(heading)</h1></div>

            """
        if finding.isAway { body += "<p class=\"notice\">\(away)</p>\n" }
        body += "<ul>\n"
        for line in status.lines { body += "<li>\(sentence(line))</li>\n" }
        body += """
            </ul>
            <h2>\(texts("page.status.outages"))</h2>
            \(outages)<p><a href="\(Self.feedPath)\(query)">\(texts("page.status.feed"))</a></p>
            <p class="quiet">\(texts("page.status.known", time(status.knownAt)))</p>
            """
        return Page(
            title: texts("page.status.title", ["brand": .name(brand)]), body: body, brand: finding.tenant?.brand,
            language: texts.language
        ).response()
    }

    /// The query of the page of the tenant, whether or not its host names it.
    private var query: String { finding.tenant.map { "?t=\($0.slug)" } ?? "" }

    private var heading: String { texts("page.status.heading.\(status.level)", ["brand": .name(brand)]) }

    private var away: String { texts("page.status.away") }

    private func sentence(_ line: SystemStatus.Line) -> String {
        var values = line.since.map(time) ?? [:]
        switch line.part {
        case .checkIns: return texts("page.status.check_ins.\(key(line))", values)
        case .alarms: return texts("page.status.alarms.\(key(line))", values)
        case .channel(let channel):
            values["channel"] = .words(texts("page.status.channel.name.\(channel)"))
            return texts("page.status.channel.\(line.state)", values)
        }
    }

    /// The key of a sentence. One that names an instant has another without it.
    private func key(_ line: SystemStatus.Line) -> String {
        line.state == "ok" && line.since == nil ? "new" : line.state
    }

    private var outages: HTML {
        var html: HTML = ""
        for outage in status.outages { html += "<li><strong>\(period(outage))</strong><br>\(story(of: outage))</li>\n" }
        if status.outages.isEmpty {
            // Without its database a server does not know that there was none.
            html = finding.isAway ? "" : "<p>\(texts("page.status.outages.none"))</p>\n"
        } else {
            html = "<ul>\n\(html)</ul>\n"
        }
        guard let from = status.listedFrom else { return html }
        return html + "<p class=\"quiet\">\(texts("page.status.outages.listed", time(from)))</p>\n"
    }

    private func period(_ outage: SystemStatus.Outage) -> String {
        var values = ["from": TextValue.words(words.day(outage.beganAt))]
        guard let end = outage.endedAt else { return texts("page.status.outage.open", values) }
        let isOfOneDay = words.date(ofInstant: outage.beganAt) == words.date(ofInstant: end)
        values["until"] = .words(isOfOneDay ? words.time(end) : words.day(end))
        return texts("page.status.outage.times", values)
    }

    private func what(_ outage: SystemStatus.Outage) -> String {
        texts("page.status.outage.\(outage.component)\(outage.isPartial ? ".partly" : "")")
    }

    /// The sentences about an interruption: the fact, and what Kith did about it (X35).
    private func story(of outage: SystemStatus.Outage) -> String {
        guard !outage.isRestore else { return texts("page.status.outage.restored") }
        let done = outage.endedAt == nil ? "lasts" : "done.\(outage.component)"
        return "\(what(outage)) \(texts("page.status.outage.\(done)"))"
    }

    private func time(_ instant: String) -> [String: TextValue] { ["time": .words(words.day(instant))] }

    private func time(_ instant: Int64) -> [String: TextValue] { time(Words.instant(instant)) }

    // MARK: - The feed

    /// The interruptions as a feed (RFC 4287).
    private func feed(publicURL: String) -> HTTPResponse {
        let address = "\(publicURL)\(Page.statusPath)\(query)"
        var entries: HTML = ""
        for outage in status.outages {
            entries += """
                <entry>
                <id>\(address)#\(outage.component)-\(outage.beganAt)</id>
                <title>\(what(outage))</title>
                <updated>\(outage.endedAt ?? outage.beganAt)</updated>
                <link href="\(address)"/>
                <summary>\(period(outage)): \(story(of: outage))</summary>
                </entry>

                """
        }
        let title = texts("page.status.title", ["brand": .name(brand)])
        let feed: HTML = """
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="\(texts.language.tag)">
            <id>\(address)</id>
            <title>\(title)</title>
            <subtitle>\(finding.isAway ? away : heading)</subtitle>
            <updated>\(status.outages.first.map { $0.endedAt ?? $0.beganAt } ?? Words.instant(0))</updated>
            <author><name>\(brand)</name></author>
            <link href="\(address)"/>
            <link rel="self" href="\(publicURL)\(Self.feedPath)\(query)"/>
            \(entries)</feed>

            """
        return HTTPResponse(
            .ok,
            headers: [
                "Content-Type": "\(MediaType.atom.rawValue); charset=utf-8", "X-Content-Type-Options": "nosniff",
                "Cache-Control": "no-store", "Content-Language": texts.language.tag, "Vary": "Accept-Language",
            ], body: Array(feed.text.utf8))
    }
}
