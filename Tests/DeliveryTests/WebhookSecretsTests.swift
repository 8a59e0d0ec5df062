import Crypto
import Delivery
import Testing

@Suite struct `The secrets of a webhook` {
    private let masterKey = MasterKey.generate()

    private func reread(_ secrets: WebhookSecrets) throws -> WebhookSecrets {
        try WebhookSecrets(
            secrets.sealed(tenant: 7, id: "a", with: masterKey), tenant: 7, id: "a", with: masterKey)
    }

    @Test func `have the form of Standard Webhooks and are unique`() throws {
        let secret = WebhookSecrets().newest
        #expect(WebhookSecret(secret)?.text == secret)
        #expect(WebhookSecrets().newest != secret)
    }

    @Test func `are stored sealed, bound to their webhook`() throws {
        let secrets = WebhookSecrets()
        let sealed = try secrets.sealed(tenant: 7, id: "a", with: masterKey)
        #expect(try WebhookSecrets(sealed, tenant: 7, id: "a", with: masterKey) == secrets)
        for (tenant, id) in [(8, "a"), (7, "b")] {
            #expect(throws: WebhookSecrets.Unreadable.self) {
                try WebhookSecrets(sealed, tenant: tenant, id: id, with: masterKey)
            }
        }
        #expect(throws: WebhookSecrets.Unreadable.self) {
            try WebhookSecrets(sealed, tenant: 7, id: "a", with: .generate())
        }
        #expect(!sealed.contains(sequence: Array(secrets.newest.utf8)))
    }

    @Test func `stay valid for a day beside a new one`() throws {
        let first = WebhookSecrets()
        let second = try reread(first.rotated(at: 1000))
        #expect(second.newest != first.newest)
        #expect(second.valid(at: 1000).map(\.text) == [second.newest, first.newest])
        #expect(second.valid(at: 999 + WebhookSecrets.overlap).map(\.text) == [second.newest, first.newest])
        #expect(second.valid(at: 1000 + WebhookSecrets.overlap).map(\.text) == [second.newest])
    }

    @Test func `are never more than two`() throws {
        let third = try reread(WebhookSecrets().rotated(at: 1000).rotated(at: 2000))
        #expect(third.valid(at: 2000).count == 2)
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}
