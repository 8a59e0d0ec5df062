package import JSON
internal import Pages
package import Problems
internal import Texts

/// A vault: whether it is open and what that means, its documents, and links to its other pages.
package struct VaultScreen: Screen {
    package static let path = "/vaults/{id}"

    private let vault: VaultFacts
    private let documents: [DocumentFacts]
    private let more: HTML
    /// The nominee's own emergency access: what they wait for, or can use while the vault is locked.
    private let own: EmergencyRequestFacts?
    /// Whether the documents can be read at this moment.
    private let isInside: Bool

    package static func calls(_ visit: Visit) -> [APICall] {
        let id = visit.id()
        return [
            .get("/v1/vaults/\(id)"),
            .get(
                "/v1/vaults/\(id)/documents?\(visit.page)",
                mayFail: [.vaultLocked, .nomineePending, .nomineeInactive, .nomineeRevoked, .notFound]),
            .get(
                "/v1/vaults/\(id)/emergency/requests?limit=100",
                mayFail: [
                    .nomineePending, .nomineeInactive, .nomineeRevoked, .notFound, .tooManyRequests, .unavailable,
                ]),
        ]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        documents = answers[1]["items"]?.elements.map(DocumentFacts.init) ?? []
        more = visit.more(answers[1])
        isInside = answers[1].kind == .object
        let requests = answers[2]["items"]?.elements.map(EmergencyRequestFacts.init) ?? []
        own =
            VaultFacts(answers[0]).isOwner
            ? nil : requests.first(where: \.isUsable) ?? requests.first(where: \.isOpen)
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let body: HTML = """
            <h1>\(vault.title)</h1>
            \(state(visit))\(transfer(visit))\(isInside ? contents(visit) : "")\(links(visit))\
            \(visit.back(VaultsScreen.path, "\(words("web.nav.vaults"))"))
            """
        return ScreenPage(title: vault.name, section: .vaults, body: body)
    }

    /// Whether the vault is open, what that means, until when, and the button that changes it.
    private func state(_ visit: Visit) -> HTML {
        let words = visit.words
        guard vault.hasAccess else {
            let key = vault.status == "inactive" ? "web.vault.paused" : "invitation.needs_confirmation"
            return "<p class=\"panel warn lead\">\(words(key))</p>\n"
        }
        guard let session = vault.session else {
            if let own {
                // Why it is locked and until when; once it is granted, the request's form has the button that enters.
                return """
                    <section aria-labelledby="state">
                    <h2 id="state">\(words(own.isUsable ? "emergency.status.granted" : "vault.state.locked"))</h2>
                    <ul class="rows">
                    \(own.forNominee(visit))</ul>
                    </section>

                    """
            }
            let meaning: HTML =
                vault.isOwner
                ? "<p class=\"lead\">\(words("vault.locked.owner"))</p>\n<p>\(words("vault.open.meaning"))</p>"
                : "<p class=\"lead\">\(words("vault.locked.nominee"))</p>"
            return """
                <section class="panel" aria-labelledby="state">
                <h2 id="state">\(words("vault.state.locked"))</h2>
                \(meaning)
                \(vault.mayOpen ? visit.form(visit.undoing("open", words("vault.open"), .mainFirst)) : "")</section>

                """
        }
        var people: HTML = ""
        let inside = session.inside.filter { $0 != visit.person?.displayName }.map { name -> HTML in "\(name: name)" }
        if !inside.isEmpty {
            people = "<p>\(words.html("web.vault.inside", ["names": words.list(inside)]))</p>\n"
        }
        let heading = session.isEmergency ? words("web.vault.open_emergency") : words("vault.state.open")
        var buttons: HTML = ""
        if !isInside { buttons += visit.button("open", words("web.vault.enter"), .main) }
        if vault.managesNominees, !session.isEmergency {
            buttons += visit.undoing("lock", words("vault.lock"), .plainSecond)
        }
        return """
            <section class="panel good" aria-labelledby="state">
            <h2 id="state">\(heading)</h2>
            <p class="lead">\(session.end(words))</p>
            <p>\(words(session.isEmergency ? "web.vault.emergency_meaning" : "vault.open.meaning"))</p>
            \(people)<p class="quiet">\(words.html(
                "web.vault.opened_by",
                ["name": "\(name: session.opener)", "moment": "\(words.moment(session.openedAt))"]))</p>
            \(buttons.text.isEmpty ? "" : visit.form(buttons))</section>

            """
    }

    private func transfer(_ visit: Visit) -> HTML {
        guard let recipient = vault.recipient else { return "" }
        return """
            <p class="panel warn"><a class="inline" href="\(vault.path)/transfer">\
            \(visit.words.html("web.transfer.waits", ["name": "\(name: recipient)"]))</a></p>

            """
    }

    private func contents(_ visit: Visit) -> HTML {
        let words = visit.words
        var html: HTML = "<h2>\(words("web.document.title"))</h2>\n"
        if documents.isEmpty {
            html += "<p>\(words("web.document.none"))</p>\n"
        } else {
            var rows: HTML = ""
            for document in documents { rows += document.row(in: vault, words) }
            html += "<ul class=\"rows documents\">\n\(rows)</ul>\n\(more)"
        }
        if vault.mayEdit {
            html += visit.link("\(vault.path)/upload", words("web.document.add"), .usual)
        } else {
            html += "<p class=\"quiet\">\(words("web.document.only_view"))</p>\n"
        }
        if vault.managesNominees {
            html +=
                "<p><a class=\"inline\" href=\"\(vault.path)/documents/deleted\">\(words("web.document.deleted"))</a></p>\n"
        }
        return html
    }

    private func links(_ visit: Visit) -> HTML {
        let words = visit.words
        var items: HTML = ""
        func count(_ number: Int?) -> HTML {
            guard let number, number > 0 else { return "" }
            return " <span class=\"quiet\">\(words("web.vault.nominees_count", ["count": .number(number)]))</span>"
        }
        if vault.managesNominees, vault.hasAccess {
            items += visit.item("\(vault.path)/nominees", "\(words("nominees.title"))", count(vault.nominees))
        }
        if let nominee = vault.nomineeID, vault.hasAccess {
            let unread: HTML =
                vault.unread > 0
                ? " <span class=\"badge info\">\(words("web.nav.unread", ["count": .number(vault.unread)]))</span>" : ""
            items += visit.item(
                "\(vault.path)/nominees/\(nominee)/chat",
                words.html("web.vault.chat_with", ["name": "\(name: vault.owner)"]), unread)
        }
        items += visit.item("\(vault.path)/emergency", "\(words("emergency.title"))")
        if vault.isOwner {
            items += visit.item("\(vault.path)/history", "\(words("nominees.history"))")
            items += visit.item("\(vault.path)/transfer", "\(words("transfer.title"))")
            items += visit.item("\(vault.path)/settings", "\(words("web.vault.settings"))")
        } else if let nominee = vault.nomineeID {
            items += visit.item("\(vault.path)/nominees/\(nominee)/remove", "\(words("web.vault.leave"))")
        }
        return """
            <section class="screen-only">
            <h2>\(words("web.vault.more"))</h2>
            <ul class="rows">
            \(items)</ul>
            </section>

            """
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let id = visit.id()
        let path = "/vaults/\(id)"
        return switch name {
        case "open": Act(.send(.post, "/v1/vaults/\(id)/open"), to: path, Notice("web.vault.opened"))
        case "lock":
            Act(.send(.post, "/v1/vaults/\(id)/lock"), doneBefore: [.invalidTransition, .vaultLocked]) { _ in
                Destination(path, Notice("web.vault.locked"))
            }
        default: nil
        }
    }
}

/// The name and the rules of a vault.
package struct VaultSettingsScreen: Screen {
    package static let path = "/vaults/{id}/settings"

    private let vault: VaultFacts

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/vaults/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        guard vault.isOwner else { throw Problem(.forbidden) }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.vault.settings")
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(title)</h1>
                \(visit.form(
                    """
                    \(visit.field(
                        "name", words("web.vault.name"), value: vault.name,
                        attributes: "maxlength=\"200\" autocomplete=\"off\""))\
                    \(visit.check(
                        "require_confirmation", "\(words("web.vault.require_confirmation"))",
                        isOn: vault.requiresConfirmation))\
                    \(visit.check("full_may_open", "\(words("web.vault.full_may_open"))", isOn: vault.fullMayOpen))\
                    \(visit.button("save", words("web.save")))
                    """))\
                \(visit.link("\(vault.path)/delete", words("web.vault.delete"), .destructive))\
                \(visit.back(vault.path, vault.title))
                """)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "save" else { return nil }
        return Act(
            .send(.patch, "/v1/vaults/\(visit.id())") { json in
                json.field("name", form.text("name") ?? "")
                json.field("require_confirmation", form.isOn("require_confirmation"))
                json.field("full_may_open", form.isOn("full_may_open"))
            }, to: "/vaults/\(visit.id())", Notice("web.saved"))
    }
}

/// Asks before a vault is deleted.
package struct DeleteVaultScreen: Screen {
    package static let path = "/vaults/{id}/delete"

    private let vault: VaultFacts

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/vaults/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        guard vault.isOwner else { throw Problem(.forbidden) }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("vault.delete.title")
        return ScreenPage(
            title: title, section: .vaults,
            body: visit.question(
                "\(title)", words.html("vault.delete.message", ["vault": vault.title]), act: "delete",
                confirm: words("vault.delete.confirm"), cancel: vault.path))
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "delete" else { return nil }
        var act = Act(
            .send(.delete, "/v1/vaults/\(visit.id())"), to: VaultsScreen.path, Notice("web.vault.was_deleted"))
        act.noticeBefore = Notice("web.vault.is_gone")
        return act
    }
}
