import Counterparts
import Foundation
import KithClient
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `An e-mail about emergency access` {
    @Test func `has a link that opens the app, contains no secret, and does nothing by itself`() async throws {
        let house = try await EmergencyHouse()
        defer { house.end() }
        let (installation, acme) = (house.installation, house.installation.acme)
        let providers = try Providers()
        let mail = try Counterpart("mail", ["--certificate", providers.certificate.pathWithKey])
        try installation.set(acme, "universal_link_host=links.acme.example")
        try installation.setChannel(
            acme, "email", ["host": "localhost", "port": mail.port, "from": "care@acme.example"])
        _ = try installation.session().query(
            "update kith.users set email = 'alice@example.org', email_verified_at = created_at where id = $1::uuid",
            [.text(house.alice.id.uuidString)])
        let request = try await house.bob.askForEmergencyAccess(to: house.vault)
        try installation.deliver(to: providers, at: (request.requestedAt + 2).formatted(.iso8601))

        let sent = try await mail.waits { $0.contains { $0["data"] != nil } }
        #expect(sent.first?["recipients"] as? [String] == ["alice@example.org"])
        let data = try #require(sent.first?["data"] as? String)
        // The e-mail is quoted-printable (RFC 2045 §6.7).
        let text = data.replacing("=\r\n", with: "").replacing("=3D", with: "=")
        let path = "/open?type=emergency_request&id=\(request.id.text)"
        let link = "https://links.acme.example\(path)"
        #expect(text.contains("Open PRUUF to say that you're safe, or to say no: \(link)"), "\(text)")
        #expect(text.contains(#"<a href="\#(link.replacing("&", with: "&amp;"))">"#), "\(text)")
        let links = text.matches(of: /https?:\/\/[^\s"<>]+/).map { String($0.output).replacing("&amp;", with: "&") }
        #expect(Set(links) == [link], "there is no other link, and nothing else in this one")

        // A mail scanner follows it.
        for method in ["GET", "HEAD"] {
            let page = try await house.alice.client.send(method, path, headers: ["Host": "links.acme.example"])
            #expect(page.status == 200)
            #expect(!page.text.contains("Papers") && !page.text.contains("Bob"))
        }
        #expect(try await house.alice.emergencyRequest(request).status == .waiting)
    }
}
