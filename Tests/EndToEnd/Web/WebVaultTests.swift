import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `Vaults on the web` {
    @Test func `are made, opened, renamed, locked, deleted and restored`() async throws {
        let alice = try await WebPerson.join("Alice")
        let web = alice.web
        try await web.open("/vaults")
        #expect(web.page.text.contains("You have no vault yet."))
        try await web.open("/vaults/new")
        try await web.press("create", [("name", "  ")])
        #expect(web.page.status == 422)
        try await web.press("create", [("name", "Family papers")])
        #expect(web.page.heading == "Family papers")
        #expect(
            web.page.text.contains("Your nominees cannot enter until the vault is open, except by emergency access."))
        let path = web.page.path
        let open = try #require(web.page.form(with: "open"))
        try await web.send(open, "open")
        #expect(web.page.text.contains("The vault is open."))
        try await web.send(open, "open")
        #expect(web.page.text.contains("so nothing was done again"))
        #expect(web.page.text.contains("Locks in"))
        #expect(web.page.html.contains("data-countdown"))
        let lock = try #require(web.page.form(with: "lock"))
        try await web.send(lock, "lock")
        #expect(web.page.text.contains("The vault is locked."))
        try await web.send(lock, "lock")
        #expect(web.page.text.contains("so nothing was done again"))
        try await web.open("\(path)/settings")
        try await web.press("save", [("name", "Papers & more"), ("require_confirmation", "on")])
        #expect(web.page.heading == "Papers & more")
        try await web.open("\(path)/delete")
        #expect(web.page.text.contains("Papers & more is locked at once, and nobody can enter."))
        let delete = try #require(web.page.form(with: "delete"))
        for notice in ["The vault is deleted.", "The vault is deleted, or it belongs to somebody else now."] {
            try await web.send(delete, "delete")
            #expect(web.page.path == "/vaults")
            #expect(web.page.text.contains(notice))
        }
        #expect(try await web.open(path).status == 404)
        #expect(web.page.html.contains("<nav "), "a page that is not there has the frame too")
        try await web.open("/vaults/deleted")
        let restore = try #require(web.page.form(with: "restore"))
        for _ in 0..<2 { try await web.send(restore, "restore") }
        #expect(web.page.heading == "Papers & more")
        // An old page does not say that it deleted what somebody else has taken over since.
        try await web.open("\(path)/delete")
        let old = try #require(web.page.form(with: "delete"))
        let bob = try await WebPerson.join("Bob").person
        let offer: Kith.OfferedTransfer = try await alice.person.get(
            "POST", "/v1\(path)/transfer", #"{"name":"Bob","keep_access":false}"#, status: 201)
        #expect(try await bob.send("POST", "/v1/invitations/\(offer.invitation.token)/accept").status == 200)
        try await web.send(old, "delete")
        #expect(web.page.text.contains("The vault is deleted, or it belongs to somebody else now."))
    }

    @Test func `are locked for a nominee as a state, and open with the owner's words`() async throws {
        let (alice, bob) = (try await WebPerson.join("Alice"), try await WebPerson.join("Bob"))
        let vault = try await alice.person.makeVault("<script>alert(1)</script> وصية")
        let nominee = try await alice.person.invite("Bob", to: vault)
        try await bob.person.accept(nominee)
        let page = try await bob.web.open("/vaults/\(vault.id.text)")
        #expect(page.status == 200)
        #expect(page.text.contains("This vault is locked. You can enter while its owner has it open."))
        #expect(page.form(with: "open") == nil)
        #expect(!page.html.contains("<script>"))
        #expect(page.html.contains("<bdi>&lt;script&gt;alert(1)&lt;/script&gt; وصية</bdi>"))
        try await alice.person.open(vault)
        #expect(try await bob.web.open("/vaults/\(vault.id.text)").text.contains("Locks in"))
        #expect(bob.web.page.text.contains("Your access level does not allow adding any."))
        // Only the owner has these pages.
        for part in ["settings", "delete", "transfer", "emergency/quorum"] {
            let status = try await bob.web.open("/vaults/\(vault.id.text)/\(part)").status
            #expect(status == 403, "\(part): \(status)")
        }
    }

    @Test func `are nothing to strangers, and end for a revoked nominee`() async throws {
        let alice = try await WebPerson.join("Alice")
        let (bob, mallory) = (try await WebPerson.join("Bob"), try await WebPerson.join("Mallory"))
        let vault = try await alice.person.makeVault()
        let nominee = try await alice.person.invite("Bob", to: vault)
        try await bob.person.accept(nominee)
        try await alice.person.open(vault)
        let document: Kith.Document = try await alice.person.get(
            "POST", "/v1/vaults/\(vault.id.text)/documents?name=Will.txt", "Everything to Bob", status: 201)
        let parts = [
            "", "/settings", "/upload", "/documents/\(document.id.text)", "/documents/\(document.id.text)/file",
            "/documents/\(document.id.text)/preview", "/documents/\(document.id.text)/delete", "/nominees", "/history",
            "/history.csv", "/transfer", "/emergency", "/nominees/\(nominee.id.text)",
            "/nominees/\(nominee.id.text)/chat",
            "/nominees/\(nominee.id.text)/emergency",
        ]
        for part in parts {
            let page = try await mallory.web.open("/vaults/\(vault.id.text)\(part)")
            #expect(page.status == 404, "\(part): \(page.status)")
            #expect(!page.html.contains("Will") && !page.html.contains("Bob"))
        }
        #expect(
            try await bob.web.open("/vaults/\(vault.id.text)/documents/\(document.id.text)/file").html
                == "Everything to Bob")
        let form = try await bob.web.open("/vaults/\(vault.id.text)").form(with: "open")
        #expect(form == nil)
        #expect(
            try await alice.person.send("DELETE", "/v1/vaults/\(vault.id.text)/nominees/\(nominee.id.text)").status
                == 204)
        for part in parts {
            let page = try await bob.web.open("/vaults/\(vault.id.text)\(part)")
            #expect(page.status == 403, "\(part): \(page.status)")
            #expect(!page.html.contains("Everything to Bob"))
        }
        // An id that is none leads nowhere.
        for path in ["/vaults/x", "/vaults/..%2Fme", "/vaults/\(vault.id.text)%2Fhistory", "/vaults/%00"] {
            #expect(try await alice.web.open(path).status == 404, "\(path)")
        }
    }

    @Test func `fit into the budget of bytes with fifty of them`() async throws {
        let alice = try await WebPerson.join("Alice")
        var vault: Kith.Vault?
        for number in 1...50 { vault = try await alice.person.makeVault("Vault number \(number)") }
        let last = try #require(vault)
        try await alice.person.open(last)
        for number in 1...50 {
            let _: Kith.Document = try await alice.person.get(
                "POST", "/v1/vaults/\(last.id.text)/documents?name=Document%20number%20\(number).pdf", "\(number)",
                status: 201)
        }
        for path in ["/vaults", "/vaults/\(last.id.text)", "/vaults/\(last.id.text)/history"] {
            let bytes = try await alice.web.compressedBytes(of: path)
            #expect(bytes <= 14 << 10, "\(path) has \(bytes) bytes")
        }
    }
}

extension WebVisitor {
    /// The size of a page's answer for a browser that accepts gzip.
    func compressedBytes(of path: String) async throws -> Int {
        let answer = try await client.exchange(
            "GET", path,
            headers: [
                "Accept-Encoding": "gzip",
                "Cookie": cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "),
            ])
        #expect(answer.status == 200)
        #expect(answer.headers["content-encoding"] == "gzip")
        // The client has decoded the body.
        return try #require(answer.headers["content-length"].flatMap { Int($0) })
    }
}
