import Foundation
import KithClient
import TestThreads
import Testing

/// Alarms in real browsers, one for each person.
@Suite(.mayBlock) struct `Live alarms` {
    private func browser(of person: WebPerson, at path: String) throws -> Browser {
        let browser = try Browser(everyHostIs: person.house.client.base)
        try browser.become(person, at: path)
        try browser.waitUntilLive()
        return browser
    }

    /// Looks at a page as a phone of 320 pixels shows it.
    private func look(at browser: Browser, _ name: String) throws {
        try browser.resize(width: 320, height: 640, isPhone: true, isDark: false)
        let width: Int = try browser.evaluate("return document.documentElement.scrollWidth")
        #expect(width <= 320, "\(name) scrolls sideways")
        #expect(try browser.findings() == [], "\(name)")
        if let folder = ProcessInfo.processInfo.environment["KITH_SCREENSHOTS"].map({ URL(filePath: $0) }) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try browser.picture(to: folder.appending(path: "\(name).png"))
        }
    }

    @Test func `show to everybody within a second who takes one, and ask nobody who was removed`() async throws {
        let stage = try await AlarmStage()
        let bob = try browser(of: stage.bob, at: "/people")
        let carol = try browser(of: stage.carol, at: "/me")
        let path = try await stage.help()
        for one in [bob, carol] {
            try one.wait("document.getElementById('alarms').innerText.includes('Alice needs help')")
            #expect(try one.barriers() == [])
        }
        try bob.press("#alarms a")
        try bob.wait("location.pathname === '\(path)'")
        try bob.waitUntilLive()
        try look(at: bob, "alarm-open")
        try carol.open(Browser.address(path))
        try carol.waitUntilLive()
        // Carol's own clock measures from the moment at which the server has answered Bob.
        let _: Bool = try carol.evaluate(
            """
            new MutationObserver(() => {
              if (!window.seenAt && document.getElementById('page').innerText.includes('another receiver')) window.seenAt = Date.now();
            }).observe(document.body, { childList: true, subtree: true, characterData: true });
            return true
            """)
        try bob.press("button[value=take]")
        try bob.wait("document.querySelector('button[value=release]')")
        let takenAt: Int = try bob.evaluate("return Math.round(performance.timeOrigin)")
        try carol.wait("window.seenAt")
        let seenAt: Int = try carol.evaluate("return window.seenAt")
        #expect(seenAt - takenAt < 1000, "\(seenAt - takenAt) ms")
        #expect(try carol.evaluate("return !document.querySelector('button[value=take]')"))
        let said: String = try carol.evaluate("return document.getElementById('said').textContent")
        #expect(said.contains("Somebody is looking after Alice"), "\(said)")
        // Whoever is removed keeps nothing of it on the screen.
        #expect(
            try await stage.alice.person.send("DELETE", "/v1/connections/\(stage.connections.carol)").status == 204)
        try carol.wait("!document.body.innerText.includes('Alice needs help')")
        #expect(!(try carol.text("main").contains("Alice")))
        let alice = try browser(of: stage.alice, at: "/today")
        try look(at: alice, "today-alarm")
        #expect(try alice.text("#page").contains(/Somebody is looking after you, since [0-9:]+: Bob\./))
        #expect(try await stage.alice.person.send("POST", "/v1/pings/check-in", "{}").status == 200)
        try bob.wait("document.getElementById('page').innerText.includes('is over')")
    }

    @Test func `are not called by a second tap that was meant for the page before`() async throws {
        let stage = try await AlarmStage()
        let browser = try browser(of: stage.alice, at: "/today")
        try look(at: browser, "today-help")
        try browser.open(Browser.address("/help"))
        // In the first moment the button takes no pointer.
        let _: Bool = try browser.evaluate(
            """
            const button = document.querySelector('.deliberate');
            button.style.animation = 'none';
            button.getBoundingClientRect();
            button.style.animation = '';
            window.first = getComputedStyle(button).pointerEvents;
            return true
            """)
        #expect(try browser.evaluate("return window.first") == "none")
        try browser.wait("getComputedStyle(document.querySelector('.deliberate')).pointerEvents === 'auto'")
        // The keyboard reaches it, and the way back is there.
        try browser.press("button.deliberate")
        try browser.wait("location.pathname.startsWith('/alarms/')")
        #expect(try browser.barriers() == [])
    }

    @Test(arguments: Browser.sizes)
    func `are not ended by a second tap at the place of the first, in any language`(width: Int, height: Int)
        async throws
    {
        let stage = try await AlarmStage()
        let browser = try browser(of: stage.alice, at: "/today")
        try browser.resize(width: width, height: height, isPhone: width < 500, isDark: false)
        func isOpen(_ path: String) async throws -> Bool {
            try await stage.alice.person.send("GET", "/v1\(path)").text.contains(/"status" ?: ?"open"/)
        }
        for language in ["en", "de"] {
            _ = try await stage.alice.person.send("PATCH", "/v1/me", #"{"locale":"\(language)"}"#)
            try browser.open(Browser.address("/help"))
            try browser.wait("getComputedStyle(document.querySelector('.deliberate')).pointerEvents === 'auto'")
            let call = try browser.place(of: "button.urgent")
            try browser.tap(call)
            try browser.wait("location.pathname.startsWith('/alarms/')")
            try browser.tap(call)
            try browser.tap(call)
            #expect(try browser.meets(call, "button[value=safe], button[value=end], a.first[href='/help/end']") == [])
            let path: String = try browser.evaluate("return location.pathname")
            try look(at: browser, "alarm-own-\(language)-\(width)")
            try browser.resize(width: width, height: height, isPhone: width < 500, isDark: false)
            for page in [path, "/today"] {
                try browser.open(Browser.address(page))
                let way = try browser.place(of: "a.first[href='/help/end']")
                try browser.tap(way)
                try browser.wait("location.pathname === '/help/end'")
                try browser.tap(way)
                #expect(try browser.meets(way, "button[value=end], button[value=false-alarm]") == [])
                // Wherever the first page was scrolled to, and the second is.
                for button in ["end", "false-alarm"] {
                    #expect(try browser.place(of: "button[value=\(button)]")[0] >= way[2])
                }
                // Somebody taps the answer as soon as the page is there, however slow the machine is.
                let _: Bool = try browser.evaluate(
                    "document.querySelector('[name=asked]').value = '\(AlarmStage.justNow)'; return true")
                try browser.tap(try browser.place(of: "button[value=end]"))
                #expect(try await isOpen(path), "\(language) \(page)")
                try browser.open(Browser.address("/help/end"))
                try look(at: browser, "help-end-\(language)-\(width)")
                try browser.resize(width: width, height: height, isPhone: width < 500, isDark: false)
            }
            try browser.open(Browser.address("/help/end"))
            try browser.wait("document.querySelector('button[value=end]')")
            let _: Bool = try browser.evaluate(
                "document.querySelector('[name=asked]').value = '\(AlarmStage.longAgo)'; return true")
            try browser.wait("getComputedStyle(document.querySelector('button[value=end]')).pointerEvents === 'auto'")
            // An event may move the button between its measurement and a tap.
            try browser.press("button[value=end]")
            try browser.wait("location.pathname === '/today'")
            #expect(try await !isOpen(path))
        }
    }

    @Test func `ask nobody anew, whether they want to end a call, because something has happened meanwhile`()
        async throws
    {
        let stage = try await AlarmStage()
        let path = try await stage.help()
        let alice = try browser(of: stage.alice, at: "/help/end")
        try alice.waitUntilLive()
        let asked = AlarmStage.longAgo
        let _: Bool = try alice.evaluate(
            """
            document.querySelector('[name=asked]').value = '\(asked)';
            addEventListener('kith-shown', () => window.isShownAnew = true);
            return true
            """)
        #expect(try await stage.bob.person.send("POST", "/v1\(path)/take", "{}").status == 200)
        try alice.wait("window.isShownAnew")
        #expect(try alice.evaluate("return document.querySelector('[name=asked]').value") == asked)
        try alice.press("button[value=end]")
        try alice.wait("location.pathname === '/today'")
    }

    @Test(arguments: Browser.sizes)
    func `and vaults have no big button that takes an act back where it was tapped`(width: Int, height: Int)
        async throws
    {
        let stage = try await AlarmStage()
        let vault = try await stage.alice.person.makeVault("Papers")
        let path = try await stage.help()
        let bob = try browser(of: stage.bob, at: path)
        try bob.resize(width: width, height: height, isPhone: width < 500, isDark: false)
        let take = try bob.place(of: "button[value=take]")
        try bob.tap(take)
        try bob.wait("document.querySelector('button[value=release]')")
        #expect(try bob.meets(take, "button[value=release]") == [])
        let release = try bob.place(of: "button[value=release]")
        try bob.wait("getComputedStyle(document.querySelector('button[value=release]')).pointerEvents === 'auto'")
        try bob.tap(release)
        try bob.wait("location.pathname === '/alarms'")
        #expect(try bob.meets(release, "button[value=take]") == [])
        let alice = try browser(of: stage.alice, at: "/vaults/\(vault.id.text)")
        try alice.resize(width: width, height: height, isPhone: width < 500, isDark: false)
        for (act, back) in [("open", "lock"), ("lock", "open")] {
            try alice.wait("document.querySelector('button[value=\(act)]')")
            let place = try alice.place(of: "button[value=\(act)]")
            try alice.press("button[value=\(act)]")
            try alice.wait("document.querySelector('button[value=\(back)]')")
            let other = try alice.place(of: "button[value=\(back)]")
            #expect(other[0] >= place[2] || other[2] <= place[0], "\(act): \(place), \(back): \(other)")
        }
    }
}
