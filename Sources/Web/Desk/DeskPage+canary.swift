package import JSON
internal import Pages
internal import Texts

extension DeskPage {
    /// Whether alarms arrive, by the tenant's canary (G10). `facts` is what `api.tenant_canaries` returns.
    package func canary(_ facts: JSONValue?) -> ScreenPage {
        let title = words("web.desk.canary")
        let channels = facts?["channels"]?.elements ?? []
        var body: HTML = "<h1>\(title)</h1>\n<p class=\"lead\">\(words("web.desk.canary.lead"))</p>\n"
        if channels.isEmpty { body += "<p>\(words("web.desk.canary.none"))</p>\n" }
        for channel in channels { body += row(channel) }
        return ScreenPage(title: title, section: nil, body: body + visit.back(Self.path, "\(words("web.desk.title"))"))
    }

    private func row(_ channel: JSONValue) -> HTML {
        let name =
            switch channel["channel"]?.string ?? "" {
            case "webhook": words("web.desk.canary.webhook")
            case "call": words("web.channel.voice")
            case let name: words("web.channel.\(name)")
            }
        let state = channel["state"]?.string ?? ""
        let moment = words.moment(channel["arrived_at"]?.string ?? "")
        return """
            <p class="panel \(["late", "never"].contains(state) ? "bad" : "")"><strong>\(name)</strong><br>
            \(words("web.desk.canary.\(state)", ["moment": .words(moment)]))</p>

            """
    }
}
