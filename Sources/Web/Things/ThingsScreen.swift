package import JSON
internal import Pages
package import Problems
internal import Texts

/// A thing of the visitor that reports by itself (J04).
struct Thing {
    let id: String
    let name: String
    let kind: String
    let allowsGet: Bool
    let usedAt: String?
    /// Whether it reports by itself, so that nothing counts.
    let isStuck: Bool

    init(_ facts: JSONValue) {
        id = facts["id"]?.string ?? ""
        name = facts["name"]?.string ?? ""
        // A server that is newer than this page may have another kind. Only a check-in says that somebody is safe.
        kind = facts["kind"]?.string == "check_in" ? "check_in" : "activity"
        allowsGet = facts["allow_get"]?.boolean ?? false
        usedAt = facts["last_used_at"]?.string
        isStuck = facts["stuck"]?.boolean ?? false
    }

    func row(_ words: Words) -> HTML {
        let used = usedAt.map { words("web.things.used", ["moment": .words(words.moment($0))]) }
        let stuck: HTML = isStuck ? "<br>\n<span class=\"state bad\">\(words("web.things.stuck"))</span>" : ""
        let get: HTML = allowsGet ? "<br>\n<span class=\"quiet\">\(words("web.things.by_get"))</span>" : ""
        return """
            <li><p><span class="name">\(name: name)</span> <span class="badge \(kind == "check_in" ? "good" : "info")">\
            \(words("web.things.kind.\(kind)"))</span><br>
            <span class="quiet">\(used ?? words("web.things.unused"))</span>\(stuck)\(get)</p>
            <a class="button plain" href="\(ThingsScreen.path)/\(id)/remove">\
            \(words.html("web.things.remove", ["name": "\(name: name)"]))</a></li>

            """
    }
}

/// The things that report for the visitor: a button, a phone's shortcut, a sensor. A new one's address is shown once.
package struct ThingsScreen: Screen {
    package static let path = "/me/things"
    // The page that answers the form has the new address.
    package static let holdsSecret = true

    private let things: [Thing]

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me/signs")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        things = answers[0]["items"]?.elements.map(Thing.init) ?? []
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.me.things")
        var body: HTML = "<h1>\(title)</h1>\n<p class=\"lead\">\(words("web.things.lead"))</p>\n"
        if things.isEmpty {
            body += "<p>\(words("web.things.none"))</p>\n"
        } else {
            body += "<ul class=\"rows\">\n\(HTML.joined(things.map { $0.row(words) }))</ul>\n"
        }
        if things.contains(where: { $0.kind == "activity" }) {
            body += "<p class=\"hint\">\(words("web.things.share_hint"))</p>\n"
        }
        let kinds = ["check_in", "activity"].map { kind in
            (value: kind, label: words("web.things.kind.\(kind)"), meaning: words("web.things.kind.\(kind)_text"))
        }
        body += """
            <h2>\(words("web.things.add_title"))</h2>
            \(visit.form(
                """
                \(visit.field(
                    "name", words("web.things.name"), hint: words("web.things.name_hint"),
                    attributes: "maxlength=\"80\" autocomplete=\"off\""))\
                \(visit.radios("kind", words("web.things.kind"), kinds, value: "check_in"))\
                \(visit.check("allow_get", "\(words("web.things.allow_get"))"))\
                <p class="hint">\(words("web.things.allow_get_hint"))</p>
                \(visit.button("add", words("web.things.add")))
                """))\
            \(visit.back(MeScreen.path, "\(words("web.nav.me"))"))
            """
        return ScreenPage(title: title, section: .me, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "add" else { return nil }
        return Act(
            .send(.post, "/v1/me/signs") { json in
                json.field("name", form.text("name") ?? "")
                json.field("kind", form["kind"])
                json.field("allow_get", form.isOn("allow_get"))
            }
        ) { answer, visit in ready(answer, visit) }
    }

    /// The page with the address of a new thing, and how to use it.
    private static func ready(_ answer: JSONValue?, _ visit: Visit) -> ScreenPage {
        let words = visit.words
        let url = answer?["url"]?.string ?? ""
        let name = answer?["name"]?.string ?? ""
        let command = answer?["allow_get"]?.boolean == true ? "curl \(url)" : "curl -X POST \(url)"
        return ScreenPage(
            title: words("web.things.ready", ["name": .name(name)]), section: .me,
            body: """
                <h1>\(words.html("web.things.ready", ["name": "\(name: name)"]))</h1>
                <p class="panel warn lead">\(words("web.things.once"))</p>
                <label for="link">\(words("web.things.address"))</label>
                <input id="link" class="copy" readonly value="\(url)">
                <button type="button" class="button" data-copy="\(url)" data-copied="\(words("invitee.copied"))" \
                hidden>\(words("invitee.copy"))</button>
                <h2>\(words("web.things.use"))</h2>
                <ul>
                <li>\(words("web.things.use_shortcut"))</li>
                <li>\(words("web.things.use_home"))</li>
                <li>\(words("web.things.use_curl"))<br>
                <code>\(command)</code></li>
                </ul>
                <p class="hint">\(words("web.things.use_minute"))</p>
                \(visit.back(path, "\(words("web.me.things"))"))
                """)
    }
}

/// Asks before the address of a thing ends.
package struct RemoveThingScreen: Screen {
    package static let path = "/me/things/{id}/remove"

    private let thing: Thing

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me/signs")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        let things = answers[0]["items"]?.elements.map(Thing.init) ?? []
        guard let thing = things.first(where: { $0.id == visit.id() }) else { throw Problem(.notFound) }
        self.thing = thing
    }

    package func page(_ visit: Visit) -> ScreenPage {
        Question(
            "web.things.remove", values: ["name": thing.name], act: "remove", cancel: ThingsScreen.path, section: .me
        )
        .page(visit)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "remove" else { return nil }
        return Act(
            .send(.delete, "/v1/me/signs/\(visit.id())"), to: ThingsScreen.path, Notice("web.things.removed"))
    }
}
