import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `A thing with a secret address` {
    /// What `POST /v1/me/signs` answers.
    private struct Sign: Decodable {
        let id: UUID
        let url: String

        /// The address at this server, whatever its public URL is.
        var path: String { String(url[(url.range(of: "/s/")?.lowerBound ?? url.startIndex)...]) }
    }

    private func make(_ kind: String, allowGet: Bool = false, by person: Person) async throws -> Sign {
        try await person.get(
            "POST", "/v1/me/signs", #"{"name":"Kitchen button","kind":"\#(kind)","allow_get":\#(allowGet)}"#,
            status: 201)
    }

    /// How the person's check-ins came, as their export says.
    private func sources(of person: Person) async throws -> [String] {
        struct Export: Decodable {
            struct CheckIn: Decodable { let source: String }
            let check_ins: [CheckIn]
        }
        return try await person.send("GET", "/v1/me/export").decode(Export.self).check_ins.map(\.source)
    }

    @Test func `checks its owner in without a sign-in`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        let button = try await make("check_in", by: pair.alice)
        let answer = try await client.send("POST", button.path)
        #expect(answer.status == 200)
        #expect(answer.text == "OK\n")
        let seen: Kith.Connection = try await pair.bob.get("GET", "/v1/connections/\(pair.connection.text)")
        #expect(seen.lastCheckInSource == .sign)
        #expect(seen.lastCheckInAt != nil)
    }

    @Test func `merges the reports of a minute, from ten at once`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let button = try await make("check_in", by: alice)
        func minute() -> Int { Int(Day.now.timeIntervalSince1970 / 60) }
        let first = minute()
        try await withThrowingTaskGroup { group in
            for _ in 0..<10 { group.addTask { try await client.send("POST", button.path).status } }
            for try await status in group { #expect(status == 200) }
        }
        // One counts in each minute of the clock.
        let most = minute() - first + 1
        let kept = try await sources(of: alice)
        #expect((1...most).contains(kept.count))
    }

    @Test func `that jams is no check-in after twenty reports, and says so`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let button = try await make("check_in", by: alice)
        #expect(try await client.send("POST", button.path).status == 200)
        let jammed = try installation.session().query(
            "update kith.signs set reports = 20, last_used_at = last_used_at - interval '1 minute' where id = $1::uuid",
            [.text(button.id.text)])
        #expect(jammed.affectedRows == 1)
        // The second of these is merged with the first, unless a minute of the clock has begun.
        for _ in 0..<2 {
            let answer = try await client.send("POST", button.path)
            #expect(answer.status == 409)
            #expect(answer.text.contains("its reports are no check-ins"), "\(answer.text)")
        }
        #expect(try await sources(of: alice) == ["sign"])
    }

    @Test(arguments: [
        ["Accept": "application/json"], ["Content-Encoding": "gzip"], ["If-Match": "\"1\""], ["If-None-Match": "*"],
        ["Content-Range": "bytes 0-1/2"], ["Content-Type": "image/jpeg"], [:],
    ])
    func `may send any headers and any body`(headers: [String: String]) async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let button = try await make("check_in", by: alice)
        let body = String(repeating: "x", count: headers.isEmpty ? (1 << 20) - 1 : 20_000)
        #expect(try await client.exchange("POST", button.path, body, headers: headers).status == 200)
        #expect(try await sources(of: alice) == ["sign"])
        let larger = try await client.exchange("POST", button.path, String(repeating: "x", count: (1 << 20) + 1))
        #expect(larger.status == 413)
    }

    @Test func `is not triggered by whatever follows links`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let button = try await make("check_in", by: alice)
        let get = try await client.send("GET", button.path)
        #expect(get.status == 405)
        #expect(get.headers["allow"] == "POST")
        let open = try await make("check_in", allowGet: true, by: alice)
        #expect(try await client.exchange("HEAD", open.path).status == 405)
        let unmeant = [
            ("Sec-Purpose", "prefetch;prerender"), ("Purpose", "preview"), ("Purpose", "prefetch"),
            ("X-Purpose", "preview"), ("X-Moz", "prefetch"), ("Sec-Fetch-Dest", "image"),
        ]
        let agents = [
            "facebookexternalhit/1.1", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
            "WhatsApp/2.23.20.0",
            "TelegramBot (like TwitterBot)", "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
            "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com",
            """
            Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 \
            Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0
            """, "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "Synapse (bot; +https://matrix.org)",
        ]
        for (name, value) in unmeant + agents.map({ ("User-Agent", $0) }) {
            #expect(try await client.send("GET", open.path, headers: [name: value]).status == 405, "\(name): \(value)")
        }
        #expect(try await sources(of: alice) == [])
        #expect(try await sources(of: alice) == [])
        // Things, and a phone whose maker is called Cubot.
        for agent in [
            "ESP8266HTTPClient", "curl/8.5.0", "SwitchBot/6.1", "Fingerbot Plus",
            "Mozilla/5.0 (Linux; Android 11; CUBOT NOTE 20) Mobile",
        ] {
            let answer = try await client.send("GET", open.path, headers: ["User-Agent": agent])
            #expect(answer.status == 200, "\(agent)")
        }
        #expect(try await sources(of: alice).contains("sign"))
    }

    @Test func `that notices activity checks nobody in, and is seen where the sender shares it`() async throws {
        let (installation, _, client) = try shared.get()
        let pair = try await Pair(installation.acme, client)
        let door = try await make("activity", by: pair.alice)
        #expect(try await client.send("POST", door.path).status == 200)
        let path = "/v1/connections/\(pair.connection.text)"
        let hidden: Kith.Connection = try await pair.bob.get("GET", path)
        #expect(hidden.lastSign == nil)
        #expect(try await pair.bob.send("PATCH", path, #"{"share_activity":true}"#).status == 403)
        #expect(try await pair.alice.send("PATCH", path, #"{"share_activity":true}"#).status == 200)
        let before: Kith.Connection = try await pair.bob.get("GET", path)
        #expect(before.lastSign == nil, "what happened before is not shown")
        // A second thing, because reports of the first one within a minute are merged.
        let window = try await make("activity", by: pair.alice)
        #expect(try await client.send("POST", window.path).status == 200)
        let seen: Kith.Connection = try await pair.bob.get("GET", path)
        #expect(seen.lastSign?.kind == .activity)
        #expect(seen.lastSign?.name == "Kitchen button")
        #expect(seen.lastCheckInAt == nil)
    }

    @Test func `is unknown once it has ended, and if it never was`() async throws {
        let (installation, _, client) = try shared.get()
        let alice = try await Person.join(installation.acme, as: "Alice", client)
        let button = try await make("check_in", by: alice)
        let door = try await make("activity", by: alice)
        for thing in [button, door] {
            // One that has just reported is not remembered as one that exists.
            #expect(try await client.send("POST", thing.path).status == 200)
            #expect(try await alice.send("DELETE", "/v1/me/signs/\(thing.id.text)").status == 204)
        }
        for path in [
            button.path, door.path, "/s/1-\(String(repeating: "0", count: 32))", "/s/x", "/s/0-1", "/s/99999999999-ab",
        ] {
            #expect(try await client.send("POST", path).status == 404, "\(path)")
        }
    }
}
