import ChildProcesses
import Foundation
import Glibc

/// A headless Chromium driven over WebDriver (W3C): shows what a visitor of a page sees.
///
/// `@unchecked Sendable`: everything is set in `init`; afterwards only one test uses it.
final class Browser: @unchecked Sendable {
    private let driver: ChildProcess
    private let folder = FileManager.default.temporaryDirectory.appending(path: "kith-browser-\(UUID().uuidString)")
    /// The address of the session; empty until there is one, so that `deinit` also cleans up after a failed start.
    private var session = ""

    /// Starts a browser that resolves every host to `server`, so that a page can be opened under its real name, and
    /// that prefers `language`.
    init(everyHostIs server: URL, language: String = "en") throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let log = folder.appending(path: "log")
        // Chromium leaves profiles in the temporary folder, and does not start with a preloaded clock.
        let environment = ProcessInfo.processInfo.environment.filter { $0.key != "LD_PRELOAD" }
        let port: String
        (driver, port) = try Self.startDriver(environment.merging(["TMPDIR": folder.path]) { $1 }, log: log)
        let address = "\(server.host ?? "127.0.0.1"):\(server.port ?? 80)"
        let options: [String: Any] = [
            // Chromium's sandbox needs a user other than root; the pages opened here are our own.
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--host-resolver-rules=MAP * \(address)", "--accept-lang=\(language)",
            ]
        ]
        let capabilities: [String: Any] = [
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL"],
        ]
        let base = "http://127.0.0.1:\(port)/session"
        guard
            let made = try Self.ask(base, "POST", ["capabilities": ["alwaysMatch": capabilities]])
                as? [String: Any],
            let id = made["sessionId"] as? String
        else { throw KithProcess.Failure(description: "chromedriver created no session") }
        session = "\(base)/\(id)"
    }

    deinit {
        // The browser ends only with its session; its driver reacts to no other signal in time.
        if !session.isEmpty { _ = try? Self.ask(session, "DELETE", nil) }
        driver.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Computes the lowest contrast between a text and its background (WCAG 2.2, "contrast ratio").
    static let lowestContrast = """
        const luminance = colour => {
          const [r, g, b] = colour.match(/[0-9.]+/g).map(v => v / 255).map(
            v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ground = element => {
          const colour = getComputedStyle(element).backgroundColor;
          return colour === 'rgba(0, 0, 0, 0)' ? ground(element.parentElement) : colour;
        };
        return Math.min(...[...document.querySelectorAll('main *')].map(element => {
          const [a, b] = [getComputedStyle(element).color, ground(element)].map(luminance).sort((a, b) => b - a);
          return (a + 0.05) / (b + 0.05);
        }));
        """

    /// Opens an address and waits until it is loaded.
    func open(_ address: String) throws {
        _ = try Self.ask("\(session)/url", "POST", ["url": address])
    }

    /// Presses the back button, and waits until the page is loaded.
    func back() throws {
        _ = try Self.ask("\(session)/back", "POST", nil)
    }

    /// Runs a JavaScript function body and returns its result.
    func evaluate<Value>(_ script: String, as: Value.Type = Value.self) throws -> Value {
        let answer = try Self.ask(
            "\(session)/execute/sync", "POST", ["script": script, "args": [Any]()])
        guard let value = answer as? Value else {
            throw KithProcess.Failure(description: "\(script) returned \(String(describing: answer))")
        }
        return value
    }

    /// Fills in the fields of a form by name, clicks its button with that value, and waits for the next page.
    func submit(_ fields: [String: String], button: String) throws {
        for (name, text) in fields {
            let field = try element("input[name=\(name)]")
            _ = try Self.ask("\(field)/clear", "POST", nil)
            _ = try Self.ask("\(field)/value", "POST", ["text": text])
        }
        // A click only begins to leave the page: mark this page, so that the next one can be told apart. As a person
        // would, move the button out from under the navigation.
        let _: Bool = try evaluate(
            """
            document.querySelector('button[value="\(button)"]').scrollIntoView({block: 'center'});
            return window.isLeft = true
            """)
        _ = try Self.ask("\(element("button[value=\(button)]"))/click", "POST", nil)
        let end = Date() + 60
        while Date() < end {
            // Between the two pages there may be nothing to evaluate the script in.
            let isThere: Bool? = try? evaluate("return !window.isLeft && document.readyState === 'complete'")
            if isThere == true { return }
            usleep(20_000)
        }
        throw KithProcess.Failure(description: "the form led to no other page")
    }

    /// The WebDriver address of an element of the page.
    private func element(_ selector: String) throws -> String {
        let found = try Self.ask("\(session)/element", "POST", ["using": "css selector", "value": selector])
        // W3C WebDriver, "Elements": the name of the only member is a constant of the specification.
        guard let id = (found as? [String: Any])?.values.first as? String else {
            throw KithProcess.Failure(description: "there is no \(selector)")
        }
        return "\(session)/element/\(id)"
    }

    /// The console messages of the page and the browser since the last call.
    func console() throws -> [String] {
        let entries = try Self.ask("\(session)/se/log", "POST", ["type": "browser"])
        return (entries as? [[String: Any]])?.compactMap { $0["message"] as? String } ?? []
    }

    /// Sets a cookie for the host of the page.
    func setCookie(_ name: String, _ value: String) throws {
        let cookie: [String: Any] = ["name": name, "value": value, "path": "/", "httpOnly": true, "sameSite": "Lax"]
        _ = try Self.ask("\(session)/cookie", "POST", ["cookie": cookie])
    }

    /// Removes the cookies of the page's host.
    func removeCookies() throws { _ = try Self.ask("\(session)/cookie", "DELETE", nil) }

    /// Opens a tab and goes on in it.
    func openTab() throws {
        let made = try Self.ask("\(session)/window/new", "POST", ["type": "tab"]) as? [String: Any]
        try select(tab: made?["handle"] as? String ?? "")
    }

    /// The names of the open tabs.
    var tabs: [String] {
        get throws { try Self.ask("\(session)/window/handles", "GET", nil) as? [String] ?? [] }
    }

    /// Goes on in another tab.
    func select(tab: String) throws { _ = try Self.ask("\(session)/window", "POST", ["handle": tab]) }

    /// Closes the tab. Go on in another one.
    func closeTab() throws { _ = try Self.ask("\(session)/window", "DELETE", nil) }

    /// Goes back by one page.
    func goBack() throws { _ = try Self.ask("\(session)/back", "POST", [:]) }

    /// Answers the dialog that the page shows, and returns what it says.
    func answerDialog(accept: Bool) throws -> String {
        let text = try Self.ask("\(session)/alert/text", "GET", nil) as? String
        _ = try Self.ask("\(session)/alert/\(accept ? "accept" : "dismiss")", "POST", [:])
        return text ?? ""
    }

    /// Resizes to a screen of that size, of a phone or a computer, in light or dark mode.
    func resize(width: Int, height: Int, isPhone: Bool, isDark: Bool) throws {
        try command(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": isPhone])
        let scheme: [String: Any] = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
        try command("Emulation.setEmulatedMedia", ["features": [scheme]])
    }

    /// Keeps a cookie for the site of the page that is open.
    func keep(cookie name: String, _ value: String) throws {
        let cookie: [String: Any] = ["name": name, "value": value, "path": "/", "httpOnly": true]
        _ = try Self.ask("\(session)/cookie", "POST", ["cookie": cookie])
    }

    /// Writes a picture of the whole page, at most 3,000 pixels high, into a PNG file.
    func picture(to file: URL) throws {
        let size: [Int] = try evaluate(
            "return [document.documentElement.clientWidth, Math.min(3000, document.documentElement.scrollHeight)]")
        let answer = try Self.ask(
            "\(session)/goog/cdp/execute", "POST",
            [
                "cmd": "Page.captureScreenshot",
                "params": [
                    "captureBeyondViewport": true,
                    "clip": ["x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1],
                ] as [String: Any],
            ])
        guard let text = (answer as? [String: Any])?["data"] as? String, let data = Data(base64Encoded: text) else {
            throw KithProcess.Failure(description: "the browser made no picture")
        }
        try data.write(to: file)
    }

    /// Writes what the browser shows to `.build/screenshots`, for people to look at.
    func keepScreenshot(_ name: String) throws {
        guard let text = try Self.ask("\(session)/screenshot", "GET", nil) as? String,
            let image = Data(base64Encoded: text)
        else { throw KithProcess.Failure(description: "chromedriver made no screenshot") }
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".build/screenshots")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try image.write(to: folder.appending(path: "\(name).png"))
    }

    /// Sends a command of the Chrome DevTools Protocol.
    func command(_ name: String, _ parameters: [String: Any]) throws {
        _ = try Self.ask(
            "\(session)/goog/cdp/execute", "POST", ["cmd": name, "params": parameters])
    }

    /// Starts chromedriver on a free port. The driver binds a free port of IPv6, and then the same port of IPv4. If
    /// another process has that one, the driver exits, and this function starts it again.
    private static func startDriver(_ environment: [String: String], log: URL) throws -> (ChildProcess, port: String) {
        let end = Date() + 120
        var text = ""
        var driver: ChildProcess?
        defer { driver?.kill() }
        repeat {
            try? FileManager.default.removeItem(at: log)
            let started = try ChildProcess(
                ["/usr/bin/chromedriver", "--port=0"], environment: environment, output: .file(log.path))
            driver = started
            var isRunning = true
            while isRunning, Date() < end {
                isRunning = started.isRunning
                text = try String(contentsOf: log, encoding: .utf8)
                if let match = text.firstMatch(of: /started successfully on port ([0-9]+)/) {
                    driver = nil
                    return (started, String(match.1))
                }
                usleep(20_000)
            }
        } while text.contains("port not available") && Date() < end
        throw KithProcess.Failure(
            description: "chromedriver did not start (apt-get install chromium-driver installs it); it wrote: \(text)")
    }

    /// Uses curl: chromedriver leaves out a space in its headers that Foundation requires.
    private static func ask(_ url: String, _ method: String, _ body: [String: Any]?) throws -> Any? {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-request-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONSerialization.data(withJSONObject: body ?? [:]).write(to: file)
        let curl = try Tool.run(
            URL(filePath: "/usr/bin/curl"),
            [
                "--silent", "--max-time", "60", "--request", method, "--header", "Content-Type: application/json",
                "--data-binary", "@\(file.path)", url,
            ])
        let data = Data(curl.output.utf8)
        guard let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any] else { return nil }
        if let value = answer["value"] as? [String: Any], value["error"] != nil {
            throw KithProcess.Failure(description: "\(url): \(String(decoding: data, as: UTF8.self).prefix(500))")
        }
        return answer["value"]
    }
}
