import Crypto
import Foundation
import Testing

@testable import Delivery

@Suite struct `A message` {
    private let message = Message(
        id: "m-1", channel: "sms", purpose: "sign_in_code", address: "+4915100000001", subject: nil,
        text: "PRUUF code: 123456.\n\n@pruuf.app #123456")

    @Test func `is one readable block on the console`() {
        #expect(
            ConsoleSink.block(message)
                == "\n  | sms to +4915100000001\n  | PRUUF code: 123456.\n  | \n  | @pruuf.app #123456\n\n")
    }

    @Test func `is one line of JSON in a file that only its owner can read`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "kith-messages-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let sink = FileSink(path: path)
        try await sink.send(message)
        try await sink.send(message)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
        let read = try #require(JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: String])
        #expect(read == ["id": "m-1", "channel": "sms", "address": message.address, "text": message.text])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `is not accepted by a file that cannot be written`() async {
        await #expect(throws: DeliveryError.self) {
            try await FileSink(path: "/nonexistent/messages").send(message)
        }
    }
}

@Suite struct `The secret of a message` {
    @Test func `can be opened only for its own row`() throws {
        let key = MasterKey.generate()
        let sealed = try DeliverySecret.seal("123456", tenant: 1, delivery: "d-1", with: key)
        #expect(try DeliverySecret.open(sealed, tenant: 1, delivery: "d-1", with: key) == "123456")
        #expect(throws: CryptoError.self) { try DeliverySecret.open(sealed, tenant: 2, delivery: "d-1", with: key) }
        #expect(throws: CryptoError.self) { try DeliverySecret.open(sealed, tenant: 1, delivery: "d-2", with: key) }
    }
}
