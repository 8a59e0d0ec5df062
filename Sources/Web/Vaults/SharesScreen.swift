package import JSON
internal import Pages
package import Problems
internal import Texts

/// The shares of the visitor's vaults in other services, and how often invitations were sent.
package struct SharesScreen: Screen {
    package static let path = "/vaults/shares"

    private let shares: [JSONValue]
    private let counts: [JSONValue]
    private let more: HTML

    package static func calls(_ visit: Visit) -> [APICall] {
        [.get("/v1/shares?\(visit.page)"), .get("/v1/shares/usage")]
    }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        shares = answers[0]["items"]?.elements ?? []
        counts = answers[1]["items"]?.elements ?? []
        more = visit.more(answers[0])
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("web.share.title")
        var rows: HTML = ""
        for share in shares {
            let id = share["id"]?.string ?? ""
            let vault: HTML = "\(name: share["vault"]?["name"]?.string ?? "")"
            let options = [("readOnly", "share.read_only"), ("readWrite", "share.read_write")]
            var choices: HTML = ""
            for (value, key) in options {
                let mark: HTML = share["permission"]?.string == value ? " selected" : ""
                choices += "<option value=\"\(value)\"\(mark)>\(words(key))</option>\n"
            }
            rows += """
                <li><span class="name">\(vault)</span><br>
                <span class="quiet">\(words(
                    "web.share.people", ["count": .number(share["participant_count"]?.integer ?? 0)]))</span>
                \(visit.form(
                    """
                    \(visit.hidden("share", id))\
                    <label for="permission-\(id)">\(words("share.permission"))</label>
                    <select id="permission-\(id)" name="permission">
                    \(choices)</select>
                    \(visit.button("permission", words.html("web.share.save", ["vault": vault]), .plain))
                    """))\
                <a class="button destructive" href="/vaults/shares/\(id)/end">\(words("share.revoke")) (\(vault))</a></li>

                """
        }
        let list: HTML =
            shares.isEmpty ? "<p>\(words("web.share.none"))</p>\n" : "<ul class=\"rows\">\n\(rows)</ul>\n"
        return ScreenPage(
            title: title, section: .vaults,
            body: """
                <h1>\(title)</h1>
                <p>\(words("web.share.lead"))</p>
                \(list)\(more)\(usage(words))\(visit.back(VaultsScreen.path, "\(words("web.nav.vaults"))"))
                """)
    }

    private func usage(_ words: Words) -> HTML {
        guard !counts.isEmpty else { return "" }
        var rows: HTML = ""
        for count in counts {
            let outcome = count["outcome"]?.string ?? "unknown"
            rows += """
                <tr><td>\(words("web.share.channel.\(count["channel"]?.string ?? "other")"))</td>\
                <td>\(words("web.share.outcome.\(outcome)"))</td><td>\(String(count["count"]?.integer ?? 0))</td></tr>

                """
        }
        return """
            <h2>\(words("web.share.usage"))</h2>
            <table>
            <tr><th scope="col">\(words("web.share.channel"))</th><th scope="col">\(words("web.share.outcome"))</th>\
            <th scope="col">\(words("web.share.count"))</th></tr>
            \(rows)</table>

            """
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "permission" else { return nil }
        return Act(
            .send(.patch, "/v1/shares/\(form.id("share"))") { json in
                json.field("permission", form["permission"] == "readWrite" ? "readWrite" : "readOnly")
            }, to: path, Notice("web.saved"))
    }
}

/// Asks before a share ends.
package struct EndShareScreen: Screen {
    package static let path = "/vaults/shares/{share}/end"

    private let share: JSONValue?

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/shares?limit=200")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        share = answers[0]["items"]?.elements.first { $0["id"]?.string == visit.id() }
        guard share != nil else { throw Problem(.notFound) }
    }

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        let title = words("share.revoke.title")
        return ScreenPage(
            title: title, section: .vaults,
            body: visit.question(
                "\(title)",
                words.html("share.revoke.message", ["vault": "\(name: share?["vault"]?["name"]?.string ?? "")"]),
                act: "end", confirm: words("share.revoke.confirm"), cancel: SharesScreen.path))
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard name == "end" else { return nil }
        return Act(.send(.delete, "/v1/shares/\(visit.id())"), to: SharesScreen.path, Notice("web.share.ended"))
    }
}
