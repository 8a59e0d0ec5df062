import Foundation
import KithClient
import TestThreads
import Testing

@Suite(.mayBlock) struct `Vaults in a browser` {
    @Test func `have no barriers, in any scheme and on a small phone`() async throws {
        let alice = try await WebPerson.join("Alice")
        try await alice.person.becomeSender()
        let vault = try await alice.person.makeVault("Family papers of the house at the end of the long road")
        try await alice.person.open(vault)
        let document: Kith.Document = try await alice.person.client.send(
            "POST", "/v1/vaults/\(vault.id.text)/documents?name=Account%20numbers.txt", content: Data("Savings".utf8),
            type: "text/plain", as: alice.person.token
        ).decode()
        var nominees: [Kith.InvitedNominee] = []
        for name in ["Bob Featherstonehaugh-Cholmondeley the younger", "عمر"] {
            let person = try await WebPerson.join(name)
            let nominee = try await alice.person.invite(name, to: vault)
            try await person.person.accept(nominee)
            try await alice.person.giveEmergencyAccess(
                to: nominee, of: vault, #","after_missed_days":3,"visible":true"#)
            if nominees.isEmpty {
                try await person.person.askForEmergencyAccess(to: vault, #"{"reason":"She is ill."}"#)
            }
            nominees.append(nominee)
        }
        let base = alice.house.client.base
        let browser = try Browser(everyHostIs: base)
        try browser.open("\(base.absoluteString)/sign-in?t=acme")
        let before = try alice.house.mailbox.items(for: alice.email).count
        try browser.submit(["contact": alice.email], button: "code")
        let code = try await alice.house.newCode(to: alice.email, after: before)
        try browser.submit(["code": code], button: "sign-in")
        let (root, first) = ("/vaults/\(vault.id.text)", "/vaults/\(vault.id.text)/nominees/\(nominees[0].id.text)")
        let paths = [
            "/vaults", "/vaults/new", root, "\(root)/settings", "\(root)/delete", "\(root)/upload",
            "\(root)/documents/\(document.id.text)?show", "\(root)/nominees", "\(root)/nominees/invite", first,
            "\(first)/remove", "\(first)/chat", "\(first)/emergency", "\(root)/emergency", "\(root)/emergency/quorum",
            "\(root)/history", "\(root)/transfer", "/me/emergency", "/me/emergency/rehearsal", "/vaults/shares",
            "/vaults/invitations",
        ]
        for isDark in [false, true] {
            try browser.resize(width: 320, height: 800, isPhone: true, isDark: isDark)
            for path in paths {
                try browser.open("\(base.absoluteString)\(path)")
                #expect(try browser.barriers() == [], "\(path)")
                let contrast: Double = try browser.evaluate(Browser.lowestContrast)
                #expect(contrast >= 4.5, "\(path), dark: \(isDark)")
                let overflow: Int = try browser.evaluate(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                #expect(overflow <= 0, "\(path) scrolls sideways by \(overflow)")
            }
        }
        // Nothing was blocked by the policy of the pages.
        #expect(try browser.console().filter { $0.contains("Content Security Policy") } == [])
    }
}
