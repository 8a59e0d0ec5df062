import Foundation
import KithClient
import KithServer
import TestThreads
import Testing

@Suite(.mayBlock) struct `The web client without a network` {
    /// A browser of somebody who has opened Today once, and whose network can be cut.
    private func browser(of person: WebPerson) throws -> (Browser, Cable) {
        let cable = try Cable(before: person.house.client)
        let browser = try Browser(everyHostIs: cable.url)
        try browser.become(person)
        try browser.waitUntilLive()
        try browser.wait("navigator.serviceWorker.controller")
        return (browser, cable)
    }

    private static let isKept = "!document.getElementById('kept').hidden"

    @Test func `keeps a tap on the device, says so, and sends it once when the network returns`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        let (browser, cable) = try browser(of: alice)
        cable.cut()
        let before = Day.now
        try browser.press("button[value=safe]")
        try browser.wait(Self.isKept)
        let after = Day.now
        let kept = try browser.text("#kept")
        #expect(kept.contains("Kept on this device, not sent yet"))
        #expect(kept.contains("Your receivers do not know about it."))
        #expect(try browser.text("h1") == "Let your receivers know you’re safe.", "nothing is claimed")
        #expect(try browser.barriers() == [])
        // Two tabs and the worker see the network return.
        let first = try #require(try browser.tabs.first)
        try browser.openTab()
        try browser.open(Browser.address("/today"))
        #expect(try browser.text("h1") == "No connection")
        cable.mend()
        let _: Bool = try browser.evaluate("dispatchEvent(new Event('online')); return true")
        try browser.select(tab: first)
        let _: Bool = try browser.evaluate("dispatchEvent(new Event('online')); return true")
        try browser.wait("document.getElementById('kept').hidden")
        try browser.wait("document.querySelector('h1').innerText === 'You have checked in for today.'")
        let told = try await bob.person.notifications()
        #expect(told.filter { $0.type == "ping_completed" }.count == 1)
        // The clock of the browser is months behind the server's, and the page learns the difference as precisely as it
        // arrives.
        let pings: Kith.PingPage = try await alice.person.get("GET", "/v1/pings?role=sender")
        let tapped = try #require(pings.items.first?.completedAt)
        #expect(tapped >= before.addingTimeInterval(-60) && tapped <= after.addingTimeInterval(60))
    }

    @Test func `opens with a page that shows nothing private`() async throws {
        let (alice, _, _) = try await WebPerson.pair()
        let (browser, cable) = try browser(of: alice)
        cable.cut()
        try browser.open(Browser.address("/people"))
        #expect(try browser.text("h1") == "No connection")
        let html: String = try browser.evaluate("return document.documentElement.outerHTML")
        for secret in ["Alice", "Bob", alice.email, alice.person.id.text] { #expect(!html.contains(secret)) }
        #expect(try browser.barriers() == [])
        let cached: [String] = try browser.evaluate(
            """
            return (async () => {
              const paths = [];
              for (const name of await caches.keys())
                for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
              return paths;
            })()
            """)
        #expect(!cached.isEmpty && cached.allSatisfy { $0 == "/offline" || $0.hasPrefix("/assets/") })
        // The button is there for whoever was signed in last.
        try browser.wait("!document.getElementById('offline-check-in').hidden")
        try browser.press("button[value=safe]")
        try browser.wait(Self.isKept)
        cable.mend()
        try browser.open(Browser.address("/today"))
        try browser.wait("document.querySelector('h1').innerText === 'You have checked in for today.'")
    }

    @Test func `says first that nobody has been told of a call for help, and never sends one by itself`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        _ = try await alice.person.send("PATCH", "/v1/me", #"{"time_zone":"America/Chicago"}"#)
        let (browser, cable) = try browser(of: alice)
        try browser.open(Browser.address("/help"))
        try browser.waitUntilLive()
        cable.cut()
        try browser.press("button.deliberate")
        try browser.wait("document.body.dataset.offline !== undefined")
        func says(sourceLocation: SourceLocation = #_sourceLocation) throws {
            let main = try browser.text("main")
            let first = main.prefix(120)
            #expect(first.contains("nobody has been told") && first.contains("Call 911"), "\(main)")
            #expect(main.contains("Your call for help is not sent later by itself."), sourceLocation: sourceLocation)
            #expect(try browser.evaluate("return document.querySelector('a[href^=\"tel:\"]').href") == "tel:911")
            #expect(try browser.evaluate("return document.getElementById('offline-check-in').hidden"))
            #expect(try browser.barriers() == [])
        }
        try says()
        try browser.open(Browser.address("/help"))
        try says()
        // Any other page offers both.
        try browser.open(Browser.address("/today"))
        try browser.wait("!document.getElementById('offline-check-in').hidden")
        #expect(try browser.text("main").prefix(120).contains("If you need help: nobody has been told."))
        try browser.open(Browser.address("/help?unsent=1"))
        cable.mend()
        let _: Bool = try browser.evaluate("dispatchEvent(new Event('online')); return true")
        try browser.wait("document.querySelector('button.deliberate')")
        #expect(try browser.text("main").hasPrefix("Nobody has been told that you need help."))
        #expect(cable.count("POST /help") == 0)
        #expect(try await bob.person.notifications().allSatisfy { $0.type != "help_requested" })
        try browser.press("button.deliberate")
        try browser.wait("location.pathname.startsWith('/alarms/')")
        try browser.open(Browser.address("/help?unsent=1"))
        #expect(try browser.text("main").contains("You have called for help"))
        #expect(!(try browser.text("main").contains("Nobody has been told")))
    }

    @Test func `keeps a tap whose sign-in has ended, says what sends it, and sends it then`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        let (browser, cable) = try browser(of: alice)
        cable.cut()
        try browser.press("button[value=safe]")
        try browser.wait(Self.isKept)
        // "Try now" says what came of it.
        try browser.press("#kept-send")
        try browser.wait("document.getElementById('kept-tried').innerText.includes('it could not be sent')")
        let out = try await alice.person.send("POST", "/v1/auth/sign-out", #"{"everywhere":true}"#)
        #expect(out.status == 204)
        cable.mend()
        try browser.open(Browser.address("/today"))
        try browser.wait("!document.getElementById('kept-sign-in').hidden")
        #expect(try browser.text("#kept").contains("your sign-in has ended. Sign in, then it is sent."))
        #expect(!(try browser.text("#kept").contains("as soon as there is a connection")))
        #expect(try browser.evaluate("return document.getElementById('kept-send').hidden"))
        try browser.press("#kept-sign-in")
        try browser.wait("location.pathname === '/sign-in'")
        #expect(try await bob.person.notifications().allSatisfy { $0.type != "ping_completed" })
        try await alice.web.signIn(alice.email, alice.house)
        try browser.become(alice)
        try browser.wait("document.getElementById('kept').hidden")
        try browser.wait("document.querySelector('h1').innerText === 'You have checked in for today.'")
        #expect(try await bob.person.notifications().filter { $0.type == "ping_completed" }.count == 1)
    }

    @Test func `holds a tap that would end a call for help, and asks`() async throws {
        let (alice, _, _) = try await WebPerson.pair()
        let (browser, _) = try browser(of: alice)
        // The page that is open does not know of it yet, as that of another device.
        let call = try await alice.person.send("POST", "/v1/alarms", "{}")
        #expect(call.status == 201, "\(call.text)")
        let openedAt = try #require(try call.decode([String: JSON].self)["opened_at"]?.string)
        // The page knows a time that the server's clock has passed. The tap is one of after the call by that time too.
        try browser.wait(
            """
            Number(document.body.dataset.now) + performance.now()
              - performance.getEntriesByType('navigation')[0].responseStart > Date.parse('\(openedAt)') + 1
            """)
        let _: Bool = try browser.evaluate(
            """
            const form = Object.assign(document.createElement('form'), {method: 'post', action: '/today'});
            form.append(Object.assign(document.createElement('button'), {name: 'act', value: 'safe'}));
            document.querySelector('main').append(form);
            form.firstChild.click();
            return true
            """)
        try browser.wait("location.pathname === '/help/end'")
        #expect(try browser.text("h1") == "Do you no longer need help?")
        #expect(try browser.evaluate("return document.getElementById('kept').hidden"))
        #expect(try await alice.person.send("GET", "/v1/alarms?status=open").text.contains("\"help\""))
    }

    @Test func `never sends a check-in under another's session`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        let (carol, _, _) = try await WebPerson.pair("Carol", "Dave")
        let (browser, cable) = try browser(of: alice)
        cable.cut()
        try browser.press("button[value=safe]")
        try browser.wait(Self.isKept)
        // Alice's page is still open when Carol signs in.
        try browser.hold(carol)
        cable.mend()
        try browser.open(Browser.address("/today"))
        try browser.waitUntilLive()
        let _: Bool = try browser.evaluate("dispatchEvent(new Event('online')); return true")
        // Carol's own check-in goes through the same outbox.
        try browser.press("button[value=safe]")
        try browser.wait("document.querySelector('h1').innerText === 'You have checked in for today.'")
        #expect(try browser.evaluate("return document.getElementById('kept').hidden"), "it is not Carol's to see")
        #expect(cable.count("POST /today") == 1)
        #expect(try await bob.person.notifications().allSatisfy { $0.type != "ping_completed" })
        // The server refuses it too.
        try await carol.web.open("/today")
        let form = try #require(carol.web.page.form(with: "safe"))
        #expect(try await carol.web.send(form, "safe", [("for", alice.person.id.text)]).status == 403)
        // A night later Alice's sign-in is another one, and the page on which she tapped is gone.
        try await alice.web.signIn(alice.email, alice.house)
        try browser.become(alice)
        try browser.wait("document.querySelector('h1').innerText === 'You have checked in for today.'")
        #expect(try await bob.person.notifications().filter { $0.type == "ping_completed" }.count == 1)
    }

    /// The person who uses the browser, as its modules know.
    private func user(_ browser: Browser) throws -> String? {
        let users: [String] = try browser.evaluate(
            """
            return new Promise((done) => {
              indexedDB.open('kith', 1).onsuccess = ({target}) => {
                const facts = target.result.transaction('facts').objectStore('facts').get('facts');
                facts.onsuccess = () => done([facts.result?.user].filter(Boolean));
              };
            })
            """)
        return users.first
    }

    @Test func `forgets who used the browser, and ends its pushes, when the server has signed them out`() async throws {
        let (alice, _, _) = try await WebPerson.pair()
        let (browser, cable) = try browser(of: alice)
        // Without a push service there is no subscription.
        let source = """
            const unsubscribe = async () => Boolean(localStorage.ended = 'yes');
            if (globalThis.ServiceWorkerContainer) ServiceWorkerContainer.prototype.getRegistration = async () =>
              ({pushManager: {getSubscription: async () => ({unsubscribe})}});
            """
        try browser.command("Page.addScriptToEvaluateOnNewDocument", ["source": source])
        try browser.open(Browser.address("/me"))
        try browser.waitUntilLive()
        cable.cut()
        try browser.press("button[value=sign-out]")
        // The browser has a page of its own for a form that could not be sent.
        try browser.wait("location.protocol !== 'http:'")
        try browser.open(Browser.address("/me"))
        try browser.wait("!document.getElementById('offline-check-in').hidden")
        #expect(try user(browser)?.lowercased() == alice.person.id.text.lowercased())
        #expect(try browser.evaluate("return localStorage.ended === undefined"))
        cable.mend()
        try browser.open(Browser.address("/me"))
        try browser.waitUntilLive()
        try browser.press("button[value=sign-out]")
        try browser.wait("localStorage.ended === 'yes'")
        let end = Date() + 60
        while try user(browser) != nil, Date() < end { usleep(20_000) }
        #expect(try user(browser) == nil)
    }

    @Test func `asks before a sign-out that leaves a check-in behind`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        let (browser, cable) = try browser(of: alice)
        cable.cut()
        try browser.press("button[value=safe]")
        try browser.wait(Self.isKept)
        // The form of the screen Me.
        let _: Bool = try browser.evaluate(
            """
            const form = Object.assign(document.createElement('form'), {method: 'post', action: '/me'});
            form.append(Object.assign(document.createElement('button'), {name: 'act', value: 'sign-out'}));
            document.querySelector('main').append(form);
            setTimeout(() => form.firstChild.click());
            return true
            """)
        let end = Date() + 60
        var asked = ""
        while asked.isEmpty, Date() < end { asked = (try? browser.answerDialog(accept: false)) ?? "" }
        #expect(asked.hasPrefix("A check-in on this device has not been sent yet"))
        #expect(try browser.evaluate("return \(Self.isKept)"))
        cable.mend()
        let _: Bool = try browser.evaluate("dispatchEvent(new Event('online')); return true")
        try browser.wait("document.getElementById('kept').hidden")
        #expect(try await bob.person.notifications().filter { $0.type == "ping_completed" }.count == 1)
    }

    @Test func `sends a tap whose answer was lost with the same key`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        try await alice.web.open("/today")
        let form = try #require(alice.web.page.form(with: "safe"))
        let tapped = Day.now.addingTimeInterval(-5).ISO8601Format()
        for _ in 0..<2 {
            try await alice.web.send(
                form, "safe", [("for", alice.person.id.text), ("tapped_at", tapped), ("key", "0123456789abcdef")])
            #expect(alice.web.page.path == "/today")
        }
        #expect(try await bob.person.notifications().filter { $0.type == "ping_completed" }.count == 1)
        let late = Day.now.addingTimeInterval(-8 * 86400).ISO8601Format()
        #expect(try await alice.web.send(form, "safe", [("tapped_at", late), ("key", "f")]).status == 422)
    }

    @Test func `shows a push, even when no page does anything`() async throws {
        let (alice, _, _) = try await WebPerson.pair()
        let (browser, _) = try browser(of: alice)
        try browser.command(
            "Browser.grantPermissions", ["origin": "http://localhost", "permissions": ["notifications"]])
        try browser.command("ServiceWorker.enable", [:])
        // The content is that of `WebPushPayload`. No vendor's service is reachable here, so the browser is told that
        // it has arrived.
        let push = #"{"title":"Bob","body":"Bob has not checked in.","data":{"type":"ping_missed"}}"#
        let end = Date() + 60
        var shown: [String] = []
        while shown.isEmpty, Date() < end {
            // On a busy machine the browser may stop its worker at that moment, and loses what it was told.
            try browser.command(
                "ServiceWorker.deliverPushMessage",
                ["origin": "http://localhost/", "registrationId": "0", "data": push])
            let patience = Date() + 5
            while shown.isEmpty, Date() < patience {
                shown = try browser.evaluate(
                    """
                    return navigator.serviceWorker.ready.then((worker) => worker.getNotifications())
                      .then((all) => all.map(({ title, body }) => title + ": " + body))
                    """)
            }
        }
        #expect(Set(shown) == ["Bob: Bob has not checked in."])
    }

    @Test func `has a manifest of the tenant's brand`() async throws {
        let house = try webHouse.get()
        let answer = try await house.client.exchange("GET", "/manifest.webmanifest?t=acme&l=de")
        #expect(answer.headers["content-type"] == "application/manifest+json")
        let manifest = try JSONDecoder().decode(Manifest.self, from: answer.body)
        #expect(manifest.lang == "de" && manifest.start_url == "/today" && !manifest.name.isEmpty)
        for icon in manifest.icons { #expect(try await house.client.exchange("GET", icon.src).status == 200) }
        #expect(try await house.client.exchange("GET", "/manifest.webmanifest?t=nobody").status == 404)
        let worker = try await house.client.exchange("GET", "/worker.js?t=acme&l=en")
        #expect(worker.headers["cache-control"] == "no-cache")
    }

    private struct Manifest: Decodable {
        let name: String
        let lang: String
        let start_url: String
        let icons: [Icon]

        struct Icon: Decodable { let src: String }
    }
}
