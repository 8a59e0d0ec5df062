import Foundation
import KithClient
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
        try browser.wait("document.querySelector('h1').innerText === 'You’re safe today.'")
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
        try browser.wait("document.querySelector('h1').innerText === 'You’re safe today.'")
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
        try browser.wait("document.querySelector('h1').innerText === 'You’re safe today.'")
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
        try browser.wait("document.querySelector('h1').innerText === 'You’re safe today.'")
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
