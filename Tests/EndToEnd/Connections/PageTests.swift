import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `The join page` {
    /// A tenant with pages of its own. Each test makes one, because a host belongs to one tenant.
    private func tenant(
        _ slug: String, host: String? = nil, settings: String
    ) async throws -> (Installation.Tenant, APIClient) {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant(slug, host: host)
        let answer = try await client.send("PATCH", "/v1/tenant", settings, as: tenant.secretKey)
        guard answer.status == 200 else { throw KithProcess.Failure(description: answer.text) }
        return (tenant, client)
    }

    /// The page under a tenant's own host, fetched without following redirects or running scripts.
    private func page(_ client: APIClient, _ path: String, host: String? = nil) async throws -> APIClient.Answer {
        try await client.send("GET", path, headers: host.map { ["Host": $0] } ?? [:])
    }

    @Test func `is found by host or by slug, and shows the brand, the code and how to continue`() async throws {
        let (_, client) = try await tenant(
            "hooli", host: "join.hooli.example",
            settings: #"""
                {"brand_name":"Hooli","join_link":"https://join.hooli.example/join","app_link":"https://apps.apple.com/app/hooli/id123456789"}
                """#)
        for (path, host) in [
            ("/join?code=012345", "join.hooli.example"), ("/join?code=012345", "JOIN.hooli.example:8443"),
            ("/join?code=012345&t=hooli", nil), ("/join?utm_source=sms&code=012345&t=hooli&t=acme", nil),
            ("/join?code=012345&t=acme", "join.hooli.example"),
        ] {
            let answer = try await page(client, path, host: host)
            #expect(answer.status == 200, "\(path) \(host ?? "")")
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            #expect(answer.text.contains("<h1>You’re invited to Hooli</h1>"))
            #expect(answer.text.contains(#"<a class="button" href="https://apps.apple.com/app/hooli/id123456789">"#))
            #expect(answer.text.contains("app-id=123456789, app-argument=https://join.hooli.example/join?code=012345"))
            #expect(answer.text.replacing(/<[^>]*>/, with: "").contains("012345"))
            // A link to the page's own host would only reopen the page; from another host it opens the app.
            #expect(answer.text.contains("Already have the app?") == (host == nil))
        }
    }

    @Test(arguments: [
        "", "code=", "code=12345", "code=1234567", "code=12345a", "code=%D9%A1%D9%A2%D9%A3%D9%A4%D9%A5%D9%A6",
        "code=%3Cscript%3E", "code=%00", "code=%ff%fe",
    ])
    func `shows no code if the parameter is not a valid one`(query: String) async throws {
        let (_, _, client) = try shared.get()
        let answer = try await page(client, "/join?t=acme&\(query)")
        #expect(answer.status == 200)
        #expect(answer.text.contains("Ask the person who invited you for their code of six digits."))
        #expect(!answer.text.contains(#"class="code""#))
        #expect(!answer.text.contains("<script"))
    }

    @Test func `does not reveal whether a code exists, and counts no attempt`()
        async throws
    {
        // This test needs its own installation: in the shared one other tests try codes meanwhile.
        let installation = try Installation()
        let (server, client) = try installation.serve()
        defer { server.signal(SIGTERM) }
        let bob = try await Person.join(installation.acme, as: "Bob", client)
        let code = try await bob.becomeReceiver().code
        let other = code == "000001" ? "000002" : "000001"
        let attempts = "select count(*) from kith.code_attempts"
        let session = try installation.session()
        let before = try session.query(attempts).int(0, 0)
        let real = try await page(client, "/join?t=acme&code=\(code)").text
        let made = try await page(client, "/join?t=acme&code=\(other)").text
        func digits(_ code: String) -> String { code.map { "<span>\($0)</span>" }.joined() }
        #expect(
            real.replacing(digits(code), with: "").replacing(code, with: "")
                == made.replacing(digits(other), with: "").replacing(other, with: ""))
        #expect(!real.contains("Bob"))
        #expect(try session.query(attempts).int(0, 0) == before)
    }

    @Test func `escapes the tenant's name and links`() async throws {
        let (_, client) = try await tenant(
            "quotes",
            settings: #"""
                {"brand_name":"<b>\"A&B\"</b>'s","join_link":"https://a.example/j?a=1&b='onclick='alert(1)",
                "app_link":"https://a.example/'onclick='alert(1)"}
                """#)
        let text = try await page(client, "/join?t=quotes&code=012345").text
        #expect(text.contains("<h1>You’re invited to &lt;b&gt;&quot;A&amp;B&quot;&lt;/b&gt;&#39;s</h1>"))
        #expect(
            text.contains(
                #"href="https://a.example/j?a=1&amp;b=&#39;onclick=&#39;alert(1)&amp;code=012345""#
            ))
        #expect(text.contains(#"href="https://a.example/&#39;onclick=&#39;alert(1)""#))
        #expect(!text.contains("<script") && !text.contains("<b>"))
    }

    @Test func `leads to the app's link at once if the tenant wants that`() async throws {
        let address = "https://apps.apple.com/app/nakatomi/id123456789"
        let (tenant, client) = try await tenant(
            "nakatomi", host: "join.nakatomi.example", settings: #"{"app_link":"\#(address)","join_redirects":true}"#)
        // A client that follows redirects would leave this machine.
        for (path, host) in [
            ("/join?code=012345", "join.nakatomi.example"), ("/join?t=nakatomi", "127.0.0.1"),
        ] {
            for method in ["GET", "HEAD"] {
                let connection = try RawConnection(client)
                let head = ["\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close", "", ""]
                try connection.send(Array(head.joined(separator: "\r\n").utf8))
                connection.read(1 << 20)
                let lines = connection.text.lowercased().split(separator: "\r\n").map(String.init)
                #expect(lines.first == "http/1.1 302 found")
                #expect(lines.contains("location: \(address)"), "\(connection.text)")
                #expect(lines.contains("cache-control: no-store"))
                #expect(connection.text.hasSuffix("\r\n\r\n"), "there is no body")
            }
        }
        // A link to the page's own host would lead in a circle.
        let circular = try await client.send(
            "PATCH", "/v1/tenant", #"{"app_link":"https://join.nakatomi.example/join"}"#, as: tenant.secretKey)
        #expect(circular.status == 200)
        #expect(try await page(client, "/join?code=012345", host: "join.nakatomi.example").status == 200)
        let nowhere = try await client.send("PATCH", "/v1/tenant", #"{"app_link":null}"#, as: tenant.secretKey)
        #expect((try nowhere.decode(Kith.Problem.self)).errors?.map(\.field) == ["join_redirects"])
        let off = try await client.send(
            "PATCH", "/v1/tenant", #"{"app_link":"\#(address)","join_redirects":false}"#, as: tenant.secretKey)
        #expect(off.text.contains(#""join_redirects" : false"#))
        let shown = try await page(client, "/join?code=012345", host: "join.nakatomi.example")
        #expect(shown.status == 200 && shown.text.contains(address))
    }

    @Test func `reports an unknown or suspended tenant`() async throws {
        let (installation, _, client) = try shared.get()
        for (path, host) in [("/join", nil), ("/join?t=nobody", nil), ("/join?t=A%00", nil), ("/join", "x.example")] {
            let answer = try await page(client, path, host: host)
            #expect(answer.status == 404)
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            #expect(answer.text.contains("<h1>Not Found</h1>"))
        }
        _ = try installation.tenant("unpaid")
        try installation.session().execute("select admin.suspend_tenant('unpaid', 'has not paid')")
        let answer = try await page(client, "/join?t=unpaid")
        #expect(answer.status == 403)
        #expect(answer.text.contains("<h1>Suspended</h1>"))
    }

    @Test(arguments: ["/join?t=acme&code=012345", "/join?t=nobody"])
    func `allows a browser only to show it`(path: String) async throws {
        let (_, _, client) = try shared.get()
        let answer = try await page(client, path)
        let policy = try #require(answer.headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        for rule in ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"] {
            #expect(policy.contains(rule))
        }
        #expect(!policy.contains("unsafe"))
        #expect(answer.headers["referrer-policy"] == "no-referrer")
        #expect(answer.headers["x-content-type-options"] == "nosniff")
        #expect(answer.headers["x-robots-tag"] == "noindex, nofollow")
        #expect(answer.headers["cache-control"] == "no-store")
        #expect(!answer.text.contains(" style=") && !answer.text.contains(" onclick"))
        #expect(try await client.send("HEAD", path).status == answer.status)
        #expect(try await client.send("POST", path, "{}").status == 405)
    }

    @Test func `fits every screen in a browser, is readable in light and dark, and needs no script`() async throws {
        let (_, client) = try await tenant(
            "browsed", host: "join.browsed.example",
            settings: #"""
                {"brand_name":"Nachbarschaftshilfevereinigung Süd-Südwest",
                "app_link":"https://apps.example/browsed"}
                """#)
        let browser = try Browser(everyHostIs: client.base)
        for (width, isPhone) in [(320, true), (390, true), (1280, false)] {
            for isDark in [false, true] {
                try browser.resize(width: width, height: 800, isPhone: isPhone, isDark: isDark)
                try browser.open("http://join.browsed.example/join?code=012345")
                #expect(try browser.console() == [], "a content security policy is violated, or a resource is missing")
                #expect(try browser.evaluate("return document.title", as: String.self).hasPrefix("Join Nachbar"))
                #expect(try browser.evaluate("return document.documentElement.lang") == "en")
                #expect(try browser.evaluate("return document.scripts.length", as: Int.self) == 0)
                #expect(try browser.evaluate("return document.querySelectorAll('h1').length", as: Int.self) == 1)
                #expect(try browser.evaluate("return document.querySelector('.code').innerText") == "012345")
                let ground: String = try browser.evaluate(
                    "return getComputedStyle(document.body).backgroundColor")
                #expect(ground == (isDark ? "rgb(20, 23, 26)" : "rgb(255, 255, 255)"))
                let contrast: Double = try browser.evaluate(Browser.lowestContrast)
                #expect(contrast >= 7, "\(width) \(isDark)")
                if width == 320 { #expect(try browser.barriers() == [], "\(isDark)") }
                #expect(try browser.evaluate("return document.querySelector('.button').offsetHeight >= 44"))
                // Text at twice the size, as a phone can be set to.
                for size in ["100%", "200%"] {
                    let overflow: Int = try browser.evaluate(
                        """
                        document.documentElement.style.fontSize = '\(size)';
                        return document.documentElement.scrollWidth - document.documentElement.clientWidth
                        """)
                    #expect(overflow == 0, "\(width) at \(size)")
                }
            }
        }
    }
}

@Suite(.mayBlock) struct `The page behind a notification's link` {
    @Test func `says where to answer, shows nothing of the notification, and allows a browser only to show it`()
        async throws
    {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("dunder", host: "links.dunder.example")
        let settings = try await client.send(
            "PATCH", "/v1/tenant", #"{"brand_name":"<b>Dunder","app_link":"https://apps.example/dunder"}"#,
            as: tenant.secretKey)
        #expect(settings.status == 200)
        let about = "type=emergency_request&id=\(UUID().text)"
        for (path, host) in [
            ("/open?\(about)", "links.dunder.example"), ("/open?\(about)&t=dunder", nil), ("/open?t=dunder", nil),
            ("/open?type=%3Cscript%3E&id=%00&t=dunder", nil),
        ] {
            let answer = try await client.send("GET", path, headers: host.map { ["Host": $0] } ?? [:])
            #expect(answer.status == 200, "\(path)")
            #expect(answer.text.contains("<h1>Open &lt;b&gt;Dunder</h1>"))
            #expect(answer.text.contains(#"<a class="button" href="https://apps.example/dunder">"#))
            // Only the link into the web client names what it is about, and only where that can be.
            let browser = /<a href="(\/sign-in\?next=[^"]*)">/
            let place = path.contains("emergency") ? "%2Fgo%2Femergency_request%2F" : "%2Fmessages&amp;t=dunder"
            #expect(try #require(answer.text.firstMatch(of: browser)?.1).contains(place))
            let shown = answer.text.replacing(browser, with: "")
            #expect(!shown.contains("emergency") && !answer.text.contains("<script"))
            #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
            #expect(answer.headers["cache-control"] == "no-store")
        }
        for (path, host) in [("/open", nil), ("/open?t=nobody", nil), ("/open", "x.example")] {
            #expect(try await client.send("GET", path, headers: host.map { ["Host": $0] } ?? [:]).status == 404)
        }
        #expect(try await client.send("POST", "/open?t=dunder", "{}").status == 405)
    }
}

@Suite(.mayBlock) struct `An address without a page` {
    @Test(arguments: ["/nowhere", "/v1/nowhere", "/join/x", "/i/%ff"])
    func `answers a browser with a page and a program with a problem document`(path: String)
        async throws
    {
        let (_, _, client) = try shared.get()
        let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        let page = try await client.send("GET", path, headers: ["Accept": accept])
        #expect(page.status == 404)
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["vary"] == "Accept-Language, Accept, Accept-Encoding")
        #expect(page.text.contains("<h1>Not Found</h1>"))
        for accept in ["*/*", "application/json", "application/problem+json, text/html"] {
            let answer = try await client.send("GET", path, headers: ["Accept": accept])
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.code == "not_found")
        }
        let call = try await client.send("GET", "/v1/auth/refresh", headers: ["Accept": accept])
        #expect(call.status == 405)
        #expect(call.headers["allow"] == "POST")
        #expect(call.text.contains("<h1>Method Not Allowed</h1>"))
        // A client that asks for JSON gets a problem document, whatever its User-Agent.
        let refused = try await client.send("GET", "/v1/me", headers: ["Accept": "application/json"])
        #expect(refused.headers["content-type"] == "application/problem+json")
    }

    @Test func `is accessible in a browser, as is the reference page`() async throws {
        let (_, _, client) = try shared.get()
        let browser = try Browser(everyHostIs: client.base)
        for (path, title) in [
            ("/nowhere", "Not Found"), ("/v1/auth/refresh", "Method Not Allowed"), ("/join?t=nobody", "Not Found"),
            ("/docs", "Kith API"),
        ] {
            try browser.resize(width: 390, height: 800, isPhone: true, isDark: path == "/nowhere")
            try browser.open("http://kith.example\(path)")
            #expect(try browser.evaluate("return document.title", as: String.self) == title)
            #expect(try browser.evaluate("return document.documentElement.lang") == "en")
            #expect(try browser.evaluate("return document.querySelector('h1').innerText") == title)
            // Check only the first of the many similar operations: axe-core takes its time for each element.
            let _: Bool = try browser.evaluate(
                """
                for (const area of document.querySelectorAll('section'))
                  for (const call of [...area.querySelectorAll('article')].slice(2)) call.remove();
                return true
                """)
            #expect(try browser.barriers() == [], "\(path)")
            #expect(try browser.evaluate(Browser.lowestContrast, as: Double.self) >= 7, "\(path)")
        }
    }
}

@Suite(.mayBlock) struct `The association file` {
    @Test func `names the tenant's apps for its host`() async throws {
        let (installation, _, client) = try shared.get()
        let tenant = try installation.tenant("piedpiper", host: "links.piedpiper.example")
        let path = "/.well-known/apple-app-site-association"
        let host = ["Host": "links.piedpiper.example"]
        #expect(try await client.send("GET", path, headers: host).code == "not_found")
        _ = try await client.send(
            "PATCH", "/v1/tenant", #"{"app_ids":["ABCDE12345.example.piedpiper","ABCDE12345.example.beta"]}"#,
            as: tenant.secretKey)
        let answer = try await client.send("GET", path, headers: host)
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"] == "application/json")
        let apps = #"["ABCDE12345.example.piedpiper","ABCDE12345.example.beta"]"#
        #expect(
            answer.text == #"{"applinks":{"details":[{"appIDs":\#(apps),"#
                + #""components":[{"/":"/join"},{"/":"/i/*"},{"/":"/open"}]}]},"webcredentials":{"apps":\#(apps)}}"#)
        #expect(try await client.send("GET", path).code == "not_found")
        let settings = try await client.send("GET", "/v1/tenant", as: tenant.secretKey)
        #expect(settings.text.contains(#""universal_link_host" : "links.piedpiper.example""#))
        // A tenant that could claim these hosts would show its pages there, even on Kith's own.
        for host in ["localhost", "links.piedpiper.example", "free.example"] {
            let other = try await client.send(
                "PATCH", "/v1/tenant", #"{"universal_link_host":"\#(host)"}"#, as: installation.globex.secretKey)
            #expect(other.status == 422)
            #expect((try other.decode() as Kith.Problem).errors?.map(\.field) == ["universal_link_host"])
        }
        #expect(throws: KithProcess.Failure.self) {
            try installation.set(installation.globex, "universal_link_host=links.piedpiper.example")
        }
    }
}
