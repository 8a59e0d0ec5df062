package import JSON
internal import Pages
package import Problems
internal import Texts

/// The invitations to vaults, and the offers of vaults, that wait for the visitor.
package struct InvitationsScreen: Screen {
    package static let path = "/vaults/invitations"

    private let items: [JSONValue]
    private let more: HTML

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me/invitations?\(visit.page)")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        items = answers[0]["items"]?.elements ?? []
        more = visit.more(answers[0])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.invitation.title")
        var rows: HTML = ""
        for item in items {
            rows += """
                <li>
                \(InvitationText.about(item, words))\
                \(visit.form(
                    """
                    \(visit.hidden("invitation", item["id"]?.string ?? ""))\
                    <div class="actions">
                    \(visit.button("accept", words("invitation.accept")))\
                    \(visit.button("decline", words("invitation.decline"), .plain))</div>
                    """))</li>

                """
        }
        let list: HTML =
            items.isEmpty ? "<p>\(words("web.invitation.none"))</p>\n" : "<ul class=\"rows\">\n\(rows)</ul>\n"
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(title)</h1>
                \(list)\(more)\(visit.back(VaultsScreen.path, "\(words("web.nav.vaults"))"))
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "accept" || name == "decline" else { return nil }
        return InvitationText.answer("/v1/me/invitations/\(form.id("invitation"))", name)
    }
}

/// An invitation by its link, for somebody who is signed in.
package struct TokenInvitationScreen: Screen {
    package static let path = "/invitations/{token}"
    package static let holdsSecret = true

    private let facts: JSONValue

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/invitations/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        facts = answers[0]
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = facts["card"]?["title"]?.string ?? words("web.invitation.title")
        let buttons: HTML =
            facts["state"]?.string == "pending"
            ? visit.form(
                """
                <div class="actions">
                \(visit.button("accept", words("invitation.accept")))\
                \(visit.button("decline", words("invitation.decline"), .plain))</div>
                """)
            : "<p>\(words(facts["needs_confirmation"]?.boolean == true ? "invitation.needs_confirmation" : "invitation.over"))</p>\n"
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(title)</h1>
                \(facts["state"]?.string == "pending" ? InvitationText.about(facts, words) : "")\(buttons)\
                \(visit.back(VaultsScreen.path, "\(words("web.nav.vaults"))"))
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "accept" || name == "decline" else { return nil }
        return InvitationText.answer("/v1/invitations/\(visit.id())", name)
    }
}

/// The texts of the screens about an invitation.
enum InvitationText {
    static func about(_ facts: JSONValue, _ words: Words) -> HTML {
        let names: [String: HTML] = [
            "name": "\(name: facts["inviter"]?["display_name"]?.string ?? "")",
            "vault": "\(name: facts["vault"]?["name"]?.string ?? "")",
        ]
        let until = words.until(facts["expires_at"]?.string ?? "")
        guard facts["kind"]?.string != "transfer" else {
            return """
                <p class="lead">\(words.html("invitation.transfer.from", names))</p>
                <p class="quiet">\(words("web.nominee.until", ["until": .words(until)]))</p>

                """
        }
        let level = facts["access_level"]?.string ?? "view"
        return """
            <p class="lead">\(words.html("invitation.from", names))</p>
            <p>\(words("invitation.access", ["level": .words(words("access.\(level)"))])): \
            \(words("access.\(level).meaning"))</p>
            <p class="quiet">\(words("web.nominee.until", ["until": .words(until)]))</p>

            """
    }

    /// Accepts or declines the invitation at `path`. The new vault is shown then.
    static func answer(_ path: String, _ verb: String) -> Act {
        Act(.send(.post, "\(path)/\(verb)")) { answer in
            guard verb == "accept", let vault = answer?["vault"]?["id"]?.string else {
                return Destination(VaultsScreen.path, Notice("invitation.declined"))
            }
            return Destination("/vaults/\(vault)", Notice("invitation.accepted"))
        }
    }
}
