import Testing

@testable import Crypto

@Suite struct `A token` {
    let key: HMACKey
    let other: HMACKey
    let claims = JWT.Claims(iss: "kith", aud: ["acme"], sub: "alice", tid: 7, iat: 1_800_000_000, exp: 1_800_003_600)

    init() throws {
        key = try HMACKey(Array(repeating: 1, count: 32))
        other = try HMACKey(Array(repeating: 2, count: 32))
    }

    @Test func `is read back as it was signed`() throws {
        let token = try #require(JWT(JWT.sign(claims, keyID: "k1", by: key)))
        #expect(token.claims == claims)
        #expect(token.keyID == "k1")
        #expect(token.isSigned(by: key))
    }

    @Test func `is not accepted with another key`() throws {
        let token = try #require(JWT(JWT.sign(claims, keyID: "k1", by: key)))
        #expect(!token.isSigned(by: other))
    }

    @Test func `matches the example of RFC 7515`() throws {
        // RFC 7515 appendix A.1. Its header has no `kid`, so the signature is checked over the example's own signing
        // input.
        let secret = try #require(
            Base64URL.decode(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
        let input =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let code = try HMACKey(secret).authenticationCode(for: input.utf8)
        #expect(Base64URL.encode(code) == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    }

    @Test(arguments: ["iat", "nbf", "exp"], ["1e300", "-1e300", "9e18", "253402300800", "-62135596801"])
    func `with an instant of no calendar is not read`(claim: String, number: String) throws {
        let header = Base64URL.encode(#"{"alg":"HS256","kid":"k1"}"#.utf8)
        func token(_ number: String) -> JWT? {
            var instants = ["iat": "1800000000", "nbf": "1800000000", "exp": "1800003600"]
            instants[claim] = number
            let claims = instants.map { "\"\($0)\":\($1)" }.joined(separator: ",")
            let payload = Base64URL.encode(#"{"aud":"acme","iss":"kith","sub":"alice",\#(claims)}"#.utf8)
            let code = Base64URL.encode(key.authenticationCode(for: "\(header).\(payload)".utf8))
            return JWT("\(header).\(payload).\(code)")
        }
        #expect(token(number) == nil)
        #expect(token("253402300799") != nil)
    }

    @Test func `with a changed payload or signature is not accepted`() throws {
        let parts = try JWT.sign(claims, keyID: "k1", by: key).split(separator: ".").map(String.init)
        let forged = Base64URL.encode(
            #"{"aud":"acme","exp":1800003600,"iat":1800000000,"iss":"kith","sub":"mallory","tid":7}"#.utf8)
        #expect(JWT("\(parts[0]).\(forged).\(parts[2])")?.isSigned(by: key) == false)
        let cut = Base64URL.encode(try #require(Base64URL.decode(parts[2])).dropLast(3))
        #expect(JWT("\(parts[0]).\(parts[1]).\(cut)")?.isSigned(by: key) == false)
        #expect(JWT("\(parts[0]).\(parts[1]).")?.isSigned(by: key) == false)
    }

    @Test func `with alg none, or another algorithm, is not accepted`() throws {
        let payload = try JWT.sign(claims, keyID: "k1", by: key).split(separator: ".")[1]
        for algorithm in ["none", "None", "HS512", "RS256"] {
            let header = Base64URL.encode(#"{"alg":"\#(algorithm)","kid":"k1"}"#.utf8)
            let code = Base64URL.encode(key.authenticationCode(for: "\(header).\(payload)".utf8))
            #expect(JWT("\(header).\(payload).\(code)")?.isSigned(by: key) == false)
            #expect(JWT("\(header).\(payload).")?.isSigned(by: key) != true)
        }
    }

    @Test(
        arguments: [
            "", ".", "..", "a.b", "a.b.c.d", "not a token at all", "e30.e30.e30", "=.=.=",
            String(repeating: "a", count: 9000),
        ])
    func `that is malformed is refused`(text: String) {
        #expect(JWT(text) == nil)
    }

    @Test func `without a key id or with critical extensions is refused`() throws {
        let payload = try JWT.sign(claims, keyID: "k1", by: key).split(separator: ".")[1]
        for header in [#"{"alg":"HS256"}"#, #"{"alg":"HS256","kid":"k1","crit":["exp"]}"#] {
            #expect(JWT("\(Base64URL.encode(header.utf8)).\(payload).AAAA") == nil)
        }
    }

    @Test(
        arguments: [
            (#"{"alg":"HS256","kid":"k1","kid":"k1"}"#, nil), (#"{"alg":"none","alg":"HS256","kid":"k1"}"#, nil),
            (#"{"alg":"HS256","kid":"k1","\u006bid":"k2"}"#, nil),
            (nil, #"{"iss":"kith","aud":"acme","sub":"alice","sub":"mallory","exp":1800003600}"#),
            (nil, #"{"iss":"kith","aud":"acme","sub":"alice","exp":1,"exp":1800003600}"#),
            (nil, #"{"iss":"kith","aud":"acme","sub":"alice","exp":1800003600,"more":{"a":1,"a":2}}"#),
        ] as [(String?, String?)])
    func `with a member twice is refused`(header: String?, claims: String?) throws {
        let header = header ?? #"{"alg":"HS256","kid":"k1"}"#
        let claims = claims ?? #"{"iss":"kith","aud":"acme","sub":"alice","exp":1800003600}"#
        let input = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        #expect(JWT("\(input).\(Base64URL.encode(key.authenticationCode(for: input.utf8)))") == nil)
    }

    @Test func `may have claims that Kith does not know, with numbers of any size`() throws {
        let header = Base64URL.encode(#"{"alg":"HS256","kid":"k1","x":{"a":1}}"#.utf8)
        let claims = Base64URL.encode(
            #"{"iss":"kith","aud":"acme","sub":"alice","exp":1800003600,"nonce":99999999999999999999,"a":[{"b":1},{"b":2}]}"#
                .utf8)
        let token = try #require(
            JWT("\(header).\(claims).\(Base64URL.encode(key.authenticationCode(for: "\(header).\(claims)".utf8)))"))
        #expect(token.isSigned(by: key))
    }

    @Test func `may name one audience or several`() throws {
        var many = claims
        many.aud = ["acme", "globex"]
        #expect(try JWT(JWT.sign(many, keyID: "k1", by: key))?.claims.aud == ["acme", "globex"])
    }

    @Test func `needs a key of 32 bytes`() {
        #expect(throws: CryptoError.self) { try HMACKey(Array(repeating: 1, count: 31)) }
    }
}
