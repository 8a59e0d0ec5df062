import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `Live pages` {
    private func checkIn(_ person: WebPerson, _ body: String = "{}") async throws {
        #expect(try await person.person.send("POST", "/v1/pings/check-in", body).status == 200)
    }

    @Test func `show what somebody else does, and leave the reader where they are`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        let cable = try Cable(before: bob.house.client)
        let browser = try Browser(everyHostIs: cable.url)
        try browser.become(bob)
        try browser.waitUntilLive()
        #expect(try browser.text("#page").contains("Not yet checked in."))
        let _: Bool = try browser.evaluate(
            """
            window.isSame = true;
            const link = document.querySelector('#page a');
            link.focus();
            link.dataset.seen = 'yes';
            return true
            """)
        try await checkIn(alice)
        try browser.wait("document.getElementById('page').innerText.includes('Safe: checked in')")
        #expect(try browser.evaluate("return window.isSame"), "the page is not loaded anew")
        #expect(
            try browser.evaluate("return document.activeElement === document.querySelector('#page a')"),
            "what had the focus keeps it")
        #expect(try browser.text("#current").hasPrefix("Updated at "))
        let said: String = try browser.evaluate("return document.getElementById('said').textContent")
        #expect(said.contains("Safe: checked in"))
        #expect(try browser.text("#nav").contains("unread"), "the number of unread notifications is live too")
        #expect(try browser.barriers() == [])
        let messages = try browser.console()
        #expect(messages == [])
    }

    @Test func `say since when they are not live, and catch up`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        let cable = try Cable(before: bob.house.client)
        let browser = try Browser(everyHostIs: cable.url)
        try browser.become(bob)
        try browser.waitUntilLive()
        #expect(try browser.text("#stream") == "")
        cable.cut()
        try browser.wait("document.getElementById('stream').innerText")
        #expect(try browser.text("#stream").contains(/^Not live since 12:[0-9]{2}; trying again\.$/))
        #expect(try browser.barriers() == [])
        try await checkIn(alice)
        cable.mend()
        try browser.waitUntilLive()
        #expect(try browser.text("#stream") == "")
        try browser.wait("document.getElementById('page').innerText.includes('Safe: checked in')")
    }

    @Test func `are fetched anew when a quarter of an hour begins, though nothing has happened`() async throws {
        let (_, bob, _) = try await WebPerson.pair()
        let cable = try Cable(before: bob.house.client)
        let browser = try Browser(everyHostIs: cable.url)
        try browser.become(bob)
        try browser.waitUntilLive()
        let before = cable.count("GET /today")
        let _: Bool = try browser.evaluate(
            """
            const now = Date.now;
            Math.random = () => 0;
            Date.now = () => now() + 900_000;
            return true
            """)
        let end = Date() + 60
        while cable.count("GET /today") == before, Date() < end { usleep(20_000) }
        #expect(cable.count("GET /today") > before)
    }

    @Test func `are not called live while what has happened cannot be fetched`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        let browser = try Browser(everyHostIs: bob.house.client.base)
        try browser.become(bob)
        try browser.waitUntilLive()
        let _: Bool = try browser.evaluate(
            """
            window.ownFetch = fetch;
            window.fetch = (address, how) =>
              String(address).includes('/today') ? Promise.reject(new TypeError('no page')) : ownFetch(address, how);
            return true
            """)
        try await checkIn(alice)
        try browser.wait("document.getElementById('stream').innerText.startsWith('Not live since')")
        #expect(try browser.text("#page").contains("Not yet checked in."))
        let _: Bool = try browser.evaluate("window.fetch = ownFetch; return true")
        try browser.wait("document.getElementById('page').innerText.includes('Safe: checked in')")
        try browser.waitUntilLive()
        #expect(try browser.text("#stream") == "")
    }

    @Test func `keep what is typed into a form, and put it into no other`() async throws {
        let (_, bob, _) = try await WebPerson.pair()
        let browser = try Browser(everyHostIs: bob.house.client.base)
        try browser.become(bob)
        try browser.waitUntilLive()
        let typed: [String] = try browser.evaluate(
            """
            const made = (name, what) => Object.assign(document.createElement(name), what);
            const region = (act) => {
              const form = made('form', {});
              form.append(made('input', {name: 'note'}), made('button', {name: 'act', value: act}));
              const part = made('div', {});
              part.append(form);
              return part;
            };
            const address = performance.getEntriesByType('resource').find(({name}) => name.includes('/assets/regions-')).name;
            return import(address).then(({morph}) => {
              const shown = region('note');
              shown.querySelector('input').value = 'She is at home';
              const after = (act) => {
                morph(shown, region(act));
                return shown.querySelector('input').value;
              };
              return [after('note'), after('resolve')];
            })
            """)
        #expect(typed == ["She is at home", ""])
    }

    @Test func `count down to the end that a part has now`() async throws {
        let (_, bob, _) = try await WebPerson.pair()
        let browser = try Browser(everyHostIs: bob.house.client.base)
        try browser.become(bob)
        try browser.waitUntilLive()
        let _: Bool = try browser.evaluate(
            """
            window.at = (seconds) => new Date(Number(document.body.dataset.now) + seconds * 1000).toISOString();
            window.clock = document.createElement('time');
            clock.setAttribute('datetime', at(100_000));
            clock.dataset.countdown = '';
            document.querySelector('main').append(clock);
            dispatchEvent(new Event('kith-shown'));
            return true
            """)
        try browser.wait("clock.innerText.startsWith('27:4')")
        let _: Bool = try browser.evaluate("clock.setAttribute('datetime', at(200_000)); return true")
        try browser.wait("clock.innerText.startsWith('55:')")
    }

    @Test func `share one stream among all tabs`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        let cable = try Cable(before: bob.house.client)
        let browser = try Browser(everyHostIs: cable.url)
        try browser.become(bob)
        try browser.waitUntilLive()
        let first = try #require(try browser.tabs.first)
        try browser.openTab()
        try browser.open(Browser.address("/today"))
        try browser.waitUntilLive()
        #expect(cable.count("GET /live/events") == 1)
        let second = try #require(try browser.tabs.first { $0 != first })
        try await checkIn(alice)
        for tab in [first, second] {
            try browser.select(tab: tab)
            try browser.wait("document.getElementById('page').innerText.includes('Safe: checked in')")
        }
        #expect(cable.count("GET /live/events") == 1)
        // When the tab that reads the stream closes, the other one reads on.
        try browser.select(tab: first)
        try browser.closeTab()
        try browser.select(tab: second)
        try browser.waitUntilLive()
        try await checkIn(alice, #"{"note":"Back from my walk","share_note":true}"#)
        try browser.wait("document.getElementById('page').innerText.includes('Back from my walk')")
        #expect(cable.count("GET /live/events") == 2)
    }

    @Test func `show nothing private by the back button after a sign-out`() async throws {
        let (_, bob, _) = try await WebPerson.pair()
        let browser = try Browser(everyHostIs: bob.house.client.base)
        try browser.become(bob)
        try browser.waitUntilLive()
        #expect(try browser.text().contains("Alice"))
        let out = try await bob.person.send("POST", "/v1/auth/sign-out", #"{"everywhere":true}"#)
        #expect(out.status == 204)
        // The stream ends with the sign-in, and the page with the stream.
        try browser.wait("location.pathname === '/sign-in'")
        try browser.goBack()
        #expect(!(try browser.text().contains("Alice")))
    }

    @Test func `are read by this site's pages alone`() async throws {
        let (alice, _, _) = try await WebPerson.pair()
        let cookie = alice.web.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        for path in ["/live/session", "/live/events"] {
            let stranger = try await alice.house.client.exchange("GET", path)
            #expect(stranger.status == 401)
            for site in ["cross-site", "same-site", "none"] {
                let answer = try await alice.house.client.exchange(
                    "GET", path, headers: ["Cookie": cookie, "Sec-Fetch-Site": site])
                #expect(answer.status == 403)
            }
        }
        let own = try await alice.house.client.exchange(
            "GET", "/live/session", headers: ["Cookie": cookie, "Sec-Fetch-Site": "same-origin"])
        #expect(own.status == 200)
        #expect(own.text.contains(alice.person.id.text))
        #expect(own.headers["cache-control"] == "no-store")
    }
}
