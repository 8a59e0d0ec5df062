import Foundation
import KithClient
import KithServer
import TestThreads
import Testing

@Suite(.mayBlock) struct `Documents on the web` {
    private func openVault(_ name: String = "Papers") async throws -> (WebPerson, Kith.Vault) {
        let alice = try await WebPerson.join("Alice")
        let vault = try await alice.person.makeVault(name)
        try await alice.person.open(vault)
        return (alice, vault)
    }

    private func documents(of vault: Kith.Vault, _ alice: WebPerson) async throws -> [Kith.Document] {
        let page: Kith.DocumentPage = try await alice.person.get("GET", "/v1/vaults/\(vault.id.text)/documents")
        return page.items
    }

    @Test func `are added several at once, once, and named harmlessly`() async throws {
        let (alice, vault) = try await openVault()
        let long = String(repeating: "ä", count: 200)
        let names = ["Will.txt", "<script>alert(1)</script>.html", "عقد‏.pdf", "\"quoted\".txt", long]
        try await alice.web.open("/vaults/\(vault.id.text)/upload")
        let form = try #require(alice.web.page.forms.first { $0.html.contains("type=\"file\"") })
        for _ in 0..<2 {
            try await alice.web.upload(names.map { ($0, "text/plain", "Content of \($0)\r\n--\r\n") }, with: form)
            #expect(alice.web.page.path == "/vaults/\(vault.id.text)")
            #expect(alice.web.page.text.contains("5 documents were added."))
        }
        let stored = try await documents(of: vault, alice)
        #expect(Set(stored.map(\.name)) == Set(names))
        #expect(!alice.web.page.html.contains("<script>"))
        for document in stored {
            let page = try await alice.web.open("/vaults/\(vault.id.text)/documents/\(document.id.text)")
            #expect(page.heading == document.name)
            #expect(!page.html.contains("<script>"))
            let file = try await alice.web.open("/vaults/\(vault.id.text)/documents/\(document.id.text)/file")
            #expect(file.html == "Content of \(document.name)\r\n--\r\n")
            #expect(file.headers["content-disposition"]?.hasPrefix("attachment; ") == true)
            #expect(file.headers["x-content-type-options"] == "nosniff")
            #expect(file.headers["content-security-policy"]?.hasPrefix("sandbox") == true)
        }
    }

    @Test func `that were chosen before a sign-in ended are not lost without a word`() async throws {
        let (alice, vault) = try await openVault()
        let path = "/vaults/\(vault.id.text)/upload"
        try await alice.web.open(path)
        let form = try #require(alice.web.page.forms.first { $0.html.contains("type=\"file\"") })
        // The page was open for too long: its token is of an earlier sign-in.
        try await alice.web.upload([("a.txt", "text/plain", "a")], with: form, [("form", "0123")])
        #expect(alice.web.page.status == 403)
        #expect(alice.web.page.text.contains("Choose the files once more."))
        #expect(!alice.web.page.text.contains("Please send it again"))
        let out = try await alice.person.send("POST", "/v1/auth/sign-out", #"{"everywhere":true}"#)
        #expect(out.status == 204)
        try await alice.web.upload([("a.txt", "text/plain", "a")], with: form)
        #expect(alice.web.page.path.hasPrefix("/sign-in?next="))
        #expect(alice.web.page.text.contains("Your files have not been sent: choose them once more afterwards."))
        let before = try alice.house.mailbox.items(for: alice.email).count
        try await alice.web.press("code", [("contact", alice.email)])
        try await alice.web.press("sign-in", [("code", alice.house.newCode(to: alice.email, after: before))])
        #expect(alice.web.page.path == "\(path)?again=1")
        #expect(alice.web.page.text.contains("Choose the files once more."))
    }

    @Test func `are refused one by one, with the reason`() async throws {
        let (alice, vault) = try await openVault()
        try await alice.web.open("/vaults/\(vault.id.text)/upload")
        try await alice.web.upload([])
        #expect(alice.web.page.status == 422 || alice.web.page.status == 403)
        try await alice.web.upload([("", "application/octet-stream", "")])
        #expect(alice.web.page.status == 422)
        #expect(alice.web.page.text.contains("Choose at least one file."))
        let large = String(repeating: "0123456789abcde\n", count: (25 << 20) / 16)
        try await alice.web.upload([
            ("a.txt", "text/plain", "a"), ("large.txt", "text/plain", large + "!"), ("full.txt", "text/plain", large),
            (String(repeating: "n", count: 300), "text/plain", "n"), ("z.txt", "nonsense", "z"),
        ])
        #expect(alice.web.page.status == 413)
        #expect(alice.web.page.text.contains("3 documents were added."))
        #expect(
            alice.web.page.text.contains("large.txt was not added: A document’s content has at most 25 MiB.")
                || alice.web.page.text.contains("large.txt was not added: A document's content has at most 25 MiB."))
        #expect(alice.web.page.html.components(separatedBy: "was not added").count == 3)
        let stored = try await documents(of: vault, alice)
        #expect(Set(stored.map(\.name)) == ["a.txt", "full.txt", "z.txt"])
        #expect(stored.first { $0.name == "full.txt" }?.size == 25 << 20)
        #expect(stored.first { $0.name == "z.txt" }?.contentType == "application/octet-stream")
        // More files than a form may have.
        try await alice.web.open("/vaults/\(vault.id.text)/upload")
        try await alice.web.upload((1...22).map { ("\($0).txt", "text/plain", "\($0)") })
        #expect(alice.web.page.text.contains("20 documents were added."))
        #expect(alice.web.page.text.contains("Send at most 20 files at once."))
    }

    @Test func `are stored only for this site's own form, and only in an open vault`() async throws {
        let (alice, vault) = try await openVault()
        try await alice.web.open("/vaults/\(vault.id.text)/upload")
        let form = try #require(alice.web.page.forms.first { $0.html.contains("type=\"file\"") })
        try await alice.web.upload([("a.txt", "text/plain", "a")], with: form, [("form", "00")])
        #expect(alice.web.page.status == 403)
        #expect(alice.web.page.text.contains("Choose the files once more."))
        let broken = try await alice.house.client.exchange(
            "POST", form.action, "--x\r\nno part",
            headers: [
                "Content-Type": "multipart/form-data; boundary=x",
                "Cookie": alice.web.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "),
            ])
        #expect(broken.status == 403, "what has no token changes nothing")
        let typeless = try await alice.house.client.exchange(
            "POST", form.action, "x",
            headers: [
                "Content-Type": "text/plain",
                "Cookie": alice.web.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "),
            ])
        #expect(typeless.status == 415)
        #expect(try await alice.person.send("POST", "/v1/vaults/\(vault.id.text)/lock").status == 200)
        try await alice.web.upload([("b.txt", "text/plain", "b")], with: form)
        #expect(alice.web.page.status == 423)
        #expect(alice.web.page.text.contains("b.txt was not added"))
        try await alice.person.open(vault)
        #expect(try await documents(of: vault, alice).isEmpty)
        // Without a sign-in the files are not kept, but one gets back to the page.
        let out = try await alice.person.send("POST", "/v1/auth/sign-out", #"{"everywhere":true}"#)
        #expect(out.status == 204)
        try await alice.web.upload([("c.txt", "text/plain", "c")], with: form)
        #expect(alice.web.page.path.hasPrefix("/sign-in?next=%2Fvaults%2F"))
    }

    @Test func `are read within bounds, whatever a form holds`() async throws {
        let (alice, vault) = try await openVault()
        try await alice.web.open("/vaults/\(vault.id.text)/upload")
        let form = try #require(alice.web.page.forms.first { $0.html.contains("type=\"file\"") })
        // Ten thousand files are one refusal.
        try await alice.web.upload((1...10_000).map { ("\($0).txt", "text/plain", "a") }, with: form)
        #expect(alice.web.page.status == 413)
        #expect(alice.web.page.html.components(separatedBy: "Send at most 20 files at once.").count == 2)
        #expect(alice.web.page.html.utf8.count < 64 << 10)
        // So are fields with long names, and many fields.
        let name = String(repeating: "n", count: 15_000)
        try await alice.web.upload([], with: form, (1...30).map { ("\($0)\(name)", "") })
        #expect(alice.web.page.status == 413)
        try await alice.web.upload([], with: form, (1...1000).map { ("f\($0)", "") })
        #expect(alice.web.page.status == 413)
        #expect(try await documents(of: vault, alice).count == 20)
        // Nothing is read before the token.
        let files = (1...10).map {
            "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"\($0)\"\r\n\r\na\r\n"
        }
        let early = try await alice.house.client.exchange(
            "POST", form.action, files.joined() + "--x--\r\n",
            headers: [
                "Content-Type": "multipart/form-data; boundary=x",
                "Cookie": alice.web.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "),
            ])
        #expect(early.status == 403)
        #expect(try await documents(of: vault, alice).count == 20)
    }

    @Test func `come in one form at a time, which ends with the sign-in of its person`() async throws {
        let (alice, vault) = try await openVault()
        let page = try await alice.web.open("/vaults/\(vault.id.text)/upload")
        let form = try #require(page.forms.first { $0.html.contains("type=\"file\"") })
        let fields = form.fields.filter { $0.0 != "files" }.map { field in
            "--x\r\nContent-Disposition: form-data; name=\"\(field.0)\"\r\n\r\n\(field.1)\r\n"
        }
        func file(_ name: String) -> String {
            "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"\(name)\"\r\n\r\n\(name)\r\n"
        }
        let first = fields.joined() + file("one.txt") + "--x\r\n"
        let rest = String((file("two.txt") + file("three.txt")).dropFirst("--x\r\n".count)) + "--x--\r\n"
        let connection = try RawConnection(alice.house.client)
        let head = [
            "POST \(form.action) HTTP/1.1", "Host: localhost", "Connection: close",
            "Content-Type: multipart/form-data; boundary=x", "Content-Length: \(first.utf8.count + rest.utf8.count)",
            "Cookie: \(alice.web.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))",
        ]
        try connection.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n" + first).utf8))
        while try await documents(of: vault, alice).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        // The other form of the same person waits for its turn.
        try await alice.web.upload([("other.txt", "text/plain", "a")], with: form)
        #expect(alice.web.page.status == 429)
        #expect(alice.web.page.text.contains("You are sending files already."))
        #expect(try await alice.person.send("POST", "/v1/auth/sign-out", #"{"everywhere":true}"#).status == 204)
        try connection.send(Array(rest.utf8))
        connection.read(1 << 20)
        #expect(connection.text.hasPrefix("HTTP/1.1 303 "))
        #expect(connection.text.contains("\r\nLocation: /sign-in?next="))
        let token: Kith.AccessToken = try await alice.house.client.get(
            "POST", "/v1/tokens", #"{"user_id":"\#(alice.person.id)"}"#, as: alice.house.installation.acme.secretKey,
            status: 201)
        let again: Kith.DocumentPage = try await alice.house.client.get(
            "GET", "/v1/vaults/\(vault.id.text)/documents", as: token.accessToken)
        #expect(again.items.map(\.name) == ["one.txt"])
    }

    @Test func `are renamed, replaced, deleted and restored`() async throws {
        let (alice, vault) = try await openVault()
        try await alice.web.open("/vaults/\(vault.id.text)/upload")
        try await alice.web.upload([("Will.txt", "text/plain", "first")])
        let document = try #require(try await documents(of: vault, alice).first)
        let path = "/vaults/\(vault.id.text)/documents/\(document.id.text)"
        try await alice.web.open(path)
        try await alice.web.press("rename", [("name", "Last will.txt")])
        #expect(alice.web.page.heading == "Last will.txt")
        try await alice.web.open("\(path)/replace")
        try await alice.web.upload([("Other.txt", "text/plain", "second")])
        #expect(alice.web.page.path == path)
        #expect(alice.web.page.heading == "Last will.txt")
        #expect(try await alice.web.open("\(path)/file").html == "second")
        try await alice.web.open("\(path)/delete")
        #expect(alice.web.page.text.contains("Last will.txt is no longer in the vault."))
        let form = try #require(alice.web.page.form(with: "delete"))
        for _ in 0..<2 {
            try await alice.web.send(form, "delete")
            #expect(alice.web.page.text.contains("The document is deleted."))
        }
        #expect(try await documents(of: vault, alice).isEmpty)
        try await alice.web.open("/vaults/\(vault.id.text)/documents/deleted")
        try await alice.web.press("restore")
        #expect(alice.web.page.heading == "Last will.txt")
        #expect(alice.web.page.text.contains("The document is back."))
    }

    @Test func `are shown in a sandbox, and only where that is safe`() async throws {
        let (alice, vault) = try await openVault()
        try await alice.web.open("/vaults/\(vault.id.text)/upload")
        try await alice.web.upload([
            ("Note.txt", "text/plain; charset=utf-8", "<script>alert(1)</script>"),
            ("Page.html", "text/html", "<script>alert(1)</script>"), ("Drawing.svg", "image/svg+xml", "<svg/>"),
            ("Paper.pdf", "application/pdf", "%PDF-1.4"), ("Photo.png", "IMAGE/PNG", "not really"),
        ])
        for document in try await documents(of: vault, alice) {
            let path = "/vaults/\(vault.id.text)/documents/\(document.id.text)"
            let isShown = document.name == "Note.txt" || document.name == "Photo.png"
            let page = try await alice.web.open("\(path)?show")
            #expect(page.html.contains("\(path)/preview") == isShown)
            #expect(page.text.contains("cannot be shown here safely") == !isShown)
            let preview = try await alice.web.open("\(path)/preview")
            #expect(preview.status == (isShown ? 200 : 415), "\(document.name)")
            guard isShown else { continue }
            #expect(preview.headers["content-security-policy"] == "sandbox; default-src 'none'; frame-ancestors 'self'")
            #expect(preview.headers["x-content-type-options"] == "nosniff")
            let type = document.name == "Note.txt" ? "text/plain; charset=utf-8" : "image/png"
            #expect(preview.headers["content-type"] == type)
        }
        let first = try #require(try await documents(of: vault, alice).first)
        let elsewhere = try await alice.house.client.exchange(
            "GET", "/vaults/\(vault.id.text)/documents/\(first.id.text)/file",
            headers: [
                "Sec-Fetch-Site": "cross-site",
                "Cookie": alice.web.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "),
            ])
        #expect(elsewhere.status == 403)
        // A document is never a script of this site, whatever its type.
        for (use, status) in [
            ("script", 403), ("style", 403), ("worker", 403), ("serviceworker", 403), ("manifest", 403),
            ("document", 200),
        ] {
            let answer = try await alice.web.fetch(
                "/vaults/\(vault.id.text)/documents/\(first.id.text)/file", headers: ["Sec-Fetch-Dest": use])
            #expect(answer.status == status, "\(use)")
            if status == 200 { #expect(answer.headers["content-type"] == "application/octet-stream") }
        }
    }
}
