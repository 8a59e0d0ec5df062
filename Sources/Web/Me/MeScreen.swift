package import JSON
internal import Pages
package import Problems
internal import Texts

/// The links to the visitor's settings, the sign-out and the deletion of the account.
package struct MeScreen: Screen {
    package static let path = "/me"

    private let name: String
    private let contacts: [String]

    // Nobody is kept from signing out.
    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/me", mayFail: [.tenantSuspended])] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        name = answers[0]["display_name"]?.string ?? ""
        contacts = ["phone", "email"].compactMap { answers[0][$0]?.string }
    }

    /// The pages below this one, by the key of their text.
    private static let pages: [(path: String, key: String)] = [
        (SenderScreen.path, "sender"), (RemindersScreen.path, "reminders"), (ReceiverScreen.path, "receiver"),
        (BreakScreen.path, "break"), (AlarmPlanScreen.path, "plan"), (CareCardScreen.path, "card"),
        (AlarmsScreen.path, "alarms"),
        (ProfileScreen.path, "profile"), (ContactsScreen.path, "contacts"), (QuietHoursScreen.path, "quiet_hours"),
        (PreferencesScreen.path, "preferences"), (DevicesScreen.path, "devices"), (ThingsScreen.path, "things"),
        (BlocksScreen.path, "blocks"),
        (FeedbackScreen.path, "feedback"),
    ]

    package func page(_ visit: Visit) -> ScreenPage {
        let words = visit.words
        var items: HTML = ""
        for page in Self.pages {
            items += """
                <li><a href="\(page.path)"><span class="name">\(words("web.me.\(page.key)"))</span><br>
                <span class="quiet">\(words("web.me.\(page.key)_text"))</span></a></li>

                """
        }
        let heading: HTML = name.isEmpty ? "\(words("web.nav.me"))" : "\(name: name)"
        let body: HTML = """
            <h1>\(heading)</h1>
            <p class="quiet">\(contacts.joined(separator: " · "))</p>
            <ul class="rows">
            \(items)<li><a href="/me/export" download><span class="name">\(words("web.me.export"))</span><br>
            <span class="quiet">\(words("web.me.export_text"))</span></a></li>
            </ul>
            <h2>\(words("web.me.leave"))</h2>
            \(visit.form(
                """
                <div class="actions">
                \(visit.button("sign-out", words("web.me.sign_out"), .plain))\
                \(visit.button("sign-out-everywhere", words("web.me.sign_out_everywhere"), .plain))\
                </div>
                """))
            <p class="hint">\(words("web.me.sign_out_text"))</p>
            <p><a class="inline" href="\(DeleteAccountScreen.path)">\(words("web.me.delete"))</a></p>

            """
        return ScreenPage(title: words("web.nav.me"), section: .me, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        guard ["sign-out", "sign-out-everywhere"].contains(name) else { return nil }
        var act = Act(
            .send(.post, "/v1/auth/sign-out") { $0.field("everywhere", name == "sign-out-everywhere") }, to: "/",
            Notice("web.me.signed_out"))
        act.endsSession = true
        act.keepsDevice = name == "sign-out"
        return act
    }
}
