import Foundation
import KithClient
import KithServer
import TestThreads
import Testing

@Suite(.mayBlock) struct `The mark of a tenant` {
    /// A black square of 64 pixels, and one of 192.
    private static let small =
        "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC"
    private static let large =
        "iVBORw0KGgoAAAANSUhEUgAAAMAAAADAAQAAAAB6p1GqAAAAHElEQVR42u3BMQEAAADCoPVPbQ0PoAAAAADg1wASwAABzDtabAAAAABJRU5ErkJggg=="

    /// A tenant of its own with a mark, and the path of the mark.
    private func tenant(
        _ mark: String = small, host: String? = nil
    ) async throws -> (tenant: Installation.Tenant, path: String, house: SignInHouse) {
        let house = try webHouse.get()
        let tenant = try house.installation.tenant("mark-\(UUID().uuidString.prefix(8).lowercased())", host: host)
        let path = try #require(try await set(#""\#(mark)""#, of: tenant, house).brandMark)
        return (tenant, path, house)
    }

    private func set(_ mark: String, of tenant: Installation.Tenant, _ house: SignInHouse) async throws -> Kith.Tenant {
        try await house.client.get("PATCH", "/v1/tenant", #"{"brand_mark":\#(mark)}"#, as: tenant.secretKey)
    }

    @Test func `is served as a picture, which browsers keep until it changes`() async throws {
        let (tenant, path, house) = try await tenant()
        #expect(path == "/assets/mark-\(tenant.slug)-64-da19be659d261a30.png")
        let answer = try await house.client.exchange("GET", path)
        #expect(answer.status == 200 && answer.body.base64EncodedString() == Self.small)
        #expect(answer.headers["content-type"] == "image/png")
        #expect(answer.headers["x-content-type-options"] == "nosniff")
        #expect(answer.headers["content-security-policy"] == "sandbox; default-src 'none'")
        #expect(answer.headers["cache-control"] == "public, max-age=31536000, immutable")
        #expect(answer.headers["set-cookie"] == nil)
        #expect(try await house.client.exchange("HEAD", path).status == 200)

        let next = try #require(try await set(#""\#(Self.large)""#, of: tenant, house).brandMark)
        #expect(next != path && next.hasPrefix("/assets/mark-\(tenant.slug)-192-"))
        #expect(try await house.client.exchange("GET", next).body.base64EncodedString() == Self.large)
        // A page that is open asks for the former one. Kept under its address, the new one would stay for a year.
        let former = try await house.client.exchange("GET", path)
        #expect(former.status == 200 && former.headers["cache-control"] == "no-store")
        #expect(former.headers["content-type"] == "image/png" && former.body.base64EncodedString() == Self.large)
        // What the settings say is good for a change of the settings.
        let same = try await set(#""\#(next)""#, of: tenant, house)
        #expect(same.brandMark == next)

        #expect(try await set("null", of: tenant, house).brandMark == nil)
        for gone in [path, next] {
            let answer = try await house.client.exchange("GET", gone)
            #expect(answer.status == 404 && answer.headers["cache-control"]?.contains("public") != true)
        }
    }

    @Test func `is nobody else's, and at no other path`() async throws {
        let host = "mark-\(UUID().uuidString.lowercased()).example"
        let (tenant, path, house) = try await tenant(host: host)
        let others = "mark-\(UUID().uuidString.lowercased()).example"
        let other = try house.installation.tenant("none-\(UUID().uuidString.prefix(8).lowercased())", host: others)
        for (path, host) in [
            (path, host), (path, "kith.example"), (path, "\(host.uppercased()):443"),
        ] {
            #expect(try await house.client.exchange("GET", path, headers: ["Host": host]).status == 200, "\(host)")
        }
        for (path, host) in [
            (path, others), (path.replacing(tenant.slug, with: other.slug), "kith.example"),
            (path.replacing(tenant.slug, with: "nobody"), "kith.example"),
            (path.replacing(".png", with: ".svg"), "kith.example"), (path.replacing(".png", with: ""), "kith.example"),
            (path.replacing("mark-", with: "mark-../"), "kith.example"),
            (path.replacing("mark-", with: "mark-..%2f"), "kith.example"), (path + "/x", "kith.example"),
            (path.replacing("mark-", with: "mark-%00"), "kith.example"), (path + "%0a", "kith.example"),
            (path.uppercased(), "kith.example"),
        ] {
            let answer = try await house.client.exchange("GET", path, headers: ["Host": host])
            #expect(answer.status == 404 || answer.status == 400, "\(path) on \(host): \(answer.status)")
            #expect(answer.headers["content-type"] != "image/svg+xml")
        }
    }

    @Test func `stands on each page of the tenant, and in the manifest`() async throws {
        let (tenant, path, house) = try await tenant()
        let picture = "<p class=\"brand\"><img src=\"\(path)\" alt=\"\" width=\"32\" height=\"32\">"
        for page in ["/sign-in?t=\(tenant.slug)", "/offline?t=\(tenant.slug)&l=ar"] {
            let html = try await house.client.exchange("GET", page).text
            #expect(
                html.contains("\(picture)<bdi>PRUUF") && html.contains("<link rel=\"icon\" href=\"\(path)\""), "\(page)"
            )
            #expect(html.contains("<link rel=\"apple-touch-icon\" href=\"\(path)\">"))
        }
        for page in ["/join?t=\(tenant.slug)", "/open?t=\(tenant.slug)"] {
            let answer = try await house.client.exchange("GET", page)
            #expect(answer.text.contains("\(picture)PRUUF</p>"), "\(page)")
            #expect(answer.headers["content-security-policy"]?.contains("img-src 'self'") == true)
            #expect(answer.text.utf8.count <= 14 << 10)
        }
        func icons() async throws -> [Icon] {
            let answer = try await house.client.exchange("GET", "/manifest.webmanifest?t=\(tenant.slug)&l=de")
            return try JSONDecoder().decode(Manifest.self, from: answer.body).icons
        }
        let few = try await icons()
        #expect(
            few.map(\.sizes) == ["64x64", "192x192", "512x512"], "no browser installs an app with a small icon alone")
        #expect(few.first?.src == path && few.first?.type == "image/png" && few.first?.purpose == nil)
        let large = try await set(#""\#(Self.large)""#, of: tenant, house).brandMark
        #expect(try await icons().map(\.src) == [large])

        let alice: Kith.User = try await house.client.get(
            "POST", "/v1/users", #"{"display_name":"Alice"}"#, as: tenant.secretKey, status: 201)
        let link: Kith.SignInLink = try await house.client.get(
            "POST", "/v1/sign-in-links", #"{"user_id":"\#(alice.id)"}"#, as: tenant.secretKey, status: 201)
        let web = WebVisitor(house.client, tenant: tenant.slug)
        let address = try #require(URLComponents(string: link.url))
        try await web.open(address.percentEncodedPath + "?" + (address.percentEncodedQuery ?? ""))
        try await web.press("continue")
        #expect(web.page.path == "/today" && web.page.html.contains("<img src=\"\(large ?? "")\" alt=\"\""))
    }

    private struct Manifest: Decodable { let icons: [Icon] }
    private struct Icon: Decodable {
        let src: String
        let type: String
        let sizes: String
        let purpose: String?
    }

    @Test func `stands on the page of an invitation, in each of its states, in the colour of the tenant`() async throws
    {
        let (tenant, path, house) = try await tenant()
        let changed = try await house.client.send(
            "PATCH", "/v1/tenant", ##"{"brand_color":"#7a1f5c"}"##, as: tenant.secretKey)
        #expect(changed.status == 200)
        let alice = try await Person.join(tenant, as: "Alice", house.client)
        let nominee = try await alice.invite("Bob", to: try await alice.makeVault("Papers"))
        let page = InvitationPageClient(client: house.client, token: nominee.invitation.token)
        let asked = try await page.open()
        let declined = try await page.submit(["action": "decline"])
        for answer in [asked, declined] {
            #expect(answer.text.contains("<img src=\"\(path)\" alt=\"\"") && answer.text.contains("--accent:#7a1f5c"))
            #expect(answer.text.utf8.count <= 14 << 10)
        }
        #expect(asked.text.contains("<form") && !declined.text.contains("<form"))
    }

    @Test(arguments: [
        ("\"<svg/>\"", "base64"), (#""PHN2Zy8+""#, "SVG"), (#""data:image/png;base64,iVBORw0KGgo=""#, "data:"),
        (#""two\nlines""#, "one line"), ("5", "string"), (#"["x"]"#, "string"), ("\"\"", "1 to 49152"),
    ])
    func `is refused with what to send instead`(mark: String, word: String) async throws {
        let house = try webHouse.get()
        let answer = try await house.client.send(
            "PATCH", "/v1/tenant", #"{"brand_mark":\#(mark)}"#, as: house.installation.globex.secretKey)
        #expect(
            answer.status == 422 && answer.text.contains("brand_mark") && answer.text.contains(word), "\(answer.text)")
    }

    @Test func `is refused if it is too large, however large`() async throws {
        let house = try webHouse.get()
        let picture = (Data(base64Encoded: Self.small) ?? Data()) + Data(count: 30_000)
        for (mark, status) in [
            (picture.base64EncodedString(), 422), (String(repeating: "A", count: 60_000), 422),
            (String(repeating: "A", count: 2_000_000), 413),
        ] {
            let answer = try await house.client.exchange(
                "PATCH", "/v1/tenant", #"{"brand_mark":"\#(mark)"}"#, as: house.installation.globex.secretKey)
            #expect(answer.status == status, "\(answer.text)")
        }
    }

    @Test func `is set from a file by an operator`() async throws {
        let (tenant, path, house) = try await tenant()
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-mark-\(UUID()).png")
        try Data(base64Encoded: Self.large)?.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        func run(_ setting: String) throws -> (status: Int32, output: String, errors: String) {
            try KithProcess.run(["tenant", "set", tenant.slug, setting], environment: house.installation.environment)
        }
        #expect(try run("brand_mark=@\(file.path)").status == 0)
        let settings: Kith.Tenant = try await house.client.get("GET", "/v1/tenant", as: tenant.secretKey)
        #expect(settings.brandMark?.contains("-192-") == true && settings.brandMark != path)
        let missing = try run("brand_mark=@\(file.path).jpg")
        #expect(missing.status != 0 && missing.errors.contains(".jpg"), "\(missing.errors)")
        #expect(try run("brand_mark=null").status == 0)
        #expect(try await house.client.exchange("GET", path).status == 404)
    }
}
