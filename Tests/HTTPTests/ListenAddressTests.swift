import HTTP
import Testing

@Suite struct `An address to listen on` {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080), ("0.0.0.0:0", "0.0.0.0", 0), ("[::1]:65535", "::1", 65535),
        ("[::]:80", "::", 80),
    ])
    func `is an IP address and a port`(text: String, host: String, port: UInt16) throws {
        let address = try #require(ListenAddress(text))
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:http", "localhost:80",
        "::1:80", "[::1]", "[::1:80", "::1]:80", "127.0.0.256:80", "127.1:80", " 127.0.0.1:80", "127.0.0.1:80 ",
        "[127.0.0.1]:80",
    ])
    func `does not accept anything else`(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
