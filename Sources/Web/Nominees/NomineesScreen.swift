package import JSON
internal import Pages
package import Problems
internal import Texts

/// The nominees of a vault, for those who manage them.
package struct NomineesScreen: Screen {
    package static let path = "/vaults/{id}/nominees"

    private let vault: VaultFacts
    private let owner: String
    private let nominees: [NomineeFacts]
    private let more: HTML

    package static func calls(_ visit: Visit) -> [APICall] {
        let status = visit.query.isOn("ended") ? "status=revoked&" : ""
        return [
            .get("/v1/vaults/\(visit.id())"), .get("/v1/vaults/\(visit.id())/nominees?\(status)\(visit.page)"),
        ]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        owner = answers[1]["owner"]?["display_name"]?.string ?? ""
        nominees = answers[1]["items"]?.elements.map(NomineeFacts.init) ?? []
        more = visit.more(answers[1])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let showsEnded = visit.query.isOn("ended")
        let title = words(showsEnded ? "web.nominee.ended" : "nominees.title")
        var body: HTML = """
            <h1>\(title)</h1>
            <p>\(words.html("web.nominee.lead", ["vault": vault.title]))</p>

            """
        var rows: HTML = ""
        for nominee in nominees { rows += nominee.row(in: vault.id, words) }
        body +=
            nominees.isEmpty
            ? "<p class=\"lead\">\(words(showsEnded ? "web.nominee.none_ended" : "nominees.empty"))</p>\n"
            : "<ul class=\"rows\">\n\(rows)</ul>\n"
        body += more
        if !showsEnded {
            if vault.managesNominees {
                body += visit.link("\(vault.path)/nominees/invite", words("nominees.add.label"), .usual)
            }
            body += "<dl><dt>\(words("nominees.owner"))</dt><dd>\(name: owner)</dd></dl>\n"
            var links: HTML = ""
            if vault.isOwner {
                links += visit.item("\(vault.path)/emergency/quorum", "\(words("web.quorum.title"))")
                links += visit.item("\(vault.path)/history", "\(words("nominees.history"))")
            }
            links += visit.item("\(vault.path)/nominees?ended", "\(words("web.nominee.ended"))")
            body += "<ul class=\"rows\">\n\(links)</ul>\n"
            body += visit.back(vault.path, vault.title)
        } else {
            body += visit.back("\(vault.path)/nominees", "\(words("nominees.title"))")
        }
        return ScreenPage(title: title, section: .vaults, body: body)
    }
}

/// Invites a nominee. The answering page shows the invitation's link, which is given only once.
package struct InviteNomineeScreen: Screen {
    package static let path = "/vaults/{id}/nominees/invite"
    package static let holdsSecret = true

    private let vault: VaultFacts

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/vaults/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        guard vault.managesNominees else { throw Problem(.forbidden, visit.words("access.refused")) }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("nominees.add.label")
        func label(_ name: String, _ hint: String) -> String {
            words(
                "invitee.field", ["label": .words(words("invitee.\(name)")), "hint": .words(words("invitee.\(hint)"))])
        }
        let levels = vault.isOwner ? AccessLevels.all : AccessLevels.emergency
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(title)</h1>
                <p>\(words.html("web.nominee.invite_lead", ["vault": vault.title]))</p>
                \(visit.form(
                    """
                    \(visit.field(
                        "name", label("name", "required"), attributes: "maxlength=\"100\" autocomplete=\"off\""))\
                    \(visit.field(
                        "phone", label("phone", "optional"), type: "tel", hint: words("web.nominee.contact_hint"),
                        isRequired: false, attributes: "maxlength=\"100\" autocomplete=\"off\""))\
                    \(visit.field(
                        "email", label("email", "optional"), type: "email", isRequired: false,
                        attributes: "maxlength=\"254\" autocomplete=\"off\""))\
                    \(visit.radios(
                        "access_level", words("invitee.access"), AccessLevels.choices(levels, words), value: "view"))\
                    \(visit.button("invite", words("invitee.send")))
                    """))\
                <p><a class="inline" href="\(vault.path)/nominees/invite-several">\(words("web.nominee.several"))</a></p>
                \(visit.back("\(vault.path)/nominees", "\(words("nominees.title"))"))
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "invite" else { return nil }
        let vault = visit.id()
        return Act(
            .send(.post, "/v1/vaults/\(vault)/nominees") { json in
                json.field("name", form.text("name") ?? "")
                if let phone = form.text("phone") { json.field("phone", phone) }
                if let email = form.text("email") { json.field("email", email) }
                json.field("access_level", form.text("access_level") ?? "view")
                json.field("channel", "link")
            }
        ) { answer, visit in
            InvitationReady(answer, kind: .nominee(vault: vault)).page(visit)
        }
    }
}

/// The page with a new invitation's link, to copy or to send.
struct InvitationReady {
    enum Kind {
        case nominee(vault: String)
        case transfer(vault: String)
    }

    private let kind: Kind
    private let id: String
    private let name: String
    private let phone: String?
    private let email: String?
    private let url: String
    private let message: String
    private let expiresAt: String

    init(_ answer: JSONValue?, kind: Kind) {
        self.kind = kind
        id = answer?["id"]?.string ?? ""
        name = answer?["name"]?.string ?? ""
        phone = answer?["phone"]?.string
        email = answer?["email"]?.string
        url = answer?["invitation"]?["url"]?.string ?? ""
        message = answer?["invitation"]?["message"]?.string ?? ""
        expiresAt = answer?["invitation"]?["expires_at"]?.string ?? ""
    }

    private var backTo: String {
        switch kind {
        case .nominee(let vault): "/vaults/\(vault)/nominees/\(id)"
        case .transfer(let vault): "/vaults/\(vault)/transfer"
        }
    }

    func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let key = if case .nominee = kind { "invitee.ready" } else { "transfer.ready" }
        let text = SignInPage.encoded(message)
        return ScreenPage(
            title: words(key, ["name": .name(name)]), section: .vaults,
            body: """
                <h1>\(words.html(key, ["name": "\(name: name)"]))</h1>
                <p class="lead">\(words.html("web.invitation.send_it", ["date": "\(words.date(ofInstant: expiresAt))"]))</p>
                <label for="link">\(words("web.invitation.link"))</label>
                <p class="hint" id="link-hint">\(words("web.invitation.copy_hint"))</p>
                <input id="link" class="copy" readonly value="\(url)" aria-describedby="link-hint">
                <button type="button" class="button" data-copy="\(url)" data-copied="\(words("invitee.copied"))" \
                hidden>\(words("invitee.copy"))</button>
                <button type="button" class="button plain" data-share="\(message)" hidden>\(words("web.invitation.share"))</button>
                <div class="actions">
                <a class="button plain" href="sms:\(phone ?? "")?&amp;body=\(text)">\(words("nominees.invite_via_messages"))</a>
                <a class="button plain" href="mailto:\(email ?? "")?body=\(text)">\(words("web.invitation.by_mail"))</a>
                </div>
                <details>
                <summary>\(words("web.invitation.message"))</summary>
                <textarea rows="5" readonly aria-label="\(words("web.invitation.message"))">
                \(message)</textarea>
                </details>
                <h2>\(words("web.invitation.did_you"))</h2>
                \(visit.form(
                    """
                    <div class="actions">
                    \(visit.button("outcome-sent", words("web.invitation.sent")))\
                    \(visit.button("outcome-cancelled", words("web.invitation.not_yet"), .plain))</div>
                    """, to: backTo))
                <p class="quiet">\(words("web.invitation.once"))</p>
                """)
    }
}
