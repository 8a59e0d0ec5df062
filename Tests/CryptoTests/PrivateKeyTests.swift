import Testing

@testable import Crypto

private func bytes(_ base64url: String) throws -> [UInt8] {
    try #require(Base64URL.decode(base64url))
}

@Suite struct `A private key` {
    // The keys of RFC 8291 appendix A, as PKCS#8.
    private static let server = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyfWPiYE+n46HLnH0
        KqZOF1fJJU3MYrct3AELtAQ+oRyhRANCAAT+M/SrDepxkU21WCP3O1SUj0EwbZIH
        Mtu5pZpTKGSCIA5Zent7wmC6HCJ5mFgJkuk5cwAvMBKiiujwa7t45ewP
        -----END PRIVATE KEY-----

        """
    private static let serverPoint =
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    private static let browser = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgq1dXpw3UpT5VOmu/
        cf/v6ih07Aems3njxI+JWgLcM96hRANCAAQlcbK+zf3jYFUarx7Q9M02bBHOvlVf
        iby3sYalMzkXMWjs4uvgGFl70wR5uG48j47O1XfKWRh+kkaZDbaCAIsO
        -----END PRIVATE KEY-----

        """
    private static let browserPoint =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

    @Test func `agrees with its counterpart on the secret of RFC 8291`() throws {
        let server = try PrivateKey(pem: Self.server)
        let browser = try PrivateKey(pem: Self.browser)
        #expect(try server.point == bytes(Self.serverPoint))
        #expect(try browser.point == bytes(Self.browserPoint))
        let secret = try bytes("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
        #expect(try server.sharedSecret(with: browser.point) == secret)
        #expect(try browser.sharedSecret(with: server.point) == secret)
    }

    @Test func `refuses a point that is not on the curve`() throws {
        let key = try PrivateKey.generate()
        var point = try bytes(Self.serverPoint)
        point[64] ^= 1
        let compressed = [2] + point[1...32]
        for wrong in [
            point, compressed, [], [4], [0], Array(repeating: 0, count: 65), [4] + Array(repeating: 0, count: 64),
        ] {
            #expect {
                try key.sharedSecret(with: wrong)
            } throws: {
                if case CryptoError.invalidKey = $0 { true } else { false }
            }
        }
    }

    @Test func `is the same when read from its PEM`() throws {
        #expect(try PrivateKey(pem: Self.server).pem == Self.server)
        let key = try PrivateKey.generate()
        let again = try PrivateKey(pem: key.pem)
        #expect(again.point == key.point)
        #expect(again.pem == key.pem)
        #expect(try PrivateKey.generate().point != key.point)
    }

    @Test func `makes signatures that its public key verifies`() throws {
        let key = try PrivateKey.generate()
        let publicKey = try PublicKey(p256X: Array(key.point[1...32]), y: Array(key.point[33...64]))
        // Enough rounds that some number begins with a zero byte, which DER leaves out.
        for round in 0..<1000 {
            let message = Array("message \(round)".utf8)
            let signature = try key.signature(for: message)
            #expect(signature.count == 64)
            #expect(publicKey.isValid(signature, for: message))
            #expect(!publicKey.isValid(signature, for: message + [0]))
        }
    }

    @Test func `signs tokens for other services`() throws {
        let key = try PrivateKey.generate()
        let publicKey = try PublicKey(p256X: Array(key.point[1...32]), y: Array(key.point[33...64]))
        let claims = JWT.Claims(iss: "team", aud: ["https://push.example"], sub: "s", tid: nil, iat: 1, exp: 2)
        let token = try #require(try JWT(JWT.sign(claims, keyID: "k1", by: key)))
        #expect(token.keyID == "k1")
        #expect(token.claims == claims)
        #expect(token.isSigned(by: publicKey))
        #expect(
            !token.isSigned(
                by: try PublicKey(p256X: bytes(Self.serverPoint)[1...32] + [], y: bytes(Self.serverPoint)[33...64] + [])
            ))
        // A push service's token has no `kid`.
        let anonymous = try JWT.sign(["aud": "https://push.example"], keyID: nil, by: key).split(separator: ".")
        #expect(String(decoding: try bytes(String(anonymous[0])), as: UTF8.self) == #"{"alg":"ES256","typ":"JWT"}"#)
        #expect(String(decoding: try bytes(String(anonymous[1])), as: UTF8.self) == #"{"aud":"https://push.example"}"#)
    }

    @Test func `that is public, encrypted, on another curve or malformed is refused`() throws {
        let p384 = """
            -----BEGIN PRIVATE KEY-----
            MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDC3J27K/Mpj1J9J2n7s
            amTVc1r7KmkalL/jvRfOU78zyaAlGo1KHTzaQ4oTEhNMASihZANiAAQVSq+RNEb1
            gy0C2D93RwBsVs3yxA1h4rgo9Fw0dmSzr9Oc9alS7aSh2FZU6BYHyVv67QONWLyQ
            6NsxPF5TDsI7x5gwmFFnmfa/CVMKGVMCTmPq8y15i86aOvwpZtJXFnU=
            -----END PRIVATE KEY-----
            """
        let encrypted = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhwaj3+/T/YjQICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEIxSZm9MbjlmLPEQ2CQZMIkEgZAy
            ixjU301dDxIe3y2zp7Z2oEhXzklrFhAPRpEN8poOIvWqviCYSgOwAwJyJ5eVvl7D
            P7BACXOHIT1zHvbIsPv3qlBadaoh4DpscsAJzPopvzQh/b4ronQo/cKLG2hI+Vub
            rVZqiwS+9paeBey8PBDgvhTtNCiFiqMS9f8y7RoUe3784JudMnpZ3SlZrMQFFWY=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        let key = try PrivateKey.generate()
        let publicPEM = try PublicKey(p256X: Array(key.point[1...32]), y: Array(key.point[33...64])).pem
        for (pem, word) in [
            (p384, "P-256"), (encrypted, "password"), (publicPEM, "private"), ("", "PEM"), ("nonsense", "PEM"),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "PEM"),
        ] {
            #expect {
                try PrivateKey(pem: pem)
            } throws: {
                "\($0)".contains(word)
            }
        }
    }
}
