package import JSON
internal import Pages
package import Problems
internal import Texts

/// A nominee of a vault, with the actions of its owner and of other managers.
package struct NomineeScreen: Screen {
    package static let path = "/vaults/{id}/nominees/{n}"
    package static let holdsSecret = true

    private let vault: VaultFacts
    private let nominee: NomineeFacts

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/vaults/\(visit.id())"), .get("/v1/vaults/\(visit.id())/nominees/\(visit.id(1))")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        nominee = NomineeFacts(answers[1])
    }

    private var path: String { "\(vault.path)/nominees/\(nominee.id)" }
    private var isRevoked: Bool { nominee.status == "revoked" }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        var body: HTML = """
            <h1>\(name: nominee.name)</h1>
            <p class="lead">\(nominee.state(words))</p>
            \(facts(words))
            """
        if nominee.needsConfirmation, vault.isOwner {
            body += """
                <div class="panel warn">
                <p>\(words.html("web.nominee.confirm_text", ["name": "\(name: nominee.name)"]))</p>
                \(visit.form("\(visit.button("confirm", words("nominees.confirm")))"))</div>

                """
        }
        if nominee.canChat, vault.isOwner {
            let unread: HTML =
                nominee.unread > 0 ? " (\(words("web.nav.unread", ["count": .number(nominee.unread)])))" : ""
            body += "<a class=\"button\" href=\"\(path)/chat\">\(words("nominees.chat"))\(unread)</a>\n"
        }
        if nominee.status == "pending", !nominee.needsConfirmation {
            body += """
                <h2>\(words("web.nominee.invitation"))</h2>
                <p>\(invitation(words))</p>
                \(visit.form("\(visit.button("resend", words("nominees.resend"), .plain))"))
                """
        }
        if vault.isOwner, !isRevoked { body += access(visit) }
        if !isRevoked { body += visit.link("\(path)/remove", words("nominees.remove"), .destructive) }
        body += visit.back("\(vault.path)/nominees", "\(words("nominees.title"))")
        return ScreenPage(title: nominee.name, section: .vaults, body: body)
    }

    private func facts(_ words: Words) -> HTML {
        var html: HTML = "<dl>\n"
        func add(_ key: String, _ value: HTML?) {
            if let value { html += "<dt>\(words(key))</dt><dd>\(value)</dd>\n" }
        }
        add("invitee.phone", nominee.phone.map { "\($0)" })
        add("invitee.email", nominee.email.map { "\($0)" })
        add(
            "web.nominee.invited",
            words.html(
                "web.document.by",
                ["date": "\(words.date(ofInstant: nominee.invitedAt))", "name": "\(name: nominee.invitedBy)"]))
        add("web.nominee.accepted", nominee.acceptedAt.map { "\(words.date(ofInstant: $0))" })
        add("web.nominee.last_active", nominee.lastActiveAt.map { "\(words.moment($0))" })
        return html + "</dl>\n"
    }

    /// The state of the invitation, and until when it can be answered.
    private func invitation(_ words: Words) -> String {
        let outcome = nominee.outcome.map { words("invite.outcome.\($0)") + " " } ?? ""
        guard let expiresAt = nominee.expiresAt else { return words("invitation.over") }
        return outcome + words("web.nominee.until", ["until": .words(words.until(expiresAt))])
    }

    private func access(_ visit: Visit) -> HTML {
        let words = visit.words
        var html: HTML = """
            <h2>\(words("invitee.access"))</h2>
            \(visit.form(
                """
                \(visit.radios(
                    "access_level", words("web.nominee.level"), AccessLevels.choices(AccessLevels.all, words),
                    value: nominee.level))\
                \(visit.button("level", words("web.save"), .plain))
                """))
            """
        if nominee.status == "inactive" {
            html += visit.form("\(visit.undoing("resume", words("nominees.resume"), .usual))")
        } else if nominee.canChat {
            html += visit.form("\(visit.undoing("pause", words("nominees.pause")))")
        }
        html += "<h2>\(words("emergency.title"))</h2>\n"
        html += "<p>\(words(nominee.hasEmergencyAccess ? "web.emergency.is_given" : "web.emergency.not_given"))</p>\n"
        html += visit.link("\(path)/emergency", words("web.emergency.settings"))
        return html
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let (vault, nominee) = (visit.id(), visit.id(1))
        let call = "/v1/vaults/\(vault)/nominees/\(nominee)"
        let path = "/vaults/\(vault)/nominees/\(nominee)"
        func changed(_ key: String) -> (JSONValue?) -> Destination {
            { answer in Destination(path, Notice(key, ["name": .name(answer?["name"]?.string ?? "")])) }
        }
        func outcome(_ outcome: String) -> Act {
            Act(
                .send(.patch, "\(call)/invitation") { $0.field("outcome", outcome) }, doneBefore: [.invalidTransition]
            ) { _ in Destination(path, Notice("invite.outcome.\(outcome)")) }
        }
        switch name {
        case "level":
            return Act(
                .send(.patch, call) { $0.field("access_level", form.text("access_level") ?? "view") },
                then: changed("nominees.changed"))
        case "pause":
            return Act(.send(.patch, call) { $0.field("status", "inactive") }, then: changed("web.nominee.is_paused"))
        case "resume":
            return Act(.send(.patch, call) { $0.field("status", "accepted") }, then: changed("web.nominee.is_resumed"))
        case "confirm":
            return Act(.send(.post, "\(call)/confirm"), then: changed("web.nominee.is_confirmed"))
        case "resend":
            return Act(.send(.post, "\(call)/resend") { $0.field("channel", "link") }) { answer, visit in
                InvitationReady(answer, kind: .nominee(vault: vault)).page(visit)
            }
        case "outcome-sent": return outcome("sent")
        case "outcome-cancelled": return outcome("cancelled")
        default: return nil
        }
    }
}

/// Asks before a nominee is removed, or before the visitor leaves a vault.
package struct RemoveNomineeScreen: Screen {
    package static let path = "/vaults/{id}/nominees/{n}/remove"

    private let vault: VaultFacts
    private let nominee: NomineeFacts
    private let isSelf: Bool

    /// A nominee who waits for confirmation or is paused can leave, and reads nothing of the vault's nominees.
    package static func calls(_ visit: Visit) -> [APICall] {
        [
            .get("/v1/vaults/\(visit.id())"),
            .get(
                "/v1/vaults/\(visit.id())/nominees/\(visit.id(1))",
                mayFail: [.forbidden, .nomineePending, .nomineeInactive]),
        ]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        nominee = NomineeFacts(answers[1])
        isSelf = vault.nomineeID == visit.id(1)
        if !isSelf, answers[1].kind != .object { throw Problem(.notFound) }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words(isSelf ? "web.vault.leave_title" : "nominees.remove.title")
        let message =
            isSelf
            ? words.html(
                "web.vault.leave_text", ["vault": vault.title, "name": "\(name: vault.owner)"])
            : words.html("nominees.remove.message", ["name": "\(name: nominee.name)", "vault": vault.title])
        return ScreenPage(
            title: title, section: .vaults,
            body: visit.question(
                "\(title)", message, act: "remove",
                confirm: words(isSelf ? "web.vault.leave" : "nominees.remove.confirm"),
                cancel: isSelf ? vault.path : "\(vault.path)/nominees/\(nominee.id)",
                fields: visit.hidden("self", isSelf ? "1" : "")))
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "remove" else { return nil }
        let isSelf = form["self"] == "1"
        return Act(
            .send(.delete, "/v1/vaults/\(visit.id())/nominees/\(visit.id(1))"),
            doneBefore: [.notFound, .nomineeRevoked]
        ) { _ in
            isSelf
                ? Destination(VaultsScreen.path, Notice("web.vault.was_left"))
                : Destination("/vaults/\(visit.id())/nominees", Notice("web.nominee.was_removed"))
        }
    }
}
