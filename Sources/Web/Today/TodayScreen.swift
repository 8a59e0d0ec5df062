package import JSON
internal import Pages
package import Problems

/// The first screen after the sign-in. For a sender it shows one thing: "I'm safe", and what happens if they do not say
/// so, and when. For a receiver it shows the state of each sender.
package struct TodayScreen: Screen {
    package static let path = "/today"

    private let sender: SenderToday?
    private let senders: [Counterpart]
    private let isReceiver: Bool
    private let consents: [Counterpart]
    private let invitations: Int
    private let firstSteps: FirstSteps?
    /// The vaults of others that are open to the visitor now.
    private let openVaults: [VaultFacts]
    /// The emergency access for which the visitor waits, or which they have.
    private let access: [EmergencyRequestFacts]

    package static func calls(_ visit: Visit) -> [APICall] { [.get("/v1/home")] }

    package init(_ answers: [JSONValue], _ visit: Visit) throws(Problem) {
        let home = answers[0]
        sender = SenderToday(home, visit)
        isReceiver = home["receiver"]?.kind == .object
        senders = home["receiver"]?["dashboard"]?["items"]?.elements.map { Counterpart($0, visit.words) } ?? []
        consents =
            home["waiting"]?["connections"]?.elements.map { Counterpart($0, visit.words) }.filter {
                $0.consentBy == "me"
            }
            ?? []
        firstSteps = FirstSteps(
            home["first_steps"],
            receivers: home["sender"]?["dashboard"]?["items"]?.elements.map { Counterpart($0, visit.words) } ?? [])
        openVaults = (home["vaults"]?["items"]?.elements ?? []).map(VaultFacts.init).filter {
            !$0.isOwner && $0.isOpen && $0.hasAccess
        }
        access = home["emergency_access"]?.elements.map(EmergencyRequestFacts.init) ?? []
        invitations = home["waiting"]?["invitations"]?["items"]?.elements.count ?? 0
    }

    package func page(_ visit: Visit) -> ScreenPage {
        // A check-in of a page from before the visitor called for help.
        if visit.step != nil { return EndCallScreen.question(visit) }
        let words = visit.words
        var body: HTML = ""
        let alarm = OwnAlarm(visit)
        if let alarm, sender == nil || !alarm.isMiss {
            body += alarm.section(visit)
        } else if let sender {
            body += sender.section(visit) + (alarm?.link(visit) ?? "")
        } else if !isReceiver {
            body += welcome(words, visit)
        } else {
            body += "<h1>\(words("web.today.heading"))</h1>\n"
        }
        body += emergencies(words) + open(words) + waiting(words)
        if isReceiver { body += receiver(words, visit) }
        if sender == nil, isReceiver, alarm == nil { body += anyone(visit) }
        if sender != nil || isReceiver { body += help(words, isAgain: alarm?.isHelp ?? false) }
        // Nobody sets anything up while others worry about them.
        if alarm == nil, let firstSteps { body += firstSteps.html(visit) }
        return ScreenPage(title: words("web.nav.today"), section: .today, body: body)
    }

    package static func act(_ name: String, _ form: FormFields, _ visit: Visit) throws(Problem) -> Act? {
        switch name {
        case "safe":
            // A check-in that was kept on the device may meet another person's sign-in there.
            if let owner = form.text("for"), owner != visit.userID {
                throw Problem(
                    .forbidden, "This check-in was kept for somebody else. Sign in as that person to send it.")
            }
            if let call = visit.person?.ownCall {
                guard let tapped = form.text("tapped_at") else { return .step }
                // One from before the call ends nothing (K13). Of any other the person is asked first.
                guard tapped < call.openedAt else {
                    throw Problem(.preconditionFailed, visit.words("state.alarm.own.help"))
                }
            }
            var act = Act(
                .send(.post, "/v1/pings/check-in") { json in
                    if let tapped = form.text("tapped_at") { json.field("tapped_at", tapped) }
                    write(form, to: &json)
                }
            ) { answer in
                let late = answer?["late"]?.integer ?? 0
                let completed = answer?["completed"]?.integer ?? 0
                let key = late > 0 ? "late" : completed > 0 ? "done" : "kept"
                return Destination(path, Notice("web.today.checked_in.\(key)"))
            }
            // Nobody is thanked for a check-in that was not made: one more is harmless, and it speaks for the moment in
            // which it is sent. A check-in that was kept on the device says itself for which moment it speaks.
            act.actsAnew = form.text("tapped_at") == nil
            return act
        case "introduce":
            let zone = try TimeZones.zone(of: form["time_zone"], visit)
            return Act(
                .send(.patch, "/v1/me") { json in
                    json.field("display_name", form.text("display_name") ?? "")
                    json.field("time_zone", zone)
                }, to: path)
        case "here":
            return Act(
                .send(.post, "/v1/vaults/\(form.id("vault"))/emergency/requests/\(form.id("request"))/reject"),
                to: path, Notice("web.emergency.answered"))
        default: return nil
        }
    }

    /// Writes the note of a check-in.
    static func write(_ form: FormFields, to json: inout JSONWriter) {
        guard let note = form.note("note") else { return }
        json.field("note", note)
        json.field("share_note", form.isOn("share_note"))
    }

    /// The page for somebody who is neither a sender nor a receiver yet.
    private func welcome(_ words: Words, _ visit: Visit) -> HTML {
        guard visit.person?.displayName.isEmpty == false else { return introduction(words, visit) }
        return """
            <h1>\(words("web.welcome.heading"))</h1>
            <p class="lead">\(words("web.welcome.lead"))</p>
            <a class="button" href="/me/sender">\(words("web.welcome.sender"))</a>
            <p class="hint">\(words("web.welcome.sender_hint"))</p>
            <a class="button" href="/me/receiver">\(words("web.welcome.receiver"))</a>
            <p class="hint">\(words("web.welcome.receiver_hint"))</p>
            <a class="button plain" href="/people/connect">\(words("web.welcome.code"))</a>

            """
    }

    /// The first questions to somebody new: their name, without which nobody would know who they are, and where they
    /// live.
    private func introduction(_ words: Words, _ visit: Visit) -> HTML {
        """
        <h1>\(words("web.welcome.heading"))</h1>
        <p class="lead">\(words("web.welcome.introduction"))</p>
        \(visit.form(
            """
            \(visit.field(
                "display_name", words("web.profile.name"), hint: words("web.profile.name_hint"),
                attributes: "maxlength=\"100\" autocomplete=\"name\""))\
            \(TimeZones.choice(visit, value: visit.person?.timeZone == "UTC" ? nil : visit.person?.timeZone))\
            \(visit.button("introduce", words("web.next")))
            """))
        """
    }

    /// What a nominee waits for or can enter in an emergency, each with the way to its vault.
    private func emergencies(_ words: Words) -> HTML {
        guard !access.isEmpty else { return "" }
        return
            "<h2>\(words("emergency.title"))</h2>\n<ul class=\"rows\">\n\(HTML.joined(access.map { $0.row(words) }))</ul>\n"
    }

    /// The vaults that the visitor can enter now, which lock again.
    private func open(_ words: Words) -> HTML {
        guard !openVaults.isEmpty else { return "" }
        var items: HTML = ""
        for vault in openVaults {
            items += """
                <li><a href="\(vault.path)"><span class="name">\(vault.title)</span><br>
                <span class="state good">\(vault.session?.end(words) ?? "")</span><br>
                <span class="quiet">\(words.html("web.vault.owned_by", ["name": "\(name: vault.owner)"]))</span></a></li>

                """
        }
        return "<h2>\(words("web.today.open_vaults"))</h2>\n<ul class=\"rows\">\n\(items)</ul>\n"
    }

    /// The requests and invitations that wait for an answer.
    private func waiting(_ words: Words) -> HTML {
        guard !consents.isEmpty || invitations > 0 else { return "" }
        var items: HTML = ""
        for other in consents {
            items += """
                <li><a href="/people/\(other.id)"><span class="name">\(name: other.name)</span> \
                \(words(other.isReceiver ? "web.today.asks_to_receive" : "web.today.asks_to_send"))</a></li>

                """
        }
        if invitations > 0 {
            items += "<li><a href=\"/vaults/invitations\">\(words("web.today.invitations"))</a></li>\n"
        }
        return "<h2>\(words("web.today.waiting"))</h2>\n<ul class=\"rows\">\n\(items)</ul>\n"
    }

    /// The people who send pings to the visitor.
    private func receiver(_ words: Words, _ visit: Visit) -> HTML {
        guard !senders.isEmpty else {
            return """
                <h2>\(words("web.today.senders"))</h2>
                <p>\(words("web.today.no_senders"))</p>
                <a class="button plain" href="/people/connect">\(words("web.people.enter_code"))</a>

                """
        }
        var items: HTML = ""
        for other in senders { items += other.row(visit) }
        return "<h2>\(words("web.today.senders"))</h2>\n<ul class=\"rows\">\n\(items)</ul>\n"
    }

    /// The way to call for help, far from "I'm safe".
    private func help(_ words: Words, isAgain: Bool) -> HTML {
        """
        <p class="apart"><a class="button destructive" href="\(HelpScreen.path)">\(words(isAgain ? "web.help.again" : "web.help.open"))</a></p>

        """
    }

    /// "I'm safe" for somebody who is not a sender: it is stored as a sign of life.
    private func anyone(_ visit: Visit) -> HTML {
        """
        <h2>\(visit.words("web.today.self"))</h2>
        <p>\(visit.words("web.today.self_text"))</p>
        <a class="inline" href="/me/sender">\(visit.words("web.welcome.sender"))</a>

        """
    }
}
