import Foundation
import KithClient
import TestThreads
import Testing
import Texts

/// Every screen in a real browser. With `KITH_SCREENSHOTS`, a folder, `make screenshots` keeps pictures of them.
@Suite(.mayBlock) struct `The screens of the web client` {
    /// The ways in which people look at a page.
    private enum Look: String, CaseIterable {
        case phone, dark, desktop, large

        func set(_ browser: Browser) throws {
            switch self {
            case .phone: try browser.resize(width: 320, height: 640, isPhone: true, isDark: false)
            case .dark: try browser.resize(width: 360, height: 740, isPhone: true, isDark: true)
            case .desktop: try browser.resize(width: 1280, height: 800, isPhone: false, isDark: false)
            case .large: try browser.resize(width: 640, height: 800, isPhone: false, isDark: false)
            }
        }
    }

    /// A stage on which every screen has something to show: Alice has receivers and a sender, messages, codes and an
    /// invitation.
    private func stage() async throws -> (alice: WebPerson, paths: [String]) {
        let (alice, bob, connection) = try await WebPerson.pair("Alice", "Bob <b>Brown</b>")
        let carol = try await WebPerson.join("Carola Wintergerst-Hohenstein")
        try await carol.person.becomeReceiver()
        try await alice.person.becomeReceiver()
        try await bob.person.becomeSender(at: "08:00", grace: 30)
        let code = try await alice.person.becomeReceiver().code
        _ = try await bob.person.connect(code)
        _ = try await alice.person.connect(carol.person.becomeReceiver().code)
        _ = try await bob.person.send("POST", "/v1/pings/check-in", #"{"note":"Good morning","share_note":true}"#)
        let invited = try await alice.person.send(
            "POST", "/v1/connection-invitations",
            #"{"recipients":[{"name":"Dora","phone":"+491511234567"},{"phone":"12"}]}"#)
        let invitation = try #require(invited.text.firstMatch(of: /"id" : "([0-9a-f-]+)"/)?.1)
        let made = try await alice.person.send("POST", "/v1/me/signs", #"{"name":"Front door","kind":"activity"}"#)
        let thing = try #require(made.text.firstMatch(of: /"id" ?: ?"([0-9a-f-]+)"/)?.1)
        _ = try await alice.person.send(
            "POST", "/v1/me/signs", #"{"name":"Button","kind":"check_in","allow_get":true}"#)
        let person = "/people/\(connection.id.text)"
        let alarms = try await alarmPaths(of: alice, bob)
        return (
            alice,
            [
                "/today", "/people", "/people/connect", "/people/invite", "/people/invite/\(invitation)",
                "/people/codes",
                person, "\(person)/pause", "\(person)/remove", "\(person)/block", "/messages", "/me", "/me/sender",
                "/me/receiver", "/me/break", "/me/quiet-hours", "/me/profile", "/me/contacts", "/me/notifications",
                "/me/devices", "/me/blocks", "/me/delete", "/me/feedback", "/me/things", "/me/things/\(thing)/remove",
                "/me/reminders", "/me/plan", "/me/card", "/me/drill", "/me/emergency/rehearsal", "/help",
            ] + alarms
        )
    }

    /// At 200 % text on a small phone (§1.4.4 of WCAG 2.2), in each language.
    @Test(arguments: TextCatalogue.kith.languages.map(\.tag))
    func `show the whole of "I'm safe" at twice the size of the text`(language: String) async throws {
        let (alice, _, _) = try await WebPerson.pair()
        _ = try await alice.person.send("PATCH", "/v1/me", "{\"locale\":\"\(language)\"}")
        let browser = try Browser(everyHostIs: alice.house.client.base)
        try browser.become(alice, at: "/today")
        try browser.resize(width: 360, height: 740, isPhone: true, isDark: false)
        let button: [Double] = try browser.evaluate(
            """
            document.documentElement.style.fontSize = '200%';
            scrollTo(0, 0);
            const {left, top, right, bottom} = document.querySelector('button.big[value=safe]').getBoundingClientRect();
            return [left, top, right, bottom, document.getElementById('nav').getBoundingClientRect().top]
            """)
        #expect(button[0] >= 0 && button[2] <= 360 && button[1] >= 0 && button[3] <= button[4], "\(button)")
        #expect(button[1] >= 370, "it is in the lower half, where a thumb is: \(button)")
        let isCovered: Bool = try browser.evaluate(
            """
            const button = document.querySelector('button.big[value=safe]');
            const {left, top, right, bottom} = button.getBoundingClientRect();
            return [[left + 20, top + 20], [right - 20, bottom - 20]].some(
              ([x, y]) => !button.contains(document.elementFromPoint(x, y)))
            """)
        #expect(!isCovered)
    }

    /// An alarm about each of them: Alice has called for help, and Bob has too, of which she was told.
    private func alarmPaths(of alice: WebPerson, _ bob: WebPerson) async throws -> [String] {
        let card = #"{"sections":[{"title":"Keys","body":"Dora next door has a key.\nShe is in after five."}]}"#
        for person in [alice.person, bob.person] { _ = try await person.send("PUT", "/v1/me/care-card", card) }
        let plan = #"{"tiers":[{"after_minutes":0},{"after_minutes":30}],"receivers_know_each_other":true}"#
        #expect(try await alice.person.send("PUT", "/v1/me/alarm-plan", plan).status == 200)
        var ids: [String] = []
        for person in [alice.person, bob.person] {
            let help = try await person.send("POST", "/v1/alarms", #"{"note":"I fell in the <bath>"}"#)
            ids.append(String(try #require(help.text.firstMatch(of: /"id" ?: ?"([0-9a-f-]+)"/)?.1)))
        }
        #expect(try await bob.person.send("POST", "/v1/alarms/\(ids[0])/take", "{}").status == 200)
        #expect(try await alice.person.send("POST", "/v1/alarms/\(ids[1])/take", "{}").status == 200)
        let person = try await alice.person.send("GET", "/v1/connections?role=receiver").text
        let sender = try #require(person.firstMatch(of: /"id" ?: ?"([0-9a-f-]+)"/)?.1)
        return [
            "/alarms", "/alarms/\(ids[0])", "/alarms/\(ids[1])", "/alarms/\(ids[1])/end?outcome=help_called",
            "/alarms/\(ids[1])/card", "/people/\(sender)/ask",
        ]
    }

    @Test(arguments: ["en", "de", "de-informal", "ar"])
    func `look the same in every language and scheme, without a barrier and without sideways scrolling`(
        language: String
    ) async throws {
        let (alice, paths) = try await stage()
        if language != "en" {
            #expect(try await alice.person.send("PATCH", "/v1/me", #"{"locale":"\#(language)"}"#).status == 200)
        }
        let base = alice.house.client.base
        let browser = try Browser(everyHostIs: base)
        let folder = ProcessInfo.processInfo.environment["KITH_SCREENSHOTS"].map { URL(filePath: $0) }
        if let folder { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
        func look(at name: String) throws {
            for look in Look.allCases {
                try look.set(browser)
                let size = look == .large ? "200%" : "100%"
                let width: [Int] = try browser.evaluate(
                    """
                    document.documentElement.style.fontSize = '\(size)';
                    return [document.documentElement.scrollWidth, document.documentElement.clientWidth]
                    """)
                #expect(width[0] <= width[1], "\(name) scrolls sideways on \(look)")
                if look == .phone || look == .dark {
                    // The informal German differs from the other in words alone.
                    if language != "de-informal" {
                        let findings = try browser.findings()
                        #expect(findings == [], "\(name) \(look)")
                    }
                    let small: [String] = try browser.evaluate(Self.smallTargets)
                    #expect(small == [], "\(name) has targets smaller than 44 pixels")
                    let glued: [String] = try browser.evaluate(Self.gluedWords)
                    #expect(glued == [], "\(name) drops the space between words and names")
                    let text: String = try browser.evaluate("return document.body.innerText")
                    #expect(!text.contains(/\d{4}-\d{2}-\d{2}/), "\(name) writes a date as computers do")
                    #expect(!text.contains(/<\/?(?:p|li|span|a|h2|div)\b/), "\(name) shows markup as text")
                }
                if let folder { try browser.picture(to: folder.appending(path: "\(name)-\(look)-\(language).png")) }
            }
            #expect(try browser.console() == [], "\(name)")
        }
        try browser.open("\(base)/?t=acme")
        if language == "en" {
            try look(at: "front")
            try browser.open("\(base)\(await alice.link())")
            try look(at: "sign-in-link")
        }
        for (name, value) in alice.web.cookies { try browser.keep(cookie: name, value) }
        var seen: [String: Int] = [:]
        for path in paths {
            try browser.open("\(base)\(path)")
            let place = path.split(separator: "?")[0].dropFirst().replacing(/[0-9a-f]{8}-[0-9a-f-]+/, with: "id")
            seen[String(place), default: 0] += 1
            let count = seen[String(place)] ?? 1
            let name = String(place).replacing("/", with: "-") + (count > 1 ? "-\(count)" : "")
            let heading: Int = try browser.evaluate("return document.querySelectorAll('h1').length")
            #expect(heading == 1, "\(path)")
            try look(at: name)
        }
    }

    /// The controls that are lower or narrower than 44 pixels. A link within a sentence may be (WCAG 2.2, 2.5.8).
    private static let smallTargets = """
        return [...document.querySelectorAll('a, button, input:not([type=hidden]), select, textarea, summary')].filter(element => {
          const box = (element.closest('label.check') ?? element).getBoundingClientRect();
          if (box.width === 0 || element.matches('.skip, .hidden')) return false;
          const isInSentence = element.matches('p a, td a') && getComputedStyle(element).display === 'inline';
          return !isInSentence && (box.height < 43.5 || box.width < 43.5);
        }).map(element => element.outerHTML.slice(0, 120));
        """

    /// The parts in which a flex box drops the space between a text and an element after it, such as the name in
    /// "Remove Bob".
    private static let gluedWords = """
        return [...document.querySelectorAll('main *, footer *')].filter(element =>
          getComputedStyle(element).display.includes('flex') && element.children.length > 0
            && [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())
        ).map(element => element.outerHTML.slice(0, 120));
        """

    @Test func `move the focus to what an act did, or to what was wrong`() async throws {
        let (alice, _, _) = try await WebPerson.pair()
        let base = alice.house.client.base
        let browser = try Browser(everyHostIs: base)
        try browser.open("\(base)/?t=acme")
        for (name, value) in alice.web.cookies { try browser.keep(cookie: name, value) }
        try browser.open("\(base)/today")
        try browser.submit([:], button: "safe")
        let role: String = try browser.evaluate("return document.activeElement.getAttribute('role')")
        #expect(role == "status")
        try browser.open("\(base)/people/connect")
        try browser.submit(["code": "12"], button: "connect")
        let field: String = try browser.evaluate("return document.activeElement.id")
        #expect(field == "code")
        let described: String = try browser.evaluate(
            "return document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent")
        #expect(described == "Enter all 6 digits of the code.")
        // After the sign-out the back button shows no private page.
        try browser.open("\(base)/me")
        try browser.submit([:], button: "sign-out")
        try browser.back()
        let text: String = try browser.evaluate("return document.body.textContent")
        #expect(!text.contains("Alice") && text.contains("Sign in"))
    }
}
