import Crypto
import HTTP
import JSON
import Testing

@testable import API

/// What a server takes from a request to choose the cell.
@Suite struct `The clue to a request's tenant` {
    private func clues(
        _ path: String, _ method: HTTPMethod = .get, query: String = "", headers: [(String, String)] = [],
        body: String = ""
    ) -> [TenantClue] {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.add(name, value) }
        let request = HTTPRequest(
            method: method, path: path, queryText: query, headers: fields, body: Array(body.utf8), id: "1",
            receivedAt: 0)
        return TenantClue.all(of: request, publicURL: "https://kith.example")
    }

    private func token(_ claims: String) -> String {
        [#"{"alg":"HS256","kid":"k"}"#, claims, "x"].map { Base64URL.encode($0.utf8) }.joined(separator: ".")
    }

    @Test func `is the number in the address of a link`() {
        #expect(clues("/s/17-0123") == [.number(17)])
        #expect(clues("/c/9-abc", .post) == [.number(9)])
        #expect(clues("/a/9-abc", .post) == [.number(9)])
        #expect(clues("/v1/inbound/sms/12-x", .post) == [.number(12)])
        #expect(clues("/v1/inbound/voice/12-x", .post) == [.number(12)])
        for path in ["/s/", "/s/x-1", "/s/99999999999999999999-1", "/s/-1", "/c/1٣-x"] {
            #expect(clues(path).allSatisfy { $0 == .nothing || $0 == .number(1) }, "\(path)")
        }
    }

    @Test func `is the slug in the path of a mark, whoever is signed in`() {
        let path = "/assets/mark-globex-64-da19be659d261a30.png"
        #expect(clues(path) == [.slug("globex")])
        #expect(
            clues(path, headers: [("Host", "acme.example"), ("Cookie", "kith=acme.kith_rt_9_x")])
                == [.host("acme.example"), .slug("globex")])
    }

    @Test func `is the slug that the client names, and then its credential`() {
        let own = token(#"{"iss":"kith","aud":"acme","tid":5,"sub":"u","exp":1}"#)
        #expect(
            clues("/v1/me", headers: [("X-Kith-Tenant", "globex"), ("Authorization", "Bearer \(own)")])
                == [.slug("globex"), .number(5)])
        let other = token(#"{"iss":"https://id.example","aud":["a","b"],"sub":"u","exp":1}"#)
        #expect(
            clues("/v1/me", headers: [("Authorization", "bearer \(other)")])
                == [.issuer("https://id.example", audiences: ["a", "b"])])
        #expect(
            clues("/v1/users", headers: [("Authorization", "Bearer kith_sk_1")])
                == [.secret(sha256("kith_sk_1".utf8), of: nil)])
        #expect(
            clues("/v1/users", headers: [("Authorization", "Bearer kith_sk_17_ab")])
                == [.secret(sha256("kith_sk_17_ab".utf8), of: 17)])
        #expect(
            clues("/v1/auth/refresh", .post, body: #"{"refresh_token":"kith_rt_9_x"}"#)
                == [.secret(sha256("kith_rt_9_x".utf8), of: 9)])
        for header in [
            "", "Bearer", "Bearer ", "Basic x", "Bearer a.b.c", "Bearer " + String(repeating: "a", count: 9000),
        ] {
            #expect(clues("/v1/me", headers: [("Authorization", header)]).isEmpty, "\(header.prefix(20))")
        }
        #expect(clues("/v1/me", headers: [("X-Kith-Tenant", "Not a slug")]).isEmpty)
        #expect(
            clues("/v1/me", headers: [("Authorization", "Bearer x"), ("Origin", "https://app.example")])
                == [.origin("https://app.example")])
        #expect(clues("/v1/auth/refresh", .post, body: "{").isEmpty)
    }

    @Test func `is the token of an invitation, unless somebody signed in answers it`() {
        let id = "0A11CE00-0000-4000-8000-000000000001"
        let secret = TenantClue.secret(sha256(id.lowercased().utf8), of: nil)
        #expect(clues("/i/\(id)") == [secret])
        #expect(clues("/v1/invitations/\(id)") == [secret])
        #expect(clues("/v1/invitations/\(id)/accept", .post, headers: [("X-Kith-Tenant", "acme")]) == [.slug("acme")])
        #expect(clues("/i/nothing") == [.nothing])
    }

    @Test func `of a page is its host, who is signed in, and the slug in its address`() {
        let cookie = ("Cookie", "__Host-kith=acme.secret")
        #expect(
            clues("/today", headers: [cookie, ("Host", "globex.example:8080")])
                == [.host("globex.example"), .slug("acme"), .slug("acme")])
        #expect(
            clues("/join", query: "t=globex", headers: [cookie, ("Host", "kith.example")])
                == [.host("kith.example"), .slug("globex")])
        #expect(
            clues("/sign-in", .post, headers: [("Cookie", "__Host-kith=acme.")], body: "t=globex&x=1")
                == [.slug("globex"), .slug("acme")])
        #expect(clues("/livez").isEmpty)
        #expect(
            clues(
                "/v1/me", .options,
                headers: [("Origin", "https://app.example"), ("Access-Control-Request-Method", "GET")])
                == [.origin("https://app.example")])
    }
}

/// The map of cells that a server has.
@Suite struct `The map of cells` {
    private func value(_ text: String) throws -> JSONDocument { try JSONDocument(Array(text.utf8)) }

    @Test func `changes by what the directory says, and forgets what it says is gone`() throws {
        var map = CellMap()
        #expect(!map.isSplit && map.version == -1)
        let cells =
            #"[{"name":"main","address":null,"cluster":"1","database":2},{"name":"east","address":"postgresql://e/k","cluster":"1","database":3}]"#
        map.apply(
            try value(
                #"{"version":4,"is_whole":true,"cells":\#(cells),"tenants":[[1,"acme","main"],[2,"osten","east"]]}"#
            ).root)
        #expect(map.isSplit && map.version == 4)
        #expect(map.cell(of: 2) == "east" && map.number(of: "osten") == 2)
        #expect(map.moved.isEmpty && !map.isMoving)
        map.apply(
            try value(
                #"{"version":5,"is_whole":false,"is_moving":true,"cells":\#(cells),"tenants":[[2,"osten","main"]]}"#
            ).root)
        #expect(map.moved == [2: "east"] && map.isMoving)
        #expect(map.cell(of: 2) == "main" && map.cell(of: 1) == "main")
        map.apply(try value(#"{"version":6,"is_whole":true,"cells":\#(cells),"tenants":[[1,"acme","main"]]}"#).root)
        #expect(map.cell(of: 2) == nil && map.number(of: "osten") == nil)
        map.apply(try value("[]").root)
        #expect(map.version == 6)
    }

    @Test func `leaves an issuer to the tenant that claimed it first, and a host to the lower number`() throws {
        var one = CellMap.Routes(
            try value(#"{"hosts":[["h.example",7]],"origins":[],"issuers":[["https://id","",7,200]]}"#).root)
        let two = CellMap.Routes(
            try value(#"{"hosts":[["h.example",3],["x.example",3]],"origins":[],"issuers":[["https://id","",3,300]]}"#)
                .root)
        one.merge(two)
        #expect(one.hosts == ["h.example": 3, "x.example": 3])
        #expect(one.issuers[CellMap.Routes.Issuer(name: "https://id", audience: "")]?.tenant == 7)
    }

    @Test func `keeps how a tenant is named while its cell cannot tell, unless the name is another's now`() throws {
        let earlier = CellMap.Routes(
            try value(
                #"{"hosts":[["a.example",7],["b.example",7],["c.example",8]],"origins":[],"issuers":[["https://id","",7,200]]}"#
            ).root)
        var now = CellMap.Routes(try value(#"{"hosts":[["b.example",9]],"origins":[],"issuers":[]}"#).root)
        now.keep(earlier) { $0 == 7 }
        #expect(now.hosts == ["a.example": 7, "b.example": 9])
        #expect(now.issuers[CellMap.Routes.Issuer(name: "https://id", audience: "")]?.tenant == 7)
    }
}
