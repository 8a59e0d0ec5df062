import Testing

@testable import NetworkAddresses

@Suite struct `A network address` {
    @Test(arguments: ["192.0.2.1", "0.0.0.0", "255.255.255.255", "2001:db8::1", "::", "::1", "fe80::1"])
    func `is written as it is read`(_ text: String) throws {
        #expect(try #require(NetworkAddress(text)).description == text)
    }

    @Test(arguments: ["", "a", "10.0.0", "10.0.0.256", "010.0.0.1", "10.0.0.1 ", "::1%lo", "[::1]", "example.com"])
    func `is an IP address and nothing else`(_ text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    @Test func `of IPv4 is the same in its IPv6 form`() throws {
        let address = try #require(NetworkAddress("::ffff:192.0.2.1"))
        #expect(address == NetworkAddress("192.0.2.1"))
        #expect(address.isIPv4 && address.description == "192.0.2.1")
    }

    @Test func `is counted by subscriber, which is a 64-bit prefix of IPv6`() {
        #expect(NetworkAddress("2001:db8::1")?.subscriber == NetworkAddress("2001:db8::ffff:1")?.subscriber)
        #expect(NetworkAddress("2001:db8::1")?.subscriber != NetworkAddress("2001:db8:0:1::1")?.subscriber)
        #expect(NetworkAddress("192.0.2.1")?.subscriber != NetworkAddress("192.0.2.2")?.subscriber)
    }

    @Test(arguments: [
        "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "2002:a00:1::", "fc00::1",
    ])
    func `that leads into a private network is not public`(_ text: String) throws {
        #expect(try !#require(NetworkAddress(text)).isPublic)
    }

    @Test(arguments: ["8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2606:4700::1111"])
    func `of the Internet is public`(_ text: String) throws {
        #expect(try #require(NetworkAddress(text)).isPublic)
    }
}

@Suite struct `A block of addresses` {
    @Test(
        arguments: [
            ("192.0.2.128/25", "192.0.2.128", true), ("192.0.2.128/25", "192.0.2.255", true),
            ("192.0.2.128/25", "192.0.2.127", false), ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
            ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
        ])
    func `contains the addresses with its prefix`(_ text: String, _ address: String, _ isIn: Bool) throws {
        #expect(try #require(AddressBlock(text)).contains(try #require(NetworkAddress(address))) == isIn)
    }

    @Test func `of one family contains no address of the other`() throws {
        let ipv4 = try #require(NetworkAddress("8.8.8.8"))
        let ipv6 = try #require(NetworkAddress("ffff::"))
        let allIPv4 = try #require(AddressBlock("0.0.0.0/0"))
        let allIPv6 = try #require(AddressBlock("::/0"))
        #expect(allIPv4.contains(ipv4) && !allIPv4.contains(ipv6))
        #expect(allIPv6.contains(ipv6) && !allIPv6.contains(ipv4))
    }

    @Test(
        arguments: [
            "", "/8", "a", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0/8", "::/129", "example.com",
            "10.0.0.0/8/8",
        ])
    func `is not read from any other text`(_ text: String) {
        #expect(AddressBlock(text) == nil)
    }
}
