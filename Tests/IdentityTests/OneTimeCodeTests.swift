import Crypto
import JSON
import Testing

@testable import Identity

@Suite struct `A one-time code` {
    @Test func `has six digits, leading zeros included`() {
        #expect(OneTimeCode.digits { _ in [0, 0, 0, 7] } == "000007")
        #expect(OneTimeCode.digits { _ in [0, 0x0F, 0x42, 0x41] } == "000001")
    }

    @Test func `is drawn again if the random number would bias it`() {
        var throwsLeft = [[UInt8]]([[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 1]])
        #expect(OneTimeCode.digits { _ in throwsLeft.removeFirst() } == "000001")
    }

    @Test func `has a different hash for each row, tenant and key`() throws {
        let key = MasterKey.generate()
        func hash(_ code: String, _ id: String, _ tenant: Int, _ key: MasterKey) throws -> String {
            try OneTimeCode.hashes(code, id: id, tenant: tenant, with: key)[0]
        }
        let one = try hash("123456", "a", 1, key)
        #expect(try hash("123456", "A", 1, key) == one)
        #expect(try hash("123457", "a", 1, key) != one)
        #expect(try hash("123456", "b", 1, key) != one)
        #expect(try hash("123456", "a", 2, key) != one)
        #expect(try hash("123456", "a", 1, .generate()) != one)
    }

    @Test func `matches its hash during a master key rotation`() throws {
        let old = MasterKey.generate()
        func hashes(_ key: MasterKey) throws -> [String] {
            try OneTimeCode.hashes("123456", id: "a", tenant: 1, with: key)
        }
        let both = old.renewed()
        #expect(try hashes(both).count == 2)
        #expect(try hashes(both).contains(hashes(old)[0]))
        #expect(try hashes(both)[0] != hashes(old)[0])
    }
}

@Suite struct `A JSON Web Key` {
    private func read(_ json: String) throws -> JSONWebKey {
        try JSONWebKey(JSONDocument(Array(json.utf8)).root)
    }

    @Test func `determines its algorithm`() throws {
        let ed25519 = #"{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        #expect(try read(ed25519).algorithm == .edDSA)
        let secret = #"{"kty":"oct","kid":"k","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T"}"#
        #expect(try read(secret).algorithm == .hs256)
    }

    @Test(
        arguments: [
            ("{}", "kid"), (#"{"kid":"k"}"#, "kty"), (#"{"kid":"k","kty":"DSA"}"#, "kty"),
            (#"{"kid":"k","kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#, "crv"),
            (#"{"kid":"k","kty":"RSA","n":"AQAB","e":"AQAB"}"#, "n"), (#"{"kid":"k","kty":"oct","k":"AAAA"}"#, "k"),
            (#"{"kid":"k","kty":"OKP","crv":"Ed25519","x":"AA","d":"AA"}"#, "d"), (#"{"kid":"","kty":"EC"}"#, "kid"),
            (
                #"{"kty":"OKP","crv":"Ed25519","alg":"ES256","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
                "alg"
            ),
        ])
    func `that is unusable is refused with the name of the member`(json: String, member: String) {
        #expect {
            try read(json)
        } throws: {
            ($0 as? JSONWebKey.Refusal)?.member == member
        }
    }
}
