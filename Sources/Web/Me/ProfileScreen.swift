package import JSON
internal import Pages
package import Problems
internal import Texts

/// The visitor's name, language and time zone.
package struct ProfileScreen: Screen {
    package static let path = "/me/profile"

    private let name: String
    private let locale: String
    private let zone: String

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        name = answers[0]["display_name"]?.string ?? ""
        locale = answers[0]["locale"]?.string ?? ""
        zone = answers[0]["time_zone"]?.string ?? "UTC"
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.me.profile")
        var languages = TextCatalogue.kith.languages.map { ($0.tag, $0.name) }
        // A locale contains more than the language, such as the country's date format. It stays unless another language
        // is chosen.
        let language = TextCatalogue.kith.language(for: locale)?.tag ?? ""
        languages = languages.map { $0.0 == language ? (locale, $0.1) : $0 }
        let body: HTML = """
            <h1>\(title)</h1>
            \(visit.form(
                """
                \(visit.field(
                    "display_name", words("web.profile.name"), value: name, hint: words("web.profile.name_hint"),
                    attributes: "maxlength=\"100\" autocomplete=\"name\""))\
                \(visit.choice("locale", words("web.profile.language"), languages.map { (value: $0.0, label: $0.1) }, value: locale))\
                \(TimeZones.choice(visit, value: zone == "UTC" ? nil : zone, isOptional: zone == "UTC"))\
                \(visit.hidden("shown.locale", locale))\(visit.hidden("shown.time_zone", zone == "UTC" ? "" : TimeZones.label(of: zone, visit)))\
                \(visit.button("save", words("web.save")))
                """))
            """
        return ScreenPage(title: title, section: .me, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "save" else { return nil }
        // What was left as the page showed it may have been changed elsewhere since: a zone moves the check-in.
        func isChanged(_ name: String) -> Bool { form[name] != form["shown.\(name)"] }
        let zone = isChanged("time_zone") ? try TimeZones.zone(of: form["time_zone"], visit) : nil
        return Act(
            .send(.patch, "/v1/me") { json in
                json.field("display_name", form.text("display_name") ?? "")
                if isChanged("locale") { json.field("locale", form["locale"]) }
                if let zone { json.field("time_zone", zone) }
            }, to: MeScreen.path, zone.map { TimeZones.saved($0, visit) } ?? Notice("web.saved"))
    }
}

/// The visitor's phone number and e-mail address. A new one counts once the person has entered the code that was sent
/// to it.
package struct ContactsScreen: Screen {
    package static let path = "/me/contacts"

    private let contacts: [Contact]

    private struct Contact {
        /// `phone` or `email`.
        let kind: String
        let address: String?
        let isVerified: Bool
        /// The new address, to which a code was sent.
        let pending: String?
    }

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        contacts = ["phone", "email"].map { kind in
            Contact(
                kind: kind, address: answers[0][kind]?.string,
                isVerified: answers[0]["\(kind)_verified"]?.boolean ?? false,
                pending: answers[0]["pending_\(kind)"]?.string)
        }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.me.contacts")
        var body: HTML = "<h1>\(title)</h1>\n<p>\(words("web.contacts.text"))</p>\n"
        for contact in contacts {
            body +=
                "<section aria-labelledby=\"\(contact.kind)-heading\">\n<h2 id=\"\(contact.kind)-heading\">\(words("web.contacts.\(contact.kind)"))</h2>\n"
            if let address = contact.address {
                let state = words(contact.isVerified ? "web.contacts.verified" : "web.contacts.unverified")
                body +=
                    "<p><bdi>\(address)</bdi> · <span class=\"state \(contact.isVerified ? "good" : "warn")\">\(state)</span></p>\n"
            } else {
                body += "<p>\(words("web.contacts.none"))</p>\n"
            }
            if let pending = contact.pending { body += code(for: contact.kind, pending, visit) }
            let attributes: HTML =
                contact.kind == "phone"
                ? "inputmode=\"tel\" autocomplete=\"tel\" maxlength=\"40\""
                : """
                inputmode="email" autocomplete="email" autocapitalize="none" spellcheck="false" \
                maxlength="254"
                """
            body += """
                <details\(visit.refused?.act == "change-\(contact.kind)" ? " open" : "" as HTML)>
                <summary>\(words("web.contacts.change"))</summary>
                \(visit.form(
                    """
                    \(visit.field(contact.kind, words("web.contacts.new_\(contact.kind)"), attributes: attributes))\
                    \(visit.button("change-\(contact.kind)", words("web.sign_in.send"), .plain))
                    """))
                </details>
                </section>

                """
        }
        return ScreenPage(title: title, section: .me, body: body)
    }

    private func code(for kind: String, _ pending: String, _ visit: Visit) -> HTML {
        let words = visit.words
        return """
            <div class="panel warn">
            <p>\(words.html("web.sign_in.code_sent", ["contact": "<strong>\(name: pending)</strong>"]))</p>
            \(visit.form(
                """
                \(visit.hidden("address", pending))\
                <label for="\(kind)-code">\(words("web.sign_in.code"))</label>
                <input class="code-field" id="\(kind)-code" name="code" required maxlength="12" inputmode="numeric" \
                autocomplete="one-time-code">
                \(visit.button("verify-\(kind)", words("web.contacts.confirm")))
                """))
            </div>

            """
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        let parts = name.split(separator: "-").map(String.init)
        guard parts.count == 2, ["phone", "email"].contains(parts[1]) else { return nil }
        let kind = parts[1]
        switch parts[0] {
        case "change":
            return Act(
                .send(.patch, "/v1/me") { $0.field(kind, form.text(kind) ?? "") }, to: path,
                Notice("web.contacts.code_sent"))
        case "verify":
            return Act(
                .send(.post, "/v1/me/contacts/verify") { json in
                    json.field(kind, form["address"])
                    json.field("code", form["code"].filter { !$0.isWhitespace })
                }, to: path, Notice("web.contacts.changed"))
        default: return nil
        }
    }
}
