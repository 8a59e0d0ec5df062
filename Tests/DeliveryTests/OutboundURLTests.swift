import Testing

@testable import Delivery

@Suite struct `An outbound URL` {
    @Test(
        arguments: [
            ("https://a.example/b?c=d", "https://a.example/b?c=d", "https://a.example"),
            ("HTTPS://A.example", "https://A.example", "https://a.example"),
            ("HttpS://a.example:443/", "https://a.example:443/", "https://a.example"),
            ("https://a.example:1/", "https://a.example:1/", "https://a.example:1"),
            ("https://a.example:65535/@x", "https://a.example:65535/@x", "https://a.example:65535"),
            ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443"),
            ("https://a.example/?u=b@c:0", "https://a.example/?u=b@c:0", "https://a.example"),
        ])
    func `is kept with its scheme in lower case`(given: String, text: String, origin: String) throws {
        let url = try OutboundURL(given)
        #expect(url.text == text)
        #expect(url.origin == origin)
    }

    @Test(
        arguments: [
            ("http://a.example/", "begins with https://"), ("a.example", "begins with https://"),
            ("", "begins with https://"),
            ("https:/a.example/", "begins with https://"), ("https:///a.example/", "begins with https://"),
            ("https://", "begins with https://"), ("https://a b/", "no spaces"), ("https://ä.example/", "no spaces"),
            ("https://a.example:0/", "port"), ("https://a.example:00/", "port"), ("https://a.example:65536/", "port"),
            ("https://a.example:99999/", "port"), ("https://a.example:99999999999999999999/", "port"),
            ("https://[2001:db8::1]:0/", "port"), ("https://a:b@a.example/", "user"), ("https://a@a.example/", "user"),
            ("https://@a.example/", "user"), ("https://:@a.example/", "user"), ("https://a.example/#", "fragment"),
            ("https://a.example/#x", "fragment"), ("https://a.example:x/", "host"), ("https://[::1/", "host"),
        ])
    func `that cannot be sent to is refused with the reason`(given: String, reason: String) {
        do throws(OutboundURL.Refusal) {
            _ = try OutboundURL(given)
            Issue.record("it was accepted")
        } catch {
            #expect(error.message.contains(reason), "\(error.message)")
        }
    }

    @Test func `has a limit`() throws {
        let url = "https://a.example/" + String(repeating: "x", count: 82)
        #expect(throws: Never.self) { try OutboundURL(url, atMost: 100) }
        #expect(throws: OutboundURL.Refusal.self) { try OutboundURL(url + "x", atMost: 100) }
    }
}
