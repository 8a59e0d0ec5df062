package import JSON
internal import Pages
package import Problems
internal import Texts

/// Invites several nominees at once, one on each line. The answering page shows a link for each, or the reason why
/// there is none.
package struct InviteSeveralScreen: Screen {
    package static let path = "/vaults/{id}/nominees/invite-several"
    package static let holdsSecret = true

    private let vault: VaultFacts

    /// The most people of one form.
    private static let most = 50

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/vaults/\(visit.id())")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        vault = VaultFacts(answers[0])
        guard vault.managesNominees else { throw Problem(.forbidden, visit.words("access.refused")) }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.nominee.several")
        let levels = vault.isOwner ? AccessLevels.all : AccessLevels.emergency
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(title)</h1>
                <p>\(words.html("web.nominee.invite_lead", ["vault": vault.title]))</p>
                \(visit.form(
                    """
                    \(visit.area(
                        "people", words("web.nominee.people"), limit: 10_000, hint: words("web.nominee.people_hint")))\
                    \(visit.radios(
                        "access_level", words("invitee.access"), AccessLevels.choices(levels, words), value: "view"))\
                    \(visit.button("invite", words("invitee.send")))
                    """))\
                \(visit.back("\(vault.path)/nominees", "\(words("nominees.title"))"))
                """)
    }

    /// Somebody on a line: a name, and behind a comma a phone number or an e-mail address.
    private struct Person {
        let name: String
        let contact: String?

        init(_ line: Substring) {
            let parts = line.split(maxSplits: 1) { ",;\t،؛".contains($0) }.map { part in
                String(part.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            }
            name = parts.first ?? ""
            contact = parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil
        }
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "invite" else { return nil }
        let people = form["people"].split(separator: "\n").map(Person.init).filter { !$0.name.isEmpty }
        guard !people.isEmpty else { throw .invalid("people", visit.words("invitee.name.empty")) }
        guard people.count <= most else {
            throw .invalid("people", visit.words("web.nominee.too_many", ["count": .number(most)]))
        }
        let vault = visit.id()
        return Act(
            .send(.post, "/v1/vaults/\(vault)/nominees") { json in
                json.array("nominees", people) { json, person in
                    json.object { json in
                        json.field("name", person.name)
                        if let contact = person.contact {
                            json.field(contact.contains("@") ? "email" : "phone", contact)
                        }
                        json.field("access_level", form.text("access_level") ?? "view")
                        json.field("channel", "link")
                    }
                }
            }
        ) { answer, visit in
            results(answer?["items"]?.elements ?? [], of: people, vault, visit)
        }
    }

    private static func results(
        _ items: [JSONValue], of people: [Person], _ vault: String, _ visit: Visit
    ) -> ScreenPage {
        let words = visit.words
        let title = words("web.nominee.links")
        var rows: HTML = ""
        for (index, (item, person)) in zip(items, people).enumerated() {
            if let url = item["nominee"]?["invitation"]?["url"]?.string {
                rows += """
                    <li><label for="link-\(String(index))">\(name: person.name)</label>
                    <input id="link-\(String(index))" class="copy" readonly value="\(url)"></li>

                    """
            } else {
                let problem = item["problem"]
                let reason = problem?["errors"]?.elements.first?["message"]?.string ?? problem?["detail"]?.string ?? ""
                rows += """
                    <li><span class="name">\(name: person.name)</span><br>
                    <span class="state bad">\(words("web.nominee.not_invited", ["reason": .words(words.refusal(reason))]))</span></li>

                    """
            }
        }
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(title)</h1>
                <p class="lead">\(words("web.nominee.links_text"))</p>
                <ul class="rows">
                \(rows)</ul>
                <p class="quiet">\(words("web.invitation.once"))</p>
                \(visit.back("/vaults/\(vault)/nominees", "\(words("nominees.title"))"))
                """)
    }
}
