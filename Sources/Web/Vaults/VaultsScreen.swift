package import JSON
internal import Pages
package import Problems
internal import Texts

/// The vaults that the visitor owns, and those that others share with them.
package struct VaultsScreen: Screen {
    package static let path = "/vaults"

    private let vaults: [VaultFacts]
    private let list: HTML
    private let invitations: Int
    private let hasDeleted: Bool
    private let hasEmergency: Bool

    package static func calls(_ visit: Visit) -> [APICall] {
        [
            .get("/v1/vaults?\(visit.page)"), .get("/v1/me/invitations?limit=50"),
            .get("/v1/vaults?deleted=true&limit=1"),
            .get("/v1/me/emergency"),
        ]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vaults = answers[0]["items"]?.elements.map(VaultFacts.init) ?? []
        list = visit.more(answers[0])
        invitations = answers[1]["items"]?.elements.count ?? 0
        hasDeleted = answers[2]["items"]?.elements.isEmpty == false
        hasEmergency = ["as_owner", "as_nominee"].contains { role in
            ["rights", "requests"].contains { answers[3][role]?[$0]?.elements.isEmpty == false }
        }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        var body: HTML = "<h1>\(words("web.nav.vaults"))</h1>\n"
        if invitations > 0 {
            body += """
                <p class="panel info"><a class="inline" href="/vaults/invitations">\
                \(words("web.vault.invitations_wait", ["count": .number(invitations)]))</a></p>

                """
        }
        let own = vaults.filter(\.isOwner)
        let shared = vaults.filter { !$0.isOwner }
        if vaults.isEmpty { body += "<p class=\"lead\">\(words("web.vault.none"))</p>\n" }
        body += section(words("web.vault.own"), own, words) + section(words("web.vault.shared"), shared, words) + list
        body += visit.link("/vaults/new", words("web.vault.create"), vaults.isEmpty ? .usual : .plain)
        var links: HTML = ""
        if hasEmergency || !own.isEmpty { links += visit.item("/me/emergency", "\(words("emergency.title"))") }
        if !own.isEmpty { links += visit.item("/vaults/shares", "\(words("web.share.title"))") }
        if hasDeleted { links += visit.item("/vaults/deleted", "\(words("web.vault.deleted"))") }
        if !links.text.isEmpty { body += "<ul class=\"rows\">\n\(links)</ul>\n" }
        return ScreenPage(title: words("web.nav.vaults"), section: .vaults, body: body)
    }

    private func section(_ title: String, _ vaults: [VaultFacts], _ words: Words) -> HTML {
        guard !vaults.isEmpty else { return "" }
        return "<h2>\(title)</h2>\n<ul class=\"rows\">\n\(HTML.joined(vaults.map { $0.row(words) }))</ul>\n"
    }
}

/// Makes a vault.
package struct NewVaultScreen: Screen {
    package static let path = "/vaults/new"

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {}

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.vault.create")
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(title)</h1>
                <p class="lead">\(words("web.vault.create_lead"))</p>
                \(visit.form(
                    """
                    \(visit.field(
                        "name", words("web.vault.name"), hint: words("web.vault.name_hint"),
                        attributes: "maxlength=\"200\" autocomplete=\"off\""))\
                    \(visit.check("require_confirmation", "\(words("web.vault.require_confirmation"))"))\
                    \(visit.button("create", words("web.vault.create")))
                    """))\
                \(visit.link(VaultsScreen.path, words("button.cancel")))
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "create" else { return nil }
        return Act(
            .send(.post, "/v1/vaults") { json in
                json.field("name", form.text("name") ?? "")
                json.field("require_confirmation", form.isOn("require_confirmation"))
            }
        ) { answer in
            Destination(
                "/vaults/\(answer?["id"]?.string ?? "")",
                Notice("web.vault.created", ["vault": .name(form.text("name") ?? "")]))
        }
    }
}

/// The deleted vaults that can be restored.
package struct DeletedVaultsScreen: Screen {
    package static let path = "/vaults/deleted"

    private let vaults: [VaultFacts]
    private let more: HTML

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/vaults?deleted=true&\(visit.page)")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vaults = answers[0]["items"]?.elements.map(VaultFacts.init) ?? []
        more = visit.more(answers[0])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.vault.deleted")
        var rows: HTML = ""
        for vault in vaults {
            rows += """
                <li><span class="name">\(vault.title)</span><br>
                <span class="quiet">\(words("web.vault.deleted_at", ["moment": .words(words.moment(vault.deletedAt ?? ""))]))</span>
                \(visit.form(
                    """
                    \(visit.hidden("vault", vault.id))\
                    \(visit.button("restore", words.html("web.vault.restore", ["vault": vault.title]), .plain))
                    """))</li>

                """
        }
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(title)</h1>
                <p>\(words(vaults.isEmpty ? "web.vault.none_deleted" : "web.vault.deleted_text"))</p>
                <ul class="rows">
                \(rows)</ul>
                \(more)\(visit.back(VaultsScreen.path, "\(words("web.nav.vaults"))"))
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "restore" else { return nil }
        return Act(.send(.post, "/v1/vaults/\(form.id("vault"))/restore"), doneBefore: [.invalidTransition]) { answer in
            Destination(
                "/vaults/\(form.id("vault"))",
                Notice("web.vault.restored", ["vault": .name(answer?["name"]?.string ?? "")]))
        }
    }
}
