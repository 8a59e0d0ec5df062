package import JSON
internal import Pages
package import Problems
internal import Texts

/// All emergency access that concerns the visitor, in both roles.
package struct EmergencyOverviewScreen: Screen {
    package static let path = "/me/emergency"

    private let given: [EmergencyRight]
    private let received: [EmergencyRight]
    private let asOwner: [EmergencyRequestFacts]
    private let asNominee: [EmergencyRequestFacts]

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me/emergency")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        func items(_ role: String, _ member: String) -> [JSONValue] { answers[0][role]?[member]?.elements ?? [] }
        given = items("as_owner", "rights").map(EmergencyRight.init)
        received = items("as_nominee", "rights").map(EmergencyRight.init)
        asOwner = items("as_owner", "requests").map(EmergencyRequestFacts.init)
        asNominee = items("as_nominee", "requests").map(EmergencyRequestFacts.init)
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("emergency.title")
        var body: HTML = "<h1>\(title)</h1>\n<p class=\"lead\">\(words("web.emergency.lead"))</p>\n"
        let open = asOwner.filter(\.isOpen)
        if !open.isEmpty {
            body += "<h2>\(words("web.today.waiting"))</h2>\n<ul class=\"rows\">\n"
            body += HTML.joined(open.map { $0.forOwner(visit) }) + "</ul>\n"
        }
        if !given.isEmpty {
            body += visit.link("\(Self.path)/rehearsal", words("web.rehearsal.link"), .usual)
        }
        if !asNominee.isEmpty || !received.isEmpty {
            body += "<h2>\(words("web.emergency.received"))</h2>\n<ul class=\"rows\">\n"
            body += HTML.joined(asNominee.map { $0.forNominee(visit) })
            for right in received {
                body += visit.item(
                    "/vaults/\(right.vaultID)/emergency",
                    words.html(
                        "web.emergency.vault_of", ["vault": "\(name: right.vault)", "name": "\(name: right.owner)"]),
                    "<br>\n<span class=\"quiet\">\(right.terms(words, isOwn: true))</span>")
            }
            body += "</ul>\n"
        }
        body += "<h2>\(words("web.emergency.given"))</h2>\n"
        if given.isEmpty {
            body += "<p>\(words("web.emergency.none_given"))</p>\n"
        } else {
            body += "<ul class=\"rows\">\n"
            for right in given {
                body += visit.item(
                    "/vaults/\(right.vaultID)/nominees/\(right.nomineeID)/emergency",
                    words.html(
                        "web.emergency.person_vault",
                        ["name": "\(name: right.nominee)", "vault": "\(name: right.vault)"]),
                    "<br>\n<span class=\"quiet\">\(right.terms(words, isOwn: false))</span>")
            }
            body += "</ul>\n"
        }
        let past = asOwner.filter { !$0.isOpen }
        if !past.isEmpty {
            body += """
                <details>
                <summary>\(words("web.emergency.past"))</summary>
                <ul class="rows">
                \(HTML.joined(past.map { $0.forOwner(visit) }))</ul>
                </details>

                """
        }
        return ScreenPage(title: title, section: .vaults, body: body)
    }
}

/// The emergency access to one vault: the open requests, and the rights that the visitor has given or has.
package struct VaultEmergencyScreen: Screen {
    package static let path = "/vaults/{id}/emergency"

    private let vault: VaultFacts
    private let requests: [EmergencyRequestFacts]
    private let rights: [EmergencyRight]
    private let more: HTML

    package static func calls(_ visit: Visit) -> [APICall] {
        [
            .get("/v1/vaults/\(visit.id())"), .get("/v1/vaults/\(visit.id())/emergency/requests?\(visit.page)"),
            .get("/v1/me/emergency"),
        ]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        let vault = VaultFacts(answers[0])
        self.vault = vault
        requests = answers[1]["items"]?.elements.map(EmergencyRequestFacts.init) ?? []
        more = visit.more(answers[1])
        let all = answers[2][vault.isOwner ? "as_owner" : "as_nominee"]?["rights"]?.elements ?? []
        rights = all.map(EmergencyRight.init).filter { $0.vaultID == vault.id }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("emergency.title")
        var body: HTML = "<h1>\(title)</h1>\n<p>\(words.html("web.emergency.of_vault", ["vault": vault.title]))</p>\n"
        body += vault.isOwner ? forOwner(visit) : forNominee(visit)
        return ScreenPage(
            title: title, section: .vaults, body: body + more + visit.back(vault.path, vault.title))
    }

    private func forOwner(_ visit: Visit) -> HTML {
        let words = visit.words
        var html: HTML = ""
        if !requests.isEmpty {
            html += "<h2>\(words("web.emergency.requests"))</h2>\n<ul class=\"rows\">\n"
            html += HTML.joined(requests.map { $0.forOwner(visit) }) + "</ul>\n"
        }
        html += "<h2>\(words("web.emergency.given"))</h2>\n"
        if rights.isEmpty {
            html += "<p>\(words("web.emergency.none_given"))</p>\n"
        } else {
            html += "<ul class=\"rows\">\n"
            for right in rights {
                html += visit.item(
                    "\(vault.path)/nominees/\(right.nomineeID)/emergency", "\(name: right.nominee)",
                    "<br>\n<span class=\"quiet\">\(right.terms(words, isOwn: false))</span>")
            }
            html += "</ul>\n"
        }
        html += visit.link("\(vault.path)/nominees", words("web.emergency.give"))
        html += visit.link("\(vault.path)/emergency/quorum", words("web.quorum.title"))
        if !rights.isEmpty { html += visit.link("/me/emergency/rehearsal", words("web.rehearsal.link")) }
        return html
    }

    private func forNominee(_ visit: Visit) -> HTML {
        let words = visit.words
        let open = requests.filter(\.isOpen)
        var html: HTML = ""
        if !open.isEmpty {
            html += "<ul class=\"rows\">\n\(HTML.joined(open.map { $0.forNominee(visit) }))</ul>\n"
        }
        if let right = rights.first {
            html += "<p class=\"panel\">\(right.terms(words, isOwn: true))</p>\n"
            if right.onRequest, !open.contains(where: { !$0.isOfSilence }) {
                html += visit.link("\(vault.path)/emergency/ask", words("emergency.ask"), .usual)
            }
        } else if open.isEmpty {
            html += "<p>\(words("web.emergency.none_received"))</p>\n"
        }
        let past = requests.filter { !$0.isOpen }
        if !past.isEmpty {
            html += "<h2>\(words("web.emergency.past"))</h2>\n<ul class=\"rows\">\n"
            html += HTML.joined(past.map { $0.forNominee(visit) }) + "</ul>\n"
        }
        return html
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let call = "/v1/vaults/\(visit.id())/emergency"
        let path = "/vaults/\(visit.id())/emergency"
        switch name {
        case "reject":
            return Act(
                .send(.post, "\(call)/requests/\(form.id("request"))/reject"), to: path,
                Notice("web.emergency.answered"))
        case "withdraw":
            return Act(
                .send(.post, "\(call)/requests/\(form.id("request"))/withdraw"), to: path, Notice("emergency.withdrawn")
            )
        case "enter":
            return Act(.send(.post, "\(call)/enter"), to: "/vaults/\(visit.id())", Notice("web.emergency.entered"))
        default: return nil
        }
    }
}

/// Asks whether the visitor wants to ask for emergency access, and for the reason.
package struct AskForEmergencyScreen: Screen {
    package static let path = "/vaults/{id}/emergency/ask"

    private let vault: VaultFacts

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/vaults/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("emergency.ask.title")
        return ScreenPage(
            title: title, section: .vaults,
            body: visit.question(
                "\(title)", words.html("emergency.ask.message", ["vault": vault.title]), act: "ask",
                confirm: words("emergency.ask.confirm"), cancel: "\(vault.path)/emergency",
                fields: visit.area(
                    "reason", words("web.emergency.reason"), limit: 500, hint: words("web.emergency.reason_hint")),
                kind: .main))
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "ask" else { return nil }
        return Act(
            .send(.post, "/v1/vaults/\(visit.id())/emergency/requests") { json in
                if let reason = form.text("reason") { json.field("reason", reason) }
            }, to: "/vaults/\(visit.id())/emergency", Notice("web.emergency.asked"))
    }
}

/// Asks before somebody is let in without waiting.
package struct ApproveEmergencyScreen: Screen {
    package static let path = "/vaults/{id}/emergency/requests/{r}/approve"

    private let request: EmergencyRequestFacts

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/vaults/\(visit.id())/emergency/requests/\(visit.id(1))")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        request = EmergencyRequestFacts(answers[0])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let names: [String: HTML] = ["name": "\(name: request.nominee)", "vault": "\(name: request.vault)"]
        return ScreenPage(
            title: words("emergency.approve.title", ["name": .name(request.nominee)]), section: .vaults,
            body: visit.question(
                words.html("emergency.approve.title", names), words.html("emergency.approve.message", names),
                act: "approve", confirm: words("emergency.approve.confirm"),
                cancel: "/vaults/\(request.vaultID)/emergency"))
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "approve" else { return nil }
        return Act(
            .send(.post, "/v1/vaults/\(visit.id())/emergency/requests/\(visit.id(1))/approve"),
            to: "/vaults/\(visit.id())/emergency", Notice("web.emergency.approved"))
    }
}
