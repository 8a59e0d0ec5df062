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
        try bob.press("#alarms a.button")
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
        #expect(try alice.text("#page").contains("Somebody is looking after you: Bob."))
        try alice.press("button[value=safe]")
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
}
