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
        #expect(try browser.text("#current").hasPrefix("As of "))
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
