import Crypto
import Foundation
import Testing

@testable import Delivery

@Suite struct `Web push encryption` {
    // RFC 8291 appendix A: the application server's key as PKCS#8, and the browser's values.
    private static let server = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyfWPiYE+n46HLnH0
        KqZOF1fJJU3MYrct3AELtAQ+oRyhRANCAAT+M/SrDepxkU21WCP3O1SUj0EwbZIH
        Mtu5pZpTKGSCIA5Zent7wmC6HCJ5mFgJkuk5cwAvMBKiiujwa7t45ewP
        -----END PRIVATE KEY-----
        """
    private static let keys = WebPushKeys(
        p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth: "BTBZMqHH6r4Tts7J_aSIgg")
    private let salt = Base64URL.decode("DGv6ra1nlYgDCS1FRnbzlw")!

    @Test func `matches RFC 8291 byte for byte`() throws {
        let message = try WebPushEncryption.encrypt(
            Array("When I grow up, I want to be a watermelon".utf8), for: Self.keys, key: PrivateKey(pem: Self.server),
            salt: salt, isPadded: false)
        #expect(
            message.map { Base64URL.encode($0) }
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK"
                + "6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
    }

    @Test func `accepts a subscription's keys in either base64 alphabet`() throws {
        let other = WebPushKeys(
            p256dh: Self.keys.p256dh.replacing("-", with: "+").replacing("_", with: "/") + "=",
            auth: Self.keys.auth.replacing("_", with: "/") + "==")
        let key = try PrivateKey(pem: Self.server)
        #expect(
            try WebPushEncryption.encrypt([1], for: other, key: key, salt: salt)
                == WebPushEncryption.encrypt([1], for: Self.keys, key: key, salt: salt))
    }

    @Test func `does not reveal the length of the text`() throws {
        let key = try PrivateKey.generate()
        func count(_ length: Int) throws -> Int? {
            try WebPushEncryption.encrypt(Array(repeating: 7, count: length), for: Self.keys, key: key, salt: salt)?
                .count
        }
        #expect(try count(1) == count(128))
        #expect(try count(129) == count(256))
        #expect(try count(128) != count(129))
        // The longest have the size that a service must accept.
        #expect(WebPushEncryption.limit == 3993)
        #expect(try count(3970) == 4096)
        #expect(try count(3993) == 4096)
    }

    @Test func `fails for invalid keys`() throws {
        let key = try PrivateKey.generate()
        for (p256dh, auth) in [
            ("", Self.keys.auth), ("nonsense!", Self.keys.auth), ("AAAA", Self.keys.auth), (Self.keys.p256dh, ""),
            (Self.keys.p256dh, "!"), (String(Self.keys.p256dh.dropLast(2)) + "AA", Self.keys.auth),
        ] {
            #expect(
                try WebPushEncryption.encrypt([1], for: WebPushKeys(p256dh: p256dh, auth: auth), key: key, salt: salt)
                    == nil)
        }
    }
}

@Suite struct `A VAPID token` {
    private let key: PrivateKey
    private var tokens: VAPIDTokens

    init() throws {
        key = try .generate()
        tokens = VAPIDTokens(subject: "mailto:ops@acme.example", key: key)
    }

    @Test mutating func `contains its audience, expiry and contact`() throws {
        let value = try tokens.authorization(for: "https://push.example", at: 1_800_000_000)
        #expect(value.hasPrefix("vapid t="))
        #expect(value.hasSuffix(", k=\(Base64URL.encode(key.point))"))
        let token = try #require(value.dropFirst(8).split(separator: ",").first)
        let claims = try #require(Base64URL.decode(token.split(separator: ".")[1]))
        #expect(
            String(decoding: claims, as: UTF8.self)
                == #"{"aud":"https://push.example","exp":1800043200,"sub":"mailto:ops@acme.example"}"#)
    }

    @Test mutating func `is reused until it expires, and for its service only`() throws {
        let first = try tokens.authorization(for: "https://one.example", at: 100_000)
        #expect(try tokens.authorization(for: "https://two.example", at: 100_000) != first)
        #expect(try tokens.authorization(for: "https://one.example", at: 100_000 + 11 * 3600) == first)
        #expect(try tokens.authorization(for: "https://one.example", at: 100_001 + 11 * 3600) != first)
        // The clock was set back: this token would seem to last too long.
        #expect(try tokens.authorization(for: "https://two.example", at: 99_999).contains("vapid t="))
        #expect(try tokens.authorization(for: "https://one.example", at: 1) != first)
    }

    @Test mutating func `is dropped from the cache if users name more and more services`() throws {
        let first = try tokens.authorization(for: "https://0.example", at: 0)
        for number in 1..<100 { _ = try tokens.authorization(for: "https://\(number).example", at: 0) }
        #expect(try tokens.authorization(for: "https://0.example", at: 0) == first)
        _ = try tokens.authorization(for: "https://100.example", at: 0)
        #expect(try tokens.authorization(for: "https://0.example", at: 0) != first)
    }
}

@Suite struct `The endpoint of a subscription` {
    @Test(
        arguments: [
            ("https://push.example/a/b?c=d", "https://push.example"),
            ("HTTPS://Push.Example:443/", "https://push.example"),
            ("https://push.example:8443/x", "https://push.example:8443"), ("https://[::1]:7/x", "https://[::1]:7"),
        ])
    func `has an origin`(url: String, origin: String) throws {
        #expect(try #require(WebPushEndpoint(url)).origin == origin)
        #expect(WebPushEndpoint(url)?.url == url.replacing("HTTPS", with: "https"))
    }

    @Test(
        arguments: [
            "", "push.example", "http://push.example/", "ftp://push.example/", "https://",
            "https://user@push.example/", "https://user:pass@push.example/", "javascript:alert(1)",
            "https://push example/",
        ])
    func `must be an https URL`(url: String) {
        #expect(WebPushEndpoint(url) == nil)
    }
}

@Suite struct `A push service's answer` {
    @Test(
        arguments: [
            (404, DeliveryError.Kind.gone), (410, .gone), (413, .final), (400, .final), (307, .final), (401, .retry()),
            (403, .retry()), (406, .retry()), (408, .retry()), (429, .retry()), (500, .retry()), (503, .retry()),
        ])
    func `decides what happens next`(status: Int, kind: DeliveryError.Kind) {
        let error = WebPushChannel.error(TransferAnswer(status: status, headers: [:], body: Array("secret".utf8)))
        #expect(error.kind == kind)
        #expect(
            error.concernsMessageAlone == (400..<500).contains(status),
            "a refused message is not a failure of the service")
        #expect(error.description.hasPrefix("Web Push: \(status), "))
        #expect(!error.description.contains("secret"))
    }

    @Test func `may ask for a later retry`() {
        let answer = TransferAnswer(status: 429, retryAfter: .seconds(120))
        #expect(WebPushChannel.error(answer).kind == .retry(after: .seconds(120)))
    }
}
