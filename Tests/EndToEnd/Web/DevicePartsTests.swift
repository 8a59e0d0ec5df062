import Foundation
import KithClient
import TestThreads
import Testing

/// What pages do with the parts of a device, in a real Chromium: pushes, dropped files, the clipboard, sharing, the
/// clock and the time zone.
@Suite(.mayBlock) struct `The web client and its device` {
    private func allow(_ permissions: [String], _ browser: Browser) throws {
        try browser.command(
            "Browser.grantPermissions", ["origin": "http://localhost", "permissions": permissions])
    }

    /// Runs a script in every page before its own.
    private func prepare(_ browser: Browser, _ script: String) throws {
        try browser.command("Page.enable", [:])
        try browser.command("Page.addScriptToEvaluateOnNewDocument", ["source": script])
    }

    private func shown(_ browser: Browser) throws -> [String] {
        try browser.evaluate(
            """
            return [...document.querySelectorAll('[data-push], [data-push-says]')].filter(part => !part.hidden)
              .map(part => part.dataset.pushSays ?? 'offer')
            """)
    }

    @Test func `get pushes by one button, or say why not`() async throws {
        let dave = try await WebPerson.join("Dave", tenant: "globex")
        #expect(try await dave.web.open("/me/devices").text.contains("Pushes to browsers are not set up here."))
        let alice = try await WebPerson.join("Alice")
        let browser = try Browser(everyHostIs: alice.house.client.base)
        try browser.become(alice, at: "/me/devices")
        try browser.wait("navigator.serviceWorker.controller")
        try browser.wait("!document.querySelector('form[data-push]').hidden")
        #expect(try shown(browser) == ["offer"])
        #expect(try browser.barriers() == [])
        try browser.command(
            "Browser.setPermission",
            ["permission": ["name": "notifications"], "setting": "denied", "origin": "http://localhost"])
        try browser.open(Browser.address("/me/devices"))
        try browser.wait("!document.querySelector('[data-push-says=blocked]').hidden")
        #expect(try shown(browser) == ["blocked"])
        try allow(["notifications"], browser)
        try browser.open(Browser.address("/me/devices"))
        try browser.wait("!document.querySelector('form[data-push]').hidden")
        #expect(try shown(browser) == ["offer"])
        // A page that is brought up to date stays as the browser has made it.
        try browser.waitUntilLive()
        #expect(try await alice.person.send("PATCH", "/v1/me", #"{"display_name":"Alicia"}"#).status == 200)
        _ = try await alice.person.send(
            "PUT", "/v1/me/devices", #"{"platform":"ios","token":"\#(String(repeating: "ab", count: 32))"}"#)
        try browser.wait("document.body.innerText.includes('Phone or tablet')")
        #expect(try shown(browser) == ["offer"])
        // As Chromium does where its push service is out of reach.
        let _: Bool = try browser.evaluate(
            """
            PushManager.prototype.subscribe = async () => {
              throw new DOMException('Registration failed - push service error', 'AbortError')
            };
            return true
            """)
        try browser.press("button[value=subscribe]")
        try browser.wait("!document.querySelector('[data-push-says=failed]').hidden")
        #expect(try shown(browser) == ["failed"])
        try prepare(
            browser,
            """
            const bytes = new Uint8Array(65).fill(4);
            const subscription = {
              endpoint: 'https://push.example/\(alice.person.id.text)',
              toJSON: () => ({ endpoint: subscription.endpoint, keys: {
                p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
                auth: 'BTBZMqHH6r4Tts7J_aSIgg' } }),
            };
            PushManager.prototype.subscribe = async function (options) {
              sessionStorage.pushKey = options.applicationServerKey;
              sessionStorage.visible = options.userVisibleOnly;
              return subscription;
            };
            PushManager.prototype.getSubscription = async () => sessionStorage.pushKey ? subscription : null;
            """)
        try browser.open(Browser.address("/me/devices"))
        try browser.wait("!document.querySelector('form[data-push]').hidden")
        try browser.press("button[value=subscribe]")
        try browser.wait("document.body.innerText.includes('This browser gets pushes now.')")
        try browser.wait("!document.querySelector('[data-push-says=listed]').hidden")
        let key: String = try browser.evaluate("return sessionStorage.pushKey")
        let known = try await alice.person.send("GET", "/v1/me/web-push-key").text
        #expect(known.contains(key))
        #expect(try browser.evaluate("return sessionStorage.visible === 'true'"))
        let devices = try await alice.person.send("GET", "/v1/me/devices").text
        #expect(devices.contains("https://push.example/\(alice.person.id.text)"))
        try browser.press("button[value=remove]")
        try browser.wait("document.body.innerText.includes('The device is removed.')")
        try browser.wait("!document.querySelector('form[data-push]').hidden")
        #expect(!(try await alice.person.send("GET", "/v1/me/devices").text.contains("push.example")))
    }

    @Test func `say on an iPhone that the page goes on the Home Screen first`() async throws {
        let alice = try await WebPerson.join("Alice")
        let browser = try Browser(everyHostIs: alice.house.client.base)
        try prepare(browser, "delete window.PushManager")
        try browser.become(alice, at: "/me/devices")
        try browser.wait("document.querySelector('form[data-push]').hidden")
        #expect(try shown(browser) == ["unsupported"])
        let agent =
            """
            Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile \
            Safari/604.1
            """
        try browser.command("Emulation.setUserAgentOverride", ["userAgent": agent])
        try browser.open(Browser.address("/me/devices"))
        try browser.wait("!document.querySelector('[data-push-says=install]').hidden")
        #expect(try shown(browser) == ["install"])
        #expect(try browser.text("[data-push-says=install]").contains("Add to Home Screen"))
        let icon: [String] = try browser.evaluate(
            """
            const icon = document.querySelector('link[rel=apple-touch-icon]').href;
            return (async () => {
              const manifest = await (await fetch(document.querySelector('link[rel=manifest]').href)).json();
              const sizes = [];
              for (const src of [icon, ...manifest.icons.filter(icon => icon.type === 'image/png').map(icon => icon.src)]) {
                const picture = await createImageBitmap(await (await fetch(src)).blob());
                sizes.push(`${picture.width}x${picture.height}`);
              }
              return sizes;
            })()
            """)
        #expect(icon == ["180x180", "192x192", "512x512"])
        // The pictures are the icon, on a ground that fills the square. `make icons` draws them.
        let difference: Double = try browser.evaluate(
            """
            return (async () => {
              const draw = async source => {
                const image = new Image();
                image.src = source;
                await image.decode();
                const context = new OffscreenCanvas(180, 180).getContext('2d');
                context.fillStyle = '#0842a0';
                context.fillRect(0, 0, 180, 180);
                context.drawImage(image, 0, 0, 180, 180);
                return context.getImageData(0, 0, 180, 180).data;
              };
              const one = await draw(document.querySelector('link[rel=apple-touch-icon]').href);
              const other = await draw(document.querySelector('link[rel=icon]').href);
              return one.reduce((sum, value, index) => sum + Math.abs(value - other[index]), 0) / one.length + 0.0001;
            })()
            """)
        #expect(difference < 2)
    }

    @Test func `take files that are dropped, and count down while a vault is open`() async throws {
        let alice = try await WebPerson.join("Alice")
        let vault = try await alice.person.makeVault("Papers")
        try await alice.person.open(vault)
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-drop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["Will.txt", "House.txt"].map { folder.appending(path: $0) }
        for file in files { try Data("Content of \(file.lastPathComponent)".utf8).write(to: file) }
        let browser = try Browser(everyHostIs: alice.house.client.base)
        try browser.become(alice, at: "/vaults/\(vault.id.text)/upload")
        func drag(_ type: String) throws {
            // The page may move once it is live.
            let place: [Double] = try browser.evaluate(
                """
                const box = document.querySelector('form[data-upload]').getBoundingClientRect();
                return [box.x + box.width / 2 + 0.25, box.y + box.height / 2 + 0.25]
                """)
            let data: [String: Any] = ["items": [Any](), "files": files.map(\.path), "dragOperationsMask": 1]
            try browser.command(
                "Input.dispatchDragEvent", ["type": type, "x": place[0], "y": place[1], "data": data])
        }
        try browser.waitUntilLive()
        try drag("dragEnter")
        let isOver = "document.querySelector('form[data-upload]').hasAttribute('data-dropping')"
        let end = Date() + 60
        // As a hand that holds files over the page: a browser that is busy can lose the first events, that of the entry
        // too, without which it takes no others.
        repeat {
            try drag("dragEnter")
            try drag("dragOver")
        } while try !browser.evaluate("return \(isOver)") && Date() < end
        try browser.wait(isOver)
        try drag("drop")
        try browser.wait("document.querySelector('input[type=file]').files.length === 2")
        #expect(
            !(try browser.evaluate("return document.querySelector('form[data-upload]').hasAttribute('data-dropping')")))
        try browser.press("form[data-upload] button")
        try browser.wait("document.body.innerText.includes('2 documents were added.')")
        let stored: Kith.DocumentPage = try await alice.person.get("GET", "/v1/vaults/\(vault.id.text)/documents")
        #expect(Set(stored.items.map(\.name)) == ["Will.txt", "House.txt"])
        // The page leads to the vault, which counts down on the server's clock.
        try browser.wait("/^[0-9]{2}:[0-9]{2}$/.test(document.querySelector('time[data-countdown]').textContent)")
        let left: String = try browser.evaluate("return document.querySelector('time[data-countdown]').textContent")
        #expect(left >= "25:00" && left <= "30:00", "\(left)")
        #expect(try browser.barriers() == [])
        // At the end it is loaded anew.
        let _: Bool = try browser.evaluate(
            """
            window.isOld = true;
            const real = performance.now.bind(performance);
            performance.now = () => real() + 3_600_000;
            return true
            """)
        try browser.wait("!window.isOld")
    }

    @Test func `copy a link, and hand it to another app`() async throws {
        let alice = try await WebPerson.join("Alice")
        let vault = try await alice.person.makeVault("Papers")
        let browser = try Browser(everyHostIs: alice.house.client.base)
        try prepare(browser, "navigator.share = async data => { window.shared = data.text }")
        try browser.become(alice, at: "/vaults/\(vault.id.text)/nominees/invite")
        try allow(["clipboardReadWrite", "clipboardSanitizedWrite"], browser)
        try browser.submit(["name": "Bob"], button: "invite")
        let link: String = try browser.evaluate("return document.getElementById('link').value")
        #expect(link.contains("/i/"))
        #expect(try browser.barriers() == [])
        try browser.press("button[data-copy]")
        try browser.wait("document.querySelector('button[data-copy]').textContent.includes('copied')")
        // What others do meanwhile leaves the link, which is shown only once, where it is.
        try browser.waitUntilLive()
        let bob = try await WebPerson.join("Bob")
        let nominee = try await alice.person.invite("Carol", to: vault)
        try await bob.person.accept(nominee)
        try browser.wait("document.getElementById('nav').innerText.includes('unread')")
        #expect(try browser.evaluate("return document.getElementById('link').value") == link)
        let copied: String = try browser.evaluate("return navigator.clipboard.readText()")
        #expect(copied == link)
        try browser.press("button[data-share]")
        let shared: String = try browser.evaluate("return window.shared")
        #expect(shared.contains(link))
    }

    @Test func `propose the time zone of the device to somebody new`() async throws {
        let alice = try await WebPerson.join("Alice")
        let browser = try Browser(everyHostIs: alice.house.client.base)
        try browser.command("Emulation.setTimezoneOverride", ["timezoneId": "Europe/Oslo"])
        try browser.become(alice, at: "/me/sender")
        // Also after the page has been brought up to date.
        try browser.waitUntilLive()
        try browser.wait("document.getElementById('time_zone').value")
        #expect(try browser.evaluate("return document.getElementById('time_zone').value") == "Oslo")
        #expect(try browser.barriers() == [])
        try browser.submit([:], button: "save")
        let user: Kith.User = try await alice.person.get("GET", "/v1/me")
        // The name that tzdata has for it since 2022.
        #expect(user.timeZone == "Europe/Berlin")
        // What is chosen is not changed by another device.
        try browser.open(Browser.address("/me/sender"))
        #expect(try browser.evaluate("return document.getElementById('time_zone').value") == "Berlin, Germany")
    }

    @Test func `propose the city of the device with its country where there are others of that name`() async throws {
        let alice = try await WebPerson.join("Alice")
        let browser = try Browser(everyHostIs: alice.house.client.base)
        try browser.command("Emulation.setTimezoneOverride", ["timezoneId": "America/Argentina/Cordoba"])
        try browser.become(alice, at: "/me/sender")
        try browser.waitUntilLive()
        try browser.wait("document.getElementById('time_zone').value")
        #expect(try browser.evaluate("return document.getElementById('time_zone').value") == "Cordoba, Argentina")
        try browser.submit([:], button: "save")
        let user: Kith.User = try await alice.person.get("GET", "/v1/me")
        #expect(user.timeZone == "America/Argentina/Cordoba")
    }

    @Test func `follow the events from where the first page ends, without fetching it again`() async throws {
        let (alice, bob, _) = try await WebPerson.pair()
        let cable = try Cable(before: bob.house.client)
        let browser = try Browser(everyHostIs: cable.url)
        try browser.become(bob)
        try browser.waitUntilLive()
        let before = cable.count("GET /today")
        // Another page, whose stream goes on where the first screen ends.
        try browser.open(Browser.address("/today"))
        try browser.waitUntilLive()
        #expect(try await alice.person.send("POST", "/v1/pings/check-in", "{}").status == 200)
        try browser.wait("document.getElementById('page').innerText.includes('Safe: checked in')")
        #expect(before == 1, "the first page is fetched once")
        #expect(cable.count("GET /today") - before >= 2, "an event brings it up to date")
    }
}
