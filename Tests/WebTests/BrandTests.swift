import HTTP
import Pages
import Testing
import Web

/// What pages show of a tenant's app.
@Suite struct `The brand on a page` {
    private static let path = "/assets/mark-acme-256-1f0c6b7a9d2e4c58.png"

    private func text(_ response: HTTPResponse) -> String {
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func document(_ mark: BrandMark?, alarms: String = "") throws -> String {
        var visit = try Reader(alarms: alarms).visit(PeopleScreen.path)
        visit.brandMark = mark
        return text(Layout(visit).response(ScreenPage(title: "People", section: .people, body: "")))
    }

    @Test func `has a mark at a path of one form alone`() throws {
        let mark = try #require(BrandMark(Self.path))
        #expect(mark.path == Self.path && mark.tenant == "acme" && mark.side == 256)
        let nested = try #require(BrandMark("/assets/mark-a-64-0123456789abcdef-64-fedcba9876543210.png"))
        #expect(nested.tenant == "a-64-0123456789abcdef" && nested.side == 64, "a slug may look like what follows it")
        for path in [
            nil, "", "/assets/mark-acme-256-1f0c6b7a9d2e4c58.svg", "/assets/mark-acme-256-1F0C6B7A9D2E4C58.png",
            "/assets/mark-acme-256-1f0c6b7a9d2e4c5.png", "/assets/mark-acme-5-1f0c6b7a9d2e4c58.png",
            "/assets/mark--1f0c6b7a9d2e4c58.png", "/assets/mark-../acme-256-1f0c6b7a9d2e4c58.png",
            "/assets/mark-ACME-256-1f0c6b7a9d2e4c58.png", "/assets/mark-acme-256-1f0c6b7a9d2e4c58.png\"onload=\"x",
            "https://evil.example/assets/mark-acme-256-1f0c6b7a9d2e4c58.png", "\(Self.path)\n", "/x\(Self.path)",
            "/assets/mark-\(String(repeating: "a", count: 64))-256-1f0c6b7a9d2e4c58.png",
            "/assets/mark-\(String(repeating: "a", count: 100_000))-256-1f0c6b7a9d2e4c58.png",
        ] {
            #expect(BrandMark(path) == nil, "\(path ?? "nil")")
        }
    }

    @Test func `shows the mark beside the name, in the tab and on a Home Screen`() throws {
        let page = try document(BrandMark(Self.path))
        #expect(
            page.contains("<p class=\"brand\"><img src=\"\(Self.path)\" alt=\"\" width=\"32\" height=\"32\"><bdi>Kith"))
        #expect(page.contains("<link rel=\"icon\" href=\"\(Self.path)\" type=\"image/png\">"))
        #expect(page.contains("<link rel=\"apple-touch-icon\" href=\"\(Self.path)\">"))
        let plain = try document(nil)
        #expect(plain.contains("<p class=\"brand\"><bdi>Kith") && !plain.contains("<img"))
        #expect(plain.contains("<link rel=\"icon\" href=\"\(Asset.icon.path)\" type=\"image/svg+xml\">"))
        #expect(plain.contains("<link rel=\"apple-touch-icon\" href=\"\(Asset.icon(180).path)\">"))
    }

    @Test func `gives the tab to an alarm`() throws {
        let state = Facts.state("help", "alarm", "Bob needs help.")
        let alarms = #"{"id":"a1","kind":"help","role":"receiver","taken_by":null,"state":\#(state)}"#
        let page = try document(BrandMark(Self.path), alarms: alarms)
        #expect(page.contains("<link rel=\"icon\" href=\"\(Asset.alarmIcon.path)\" type=\"image/svg+xml\">"))
        #expect(page.contains("<p class=\"brand\"><img"), "the mark stays beside the name")
    }

    @Test func `lets a page of a link load its mark, and a page without one nothing`() throws {
        let branded = Page(
            title: "Join", body: "", brand: Brand(name: "<Acme>", color: "#0842a0", mark: Self.path)
        ).response()
        #expect(text(branded).contains("\(Self.path)\" alt=\"\" width=\"32\" height=\"32\">&lt;Acme&gt;</p>"))
        #expect(text(branded).contains("--accent:#0842a0"))
        #expect(branded.headers["Content-Security-Policy"]?.contains("; img-src 'self'; ") == true)
        #expect(text(branded).contains("<link rel=\"icon\" href=\"\(Self.path)\">"))
        for brand in [nil, Brand(name: "Acme", color: "red", mark: "https://evil.example/x.png")] {
            let plain = Page(title: "Join", body: "", brand: brand).response()
            #expect(!text(plain).contains("<img") && !text(plain).contains("rel=\"icon\""))
            #expect(plain.headers["Content-Security-Policy"]?.contains("img-src") == false)
        }
    }
}
