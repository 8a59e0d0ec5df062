package import JSON
internal import Pages
package import Problems
internal import Texts

/// The transfer of a vault's ownership: it is offered after two questions, and can be cancelled until it is accepted.
package struct TransferScreen: Screen {
    package static let path = "/vaults/{id}/transfer"
    package static let holdsSecret = true

    private let vault: VaultFacts
    private let nominees: [NomineeFacts]
    /// The offer that waits for an answer; null if there is none.
    private let offer: JSONValue

    package static func calls(_ visit: Visit) -> [APICall] {
        [
            .get("/v1/vaults/\(visit.id())"),
            .get("/v1/vaults/\(visit.id())/nominees?status=accepted,active&limit=50"),
            .get("/v1/vaults/\(visit.id())/transfer", mayFail: [.notFound]),
        ]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        guard vault.isOwner else { throw Problem(.forbidden) }
        nominees = answers[1]["items"]?.elements.map(NomineeFacts.init) ?? []
        offer = answers[2]
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let title = visit.words("transfer.title")
        let body: HTML =
            if offer.kind == .object { waiting(visit) } else if let step = visit.step { question(step, visit) } else {
                form(visit)
            }
        return ScreenPage(title: title, section: .vaults, body: body)
    }

    private func form(_ visit: Visit) -> HTML {
        let words = visit.words
        var people: HTML = ""
        if !nominees.isEmpty {
            people = visit.choice(
                "nominee", words("web.transfer.to"),
                nominees.map { ($0.id, $0.name) } + [("", words("web.transfer.somebody_else"))], value: nominees[0].id)
        }
        return """
            <h1>\(words("transfer.title"))</h1>
            <p class="lead">\(words.html("web.transfer.lead", ["vault": vault.title]))</p>
            \(visit.form(
                """
                \(people)\
                \(visit.field(
                    "name", words("invitee.name"), hint: nominees.isEmpty ? nil : words("web.transfer.else_hint"),
                    isRequired: nominees.isEmpty, attributes: "maxlength=\"100\" autocomplete=\"off\""))\
                \(visit.field(
                    "phone", words("invitee.phone"), type: "tel", hint: words("web.transfer.contact_hint"),
                    isRequired: false, attributes: "maxlength=\"100\" autocomplete=\"off\""))\
                \(visit.field(
                    "email", words("invitee.email"), type: "email", isRequired: false,
                    attributes: "maxlength=\"254\" autocomplete=\"off\""))\
                \(visit.check("keep_access", "\(words("web.transfer.keep"))", isOn: true))\
                \(visit.button("first", words("transfer.button")))
                """))\
            \(visit.back(vault.path, vault.title))
            """
    }

    /// The first or the second question. The fields are carried along.
    private func question(_ step: FormFields, _ visit: Visit) -> HTML {
        let words = visit.words
        let isFirst = step[FormFields.act] == "first"
        let recipient = nominees.first { $0.id == step["nominee"] }?.name ?? step["name"]
        let names: [String: HTML] = ["name": "\(name: recipient)", "vault": vault.title]
        var fields: HTML = ""
        for (name, value) in step.input { fields += visit.hidden(name, value) }
        guard isFirst else {
            return visit.question(
                "\(words("transfer.second.title"))", words.html("transfer.second.message", names), act: "offer",
                confirm: words("transfer.second.confirm"), cancel: vault.path, fields: fields)
        }
        let key = step.isOn("keep_access") ? "keep" : "leave"
        return visit.question(
            words.html("transfer.first.title", names), words.html("transfer.first.message.\(key)", names),
            act: "second", confirm: words("transfer.first.confirm"), cancel: vault.path, fields: fields, kind: .usual)
    }

    private func waiting(_ visit: Visit) -> HTML {
        let words = visit.words
        let outcome = offer["invitation_outcome"]?.string.map { words("invite.outcome.\($0)") + " " } ?? ""
        let until = words("web.nominee.until", ["until": .words(words.until(offer["expires_at"]?.string ?? ""))])
        return """
            <h1>\(words("transfer.title"))</h1>
            <p class="panel warn lead">\(words.html(
                "web.transfer.waits", ["name": "\(name: offer["name"]?.string ?? "")"]))</p>
            <p>\(outcome + until)</p>
            \(visit.form("\(visit.button("resend", words("web.transfer.resend"), .plain))"))\
            \(visit.form("\(visit.undoing("cancel", words("transfer.cancel"), .destructive))"))\
            \(visit.back(vault.path, vault.title))
            """
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let vault = visit.id()
        let call = "/v1/vaults/\(vault)/transfer"
        let path = "/vaults/\(vault)/transfer"
        func outcome(_ outcome: String) -> Act {
            Act(.send(.patch, "\(call)/invitation") { $0.field("outcome", outcome) }, doneBefore: [.invalidTransition])
            { _ in
                Destination(path, Notice("invite.outcome.\(outcome)"))
            }
        }
        switch name {
        case "first", "second":
            guard !form["nominee"].isEmpty || form.text("name") != nil else {
                throw .invalid("name", visit.words("invitee.name.empty"))
            }
            return .step
        case "offer":
            return Act(
                .send(.post, call) { json in
                    if form["nominee"].isEmpty {
                        json.field("name", form.text("name") ?? "")
                        if let phone = form.text("phone") { json.field("phone", phone) }
                        if let email = form.text("email") { json.field("email", email) }
                    } else {
                        json.field("nominee_id", form.id("nominee"))
                    }
                    json.field("channel", "link")
                    json.field("keep_access", form.isOn("keep_access"))
                }
            ) { answer, visit in InvitationReady(answer, kind: .transfer(vault: vault)).page(visit) }
        case "resend":
            return Act(.send(.post, "\(call)/resend") { $0.field("channel", "link") }) { answer, visit in
                InvitationReady(answer, kind: .transfer(vault: vault)).page(visit)
            }
        case "outcome-sent": return outcome("sent")
        case "outcome-cancelled": return outcome("cancelled")
        case "cancel": return Act(.send(.delete, call), to: "/vaults/\(vault)", Notice("transfer.cancelled"))
        default: return nil
        }
    }
}
