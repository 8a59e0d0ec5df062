import Contacts
import Counterparts
import EventLoop
import Foundation
import Synchronization
import Testing

@testable import Delivery

@Suite struct `An e-mail` {
    static func settings(_ more: String = "", port: Int = 587) throws -> EmailSettings {
        let json = #"{"host":"127.0.0.1","port":\#(port),"from":"hello@pruuf.app"\#(more)}"#
        guard case .email(let email) = try ChannelSettings(channel: "email", json: Array(json.utf8)) else {
            throw ChannelSettingsError([])
        }
        return email
    }

    static func message(
        to address: String = "bob@example.com", subject: String? = "Hello", text: String = "Hello, Bob",
        purpose: String = "notification"
    ) -> Message {
        Message(id: "d-1", channel: "email", purpose: purpose, address: address, subject: subject, text: text)
    }

    private static func email(_ message: Message, _ more: String = "") throws -> Email {
        let to = try #require(MailAddress(message.address))
        return Email(settings: try settings(more), message: message, to: to, date: 1_795_262_400_000_000)
    }

    private static func head(_ message: Message, _ more: String = "") throws -> String {
        try email(message, more).headers.map { $0 + "\r\n" }.joined()
    }

    @Test func `has header fields, a plain text and an HTML form`() throws {
        let email = try Self.email(
            Self.message(text: "Dear <Bob>,\n\nsee https://pruuf.app/a?b=1&c=2.\nÄ"),
            #","from_name":"PRUUF \"daily\"","reply_to":"help@pruuf.app""#)
        #expect(
            email.headers == [
                "Date: Sat, 21 Nov 2026 12:00:00 +0000",
                "From: \"PRUUF \\\"daily\\\"\"\r\n <hello@pruuf.app>",
                "To: <bob@example.com>",
                "Subject: Hello",
                "Message-ID: <d-1@pruuf.app>",
                "Auto-Submitted: auto-generated",
                "Reply-To: <help@pruuf.app>",
            ])
        #expect(email.forms.map(\.type) == ["text/plain; charset=utf-8", "text/html; charset=utf-8"])
        #expect(email.forms[0].text == "Dear <Bob>,\n\nsee https://pruuf.app/a?b=1&c=2.\nÄ")
        let html = """
            <p dir="auto">Dear &lt;Bob&gt;,</p>
            <p dir="auto">see <a href="https://pruuf.app/a?b=1&amp;c=2">https://pruuf.app/a?b=1&amp;c=2</a>.<br>
            Ä</p>
            """
        #expect(email.forms[1].text.contains(html), "\(email.forms[1].text)")
    }

    @Test func `tells how to unsubscribe, unless it carries a code`() throws {
        let both = #","unsubscribe_url":"https://pruuf.app/stop?who={address}","unsubscribe_address":"stop@pruuf.app""#
        let text = try Self.head(Self.message(to: "b+c@example.com"), both)
        #expect(
            text.contains(
                """
                List-Unsubscribe: <https://pruuf.app/stop?who=b%2Bc%40example.com>,\r
                 <mailto:stop@pruuf.app?subject=unsubscribe>\r
                List-Unsubscribe-Post: List-Unsubscribe=One-Click\r

                """))
        let mailOnly = try Self.head(Self.message(), #","unsubscribe_address":"stop@pruuf.app""#)
        #expect(mailOnly.contains("\r\nList-Unsubscribe: <mailto:stop@pruuf.app?subject=unsubscribe>\r\n"))
        #expect(!mailOnly.contains("List-Unsubscribe-Post"))
        #expect(!(try Self.head(Self.message())).contains("List-Unsubscribe"))
        #expect(!(try Self.head(Self.message(purpose: "sign_in_code"), both)).contains("List-Unsubscribe"))
    }

    @Test(
        arguments: [
            "Hello\r\nBcc: mallory@example.com", "Hello\nBcc: mallory@example.com", "Hello\rBcc: mallory@example.com",
            "Hello\u{2028}Bcc: mallory@example.com", "Hello\0Bcc: mallory@example.com",
            String(repeating: "long ", count: 50) + "\r\nBcc: mallory@example.com",
        ]) func `gets no additional header field from its subject`(_ subject: String) throws
    {
        let text = try Self.head(Self.message(subject: subject))
        // Each line begins with one of our fields or continues one.
        let ours = ["Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted"]
        for line in text.components(separatedBy: CharacterSet.newlines) where !line.isEmpty {
            #expect(line.hasPrefix(" ") || ours.contains { line.hasPrefix("\($0):") }, "\(line)")
        }
    }

    @Test(
        arguments: [
            "Größe", "=?utf-8?B?SGk=?=", "👩‍👩‍👧‍👦 " + String(repeating: "Familie ", count: 30),
            String(repeating: "a", count: 200),
            "مرحبا بك في العالم الواسع من حولنا جميعا اليوم",
        ]) func `has a subject that every mail program decodes`(_ subject: String) throws
    {
        let text = HeaderText.unstructured(subject)
        var read: [UInt8] = []
        for word in text.components(separatedBy: "\r\n ") {
            #expect(word.utf8.count <= 75)
            let match = try #require(word.wholeMatch(of: /=\?utf-8\?B\?([A-Za-z0-9+\/=]+)\?=/))
            let bytes = try #require(Data(base64Encoded: String(match.1)))
            // Each encoded word is valid UTF-8 by itself.
            #expect(String(data: bytes, encoding: .utf8) != nil)
            read += bytes
        }
        #expect(String(decoding: read, as: UTF8.self) == subject)
    }

    @Test func `shows its text as plain text, without markup`() {
        let page = HTMLText.page(
            title: "<script>",
            text: "<script>alert(1)</script> https://x.example/\"onclick=\"y' javascript:z (https://y.example/).")
        #expect(!page.contains("<script>"))
        #expect(page.contains("<a href=\"https://x.example/&quot;onclick=&quot;y\">"))
        #expect(page.contains("(https://y.example/)."))
        #expect(!page.contains("href=\"javascript"))
        // With a combining mark after it, a character counts as a different one; it must be escaped all the same.
        let marked = HTMLText.page(title: "", text: "https://x.example/\"\u{301}onclick=1// <\u{338}script>")
        for text in ["/\"\u{301}onclick", "<\u{338}script"] {
            #expect(Data(marked.utf8).range(of: Data(text.utf8)) == nil, "\(marked)")
        }
    }

    @Test func `shows the link that opens the app as a link, and the brand before it as text`() {
        let link = "https://links.pruuf.example/open?type=emergency_request&id=019aa5c4-2d31-7a90-b6c2-5e1f0a9d8b74"
        let page = HTMLText.page(
            title: "Emergency Access",
            text: "Bob gets in.\n\nOpen <b>PRUUF & Co to say that you're safe, or to say no: \(link)")
        let escaped = link.replacing("&", with: "&amp;")
        #expect(
            page.contains(
                """
                <p dir="auto">Open &lt;b&gt;PRUUF &amp; Co to say that you&#39;re safe, or to say no: \
                <a href="\(escaped)">\(escaped)</a></p>
                """), "\(page)")
    }

    @Test(
        arguments: [
            "", "bob", "@example.com", "bob@", "bob@@example.com", "b ob@example.com", "bob@exam ple.com",
            "bob@example.com>",
            "<bob@example.com", "bob@example.com\r\nRCPT TO:<x@y>", "bob@example.com,x@y", "\"bob\"@example.com",
            "bob@-x", "bob@x-.example", "bob@example.com.", "bob@example..com",
            ".bob@example.com", "b..ob@example.com", "bob@[127.0.0.1]", "bob\0@example.com", "b\u{2028}ob@example.com",
            "b\u{200B}ob@example.com", "bob@example.com\u{85}", String(repeating: "x", count: 65) + "@example.com",
            "bob@" + String(repeating: "x", count: 260),
        ]) func `is not sent to an invalid address`(_ text: String)
    {
        #expect(MailAddress(text) == nil)
    }

    @Test(arguments: ["bob@example.com", "b.o+b@sub.example.com", "böb@exämple.com", "o'neil@localhost", "{a}|b~@x"])
    func `is sent to any ordinary address`(_ text: String) {
        #expect(MailAddress(text)?.text == text)
    }

    @Test(
        arguments: [
            ("250 2.0.0 Ok: queued as 4XyZ12\r\n", 250, "2.0.0", "4XyZ12"), ("250 Ok\r\n", 250, nil, nil),
            ("421\r\n", 421, nil, nil),
            ("550 5.1.1 <bob@example.com>: no such user\r\n", 550, "5.1.1", nil), ("550 5.1.1.2 x", 550, nil, nil),
        ] as [(String, Int, String?, String?)])
    func `gets a reply with a code and a status`(_ line: String, _ code: Int, _ status: String?, _ queueID: String?)
        throws
    {
        let reply = try #require(MailReply(line, step: .content))
        #expect(reply.code == code)
        #expect(reply.status == status)
        #expect(reply.queueID == queueID)
        #expect(!reply.description.contains("@"))
    }
}

@Suite(.timeLimit(.minutes(5))) struct `An SMTP server` {
    private static let certificate = Servers.certificate

    private static func start(_ arguments: String...) throws -> Counterpart {
        try Counterpart("mail", ["--certificate", certificate.get().pathWithKey] + arguments)
    }

    private static func send(
        _ message: Message, _ server: Counterpart, _ more: String = "", rules: OutboundRules? = nil
    ) async throws -> Result<String?, DeliveryError> {
        let settings = try `An e-mail`.settings(more, port: server.port)
        return try await withTransfers(rules) { transfers in
            do throws(DeliveryError) {
                return .success(try await EmailChannel(settings: settings, transfers: transfers).send(message))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test func `accepts a mail over STARTTLS from a client with the password`() async throws {
        let server = try Self.start("--password", "s3cret")
        let text = "Hello\n.\n..\n.leading dots\nGrüße"
        let message = `An e-mail`.message(subject: "Größe", text: text)
        #expect(
            try await Self.send(message, server, #","username":"kith","password":"s3cret""#) == .success("1"))
        let mail = try #require(try server.log.first)
        #expect(mail["sender"] as? String == "hello@pruuf.app")
        #expect(mail["recipients"] as? [String] == ["bob@example.com"])
        #expect(mail["greeting"] as? String == "pruuf.app")
        #expect(mail["is_encrypted"] as? Bool == true)
        #expect(mail["is_known"] as? Bool == true)
        let data = try #require(mail["data"] as? String)
        #expect(data.contains("\r\nHello\r\n.\r\n..\r\n.leading dots\r\nGr=C3=BC=C3=9Fe\r\n"), "\(data)")
    }

    @Test func `receives one mail in two forms, at the time of the set clock`() async throws {
        let server = try Self.start()
        let settings = try `An e-mail`.settings(port: server.port)
        _ = try await withTransfers(clock: .stopped(at: 1_795_262_400_000_000)) { transfers in
            try await EmailChannel(settings: settings, transfers: transfers).send(
                `An e-mail`.message(subject: "Größe", text: "Hello, Bob"))
        }
        let data = try #require(try server.log.first?["data"] as? String)
        #expect(data.contains("Date: Sat, 21 Nov 2026 12:00:00 +0000\r\n"), "\(data)")
        #expect(data.contains("Subject: =?utf-8?B?R3LDtsOfZQ==?=\r\n"), "\(data)")
        #expect(data.lowercased().contains("mime-version: 1.0\r\n"), "\(data)")
        let type = try #require(
            data.firstMatch(of: /Content-Type: multipart\/alternative;\s+boundary="?([^"\s]+)"?\r\n/))
        let parts = data.components(separatedBy: "\r\n--\(type.1)")
        #expect(parts.count == 4 && parts[3].hasPrefix("--"), "\(data)")
        for (part, media) in zip(parts[1...], ["text/plain", "text/html"]) {
            #expect(part.hasPrefix("\r\nContent-Type: \(media); charset=utf-8\r\n"), "\(part)")
            #expect(part.contains("\r\nContent-Transfer-Encoding: quoted-printable\r\n"), "\(part)")
        }
        #expect(parts[1].hasSuffix("\r\n\r\nHello, Bob"))
    }

    @Test func `receives lines of at most 76 characters, whatever the content`() async throws {
        let server = try Self.start()
        let text =
            "a = b \nends with a space \n\tand a tab\t\n" + String(repeating: "Ä=x ", count: 100) + "\r\n.\n\nFrom here"
        _ = try await Self.send(`An e-mail`.message(text: text), server)
        let data = try #require(try server.log.first?["data"] as? String)
        let type = try #require(data.firstMatch(of: /boundary="?([^"\s]+)"?/))
        let part = try #require(data.components(separatedBy: "\r\n--\(type.1)").dropFirst().first)
        let encoded = part.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
        for line in encoded.components(separatedBy: "\r\n") {
            #expect(line.utf8.count <= 76)
            #expect(!line.hasSuffix(" ") && !line.hasSuffix("\t"))
            #expect(line.utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x09 })
        }
        var read: [UInt8] = []
        var bytes = Array(encoded.replacing("=\r\n", with: "").utf8)[...]
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "=") {
                read.append(UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                bytes = bytes.dropFirst(2)
            } else {
                read.append(byte)
            }
        }
        #expect(
            String(decoding: read, as: UTF8.self)
                == text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n"))
    }

    @Test func `accepts a mail over implicit TLS`() async throws {
        let server = try Self.start("--tls")
        #expect(try await Self.send(`An e-mail`.message(), server, #","encryption":"tls""#) == .success("1"))
        #expect(try server.log.first?["is_encrypted"] as? Bool == true)
    }

    @Test func `gets no mail if it does not support encryption`() async throws {
        let server = try Self.start("--plain")
        guard case .failure(let error) = try await Self.send(`An e-mail`.message(), server) else {
            Issue.record("it was sent")
            return
        }
        #expect(error.kind == .retry())
        #expect(try server.log.allSatisfy { $0["data"] == nil })
    }

    @Test func `gets no mail if its certificate is untrusted or its address is not allowed`() async throws {
        let server = try Self.start()
        let unknown = OutboundRules(allowed: try Servers.rules.allowed)
        let forbidden = OutboundRules(certificates: try Servers.certificate.get().path)
        for rules in [unknown, forbidden] {
            guard case .failure(let error) = try await Self.send(`An e-mail`.message(), server, rules: rules) else {
                Issue.record("it was sent")
                continue
            }
            #expect(error.kind == .retry())
        }
        #expect(try server.log.allSatisfy { $0["data"] == nil })
    }

    @Test(
        arguments: [
            ("rcpt-550-5.1.1@example.com", .final), ("rcpt-451-4.7.1@example.com", .retry()),
            ("rcpt-452-4.2.2@example.com", .retry()), ("data-554-5.6.0@example.com", .final),
            ("data-451-4.3.0@example.com", .retry()), ("no address", .final),
        ] as [(String, DeliveryError.Kind)])
    func `can refuse temporarily or permanently`(_ address: String, _ kind: DeliveryError.Kind) async throws {
        let server = try Self.start()
        guard case .failure(let error) = try await Self.send(`An e-mail`.message(to: address), server) else {
            Issue.record("it was sent")
            return
        }
        #expect(error.kind == kind)
        #expect(!error.description.contains("@"))
        if let reply = address.firstMatch(of: /-(\d+)-([\d.]+)@/) {
            #expect(error.description.contains("\(reply.1) \(reply.2)"), "\(error.description)")
        }
    }

    @Test func `that refuses a password causes a retry, since settings can be corrected`() async throws {
        let server = try Self.start("--password", "s3cret")
        for (credentials, reply) in [(#","username":"kith","password":"wrong""#, "535 5.7.8"), ("", "530 5.7.0")] {
            guard case .failure(let error) = try await Self.send(`An e-mail`.message(), server, credentials) else {
                Issue.record("it was sent")
                continue
            }
            #expect(error.kind == .retry())
            #expect(error.description.contains(reply), "\(error.description)")
            #expect(!error.description.contains("wrong"))
        }
    }

    @Test(arguments: ["bob@example.com", "rcpt-550-5.1.1@example.com"])
    func `that does not answer QUIT delays no other mail`(_ address: String) async throws {
        let server = try Self.start("--mute-quit")
        let settings = try `An e-mail`.settings(port: server.port)
        let longest = try await withTransfers { transfers in
            let channel = EmailChannel(settings: settings, transfers: transfers)
            // Measures how long the loop was blocked.
            let watch = Task(executorPreference: transfers.loop) {
                var (longest, last) = (Duration.zero, ContinuousClock.now)
                while !Task.isCancelled {
                    try? await transfers.loop.sleep(for: .milliseconds(5))
                    longest = max(longest, .now - last)
                    last = .now
                }
                return longest
            }
            for _ in 0..<3 { _ = try? await channel.send(`An e-mail`.message(to: address)) }
            watch.cancel()
            return await watch.value
        }
        // libcurl itself would wait for two minutes.
        #expect(longest < .seconds(20))
    }

    @Test func `that stays silent delays no other mail when sending to it is cancelled`() async throws {
        let server = try Self.start()
        let settings = try `An e-mail`.settings(port: server.port)
        try await withTransfers { transfers in
            let channel = EmailChannel(settings: settings, transfers: transfers)
            let sending = Task(executorPreference: transfers.loop) {
                try? await channel.send(`An e-mail`.message(to: "silent@example.com"))
            }
            while try server.log.isEmpty { try await transfers.loop.sleep(for: .milliseconds(10)) }
            #expect(transfers.count == 1)
            let cancelled = ContinuousClock.now
            sending.cancel()
            #expect(await sending.value == nil)
            // libcurl itself would block the loop until the mail's time is over, after 25 seconds.
            #expect(.now - cancelled < .seconds(20))
            #expect(transfers.count == 0)
        }
    }

    @Test func `gets no mail of which only a part was sent when it was cancelled`() async throws {
        let mood = FileManager.default.temporaryDirectory.appending(path: "kith-mood-\(UUID().uuidString)")
        try "stall".write(to: mood, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: mood) }
        let server = try Self.start("--mood", mood.path)
        let settings = try `An e-mail`.settings(port: server.port)
        let text = String(repeating: "A line of a long mail.\n", count: 50_000)
        let message = `An e-mail`.message(to: "stall@example.com", text: text)
        try await withTransfers { transfers in
            let channel = EmailChannel(settings: settings, transfers: transfers)
            let sending = Task(executorPreference: transfers.loop) { try? await channel.send(message) }
            while try server.log.isEmpty { try await transfers.loop.sleep(for: .milliseconds(10)) }
            sending.cancel()
            // The server then reads on, also if the loop should wait for its answer.
            let isOver = Mutex(false)
            async let reading: Void = Task.detached {
                for _ in 0..<500 where !isOver.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
                try Data().write(to: mood)
            }.value
            #expect(await sending.value == nil)
            isOver.withLock { $0 = true }
            try await reading
            while try server.log.count < 2 { try await transfers.loop.sleep(for: .milliseconds(10)) }
        }
        #expect(try server.log.allSatisfy { $0["data"] == nil })
        #expect(try server.log.last?["lost"] != nil)
    }

    @Test func `accepts many mails at once`() async throws {
        let server = try Self.start()
        let settings = try `An e-mail`.settings(port: server.port)
        let sent = try await withTransfers { transfers in
            let channel = EmailChannel(settings: settings, transfers: transfers)
            return await withTaskGroup(of: String?.self) { group in
                for number in 0..<100 {
                    group.addTask { try? await channel.send(`An e-mail`.message(to: "bob\(number)@example.com")) }
                }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }
        }
        #expect(sent.count == 100)
        #expect(Set(try server.log.compactMap { ($0["recipients"] as? [String])?.first }).count == 100)
    }
}
