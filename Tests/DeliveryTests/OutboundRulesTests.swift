import NetworkAddresses
import Testing

@testable import Delivery

@Suite struct `The rules for outbound addresses` {
    @Test(
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "127.0.0.1", "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1",
            "192.168.1.1", "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1",
            "239.255.255.250", "240.0.0.1", "255.255.255.255",
            "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
            "::ffff:0:10.0.0.1",
            "64:ff9b::127.0.0.1", "64:ff9b::192.168.0.1", "64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:0:1:2::3",
            "2001:2::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "2002:c0a8:101::1", "2002:a9fe:a9fe::",
            "2620:4f:8000::1",
            "3fff::1", "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
        ]) func `refuse addresses that are not public`(_ text: String) throws
    {
        let address = try #require(NetworkAddress(text))
        #expect(!OutboundRules().permits(address, encrypted: true))
    }

    @Test(
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.0.0.1",
            "128.0.0.1",
            "169.253.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1", "192.167.0.1", "198.17.0.1", "198.20.0.1",
            "223.255.255.255",
            "2000::1", "2001:200::1", "2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8", "2002:808:808::1", "3ffe::1",
        ]) func `allow public addresses over an encrypted connection only`(_ text: String) throws
    {
        let address = try #require(NetworkAddress(text))
        #expect(OutboundRules().permits(address, encrypted: true))
        #expect(!OutboundRules().permits(address, encrypted: false))
    }

    @Test func `allow an operator's exceptions, in every form of an address`() throws {
        let rules = OutboundRules(allowed: [
            try #require(AddressBlock("10.1.0.0/16")), try #require(AddressBlock("::1")),
        ])
        for text in ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "::1"] {
            #expect(rules.permits(try #require(NetworkAddress(text)), encrypted: false), "\(text)")
        }
        for text in ["10.2.0.1", "::ffff:10.2.0.1", "127.0.0.1", "::2"] {
            #expect(!rules.permits(try #require(NetworkAddress(text)), encrypted: true), "\(text)")
        }
    }

    @Test(
        arguments: [
            "http://example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/",
            "smtp://example.com/",
            "example.com", "//example.com/", "https://", "https://user@example.com/",
            "https://user:password@example.com/", "https://example.com/ with spaces", "https://example.com/\r\nX: y",
            "",
            "https://[::1", "https://example.com:99999/",
        ]) func `refuse a URL that is not a valid https URL`(_ url: String)
    {
        #expect(throws: TransferError.self) { try OutboundRules().check(url, isTrusted: false, isMail: false) }
    }

    @Test func `allow plain HTTP only for addresses that may be allowed`() throws {
        let rules = OutboundRules(allowed: [try #require(AddressBlock("127.0.0.1"))])
        #expect(try rules.check("HTTP://localhost/", isTrusted: false, isMail: false) == "http")
        #expect(try OutboundRules().check("http://localhost/", isTrusted: true, isMail: false) == "http")
        #expect(try OutboundRules().check("smtps://mail.example.com:465/x", isTrusted: false, isMail: true) == "smtps")
        #expect(throws: TransferError.self) { try rules.check("https://localhost/", isTrusted: false, isMail: true) }
    }
}
