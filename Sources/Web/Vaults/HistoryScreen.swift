package import JSON
internal import Pages
package import Problems
internal import Texts

/// The history of a vault, newest first, for its owner.
package struct HistoryScreen: Screen {
    package static let path = "/vaults/{id}/history"

    private let vault: VaultFacts
    private let events: [JSONValue]
    private let more: HTML

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/vaults/\(visit.id())"), .get("/v1/vaults/\(visit.id())/history?\(visit.page)")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        events = answers[1]["items"]?.elements ?? []
        more = visit.more(answers[1])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("nominees.history")
        var rows: HTML = ""
        for event in events {
            let subject = event["subject"]?["name"]?.string
            let actor = event["actor"]?["display_name"]?.string
            let about: HTML =
                subject.flatMap { $0 == vault.name ? nil : $0 }.map { ": \(name: $0)" as HTML } ?? ""
            let who: HTML = actor.map { "\(name: $0)" } ?? "\(words("web.history.itself"))"
            rows += """
                <li><strong>\(words("web.history.\(event["action"]?.string ?? "")"))</strong>\(about)<br>
                <span class="quiet">\(who), \(words.moment(event["at"]?.string ?? ""))</span></li>

                """
        }
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(title)</h1>
                <p>\(words.html("web.history.lead", ["vault": vault.title]))</p>
                \(visit.link("\(vault.path)/history.csv", words("web.history.export")))\
                <ul class="rows">
                \(rows)</ul>
                \(more)\(visit.back(vault.path, vault.title))
                """)
    }
}
