import Counterparts
import Crypto
import Delivery
import Foundation
import LocalPostgres
import Postgres
import TestThreads
import Testing

@Suite(.mayBlock) struct `kith tenant channel` {
    private let installation: Installation
    private let providers: Providers

    init() throws {
        installation = try shared.get().installation
        providers = try Providers()
    }

    private func kith(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        try KithProcess.run(
            ["tenant", "channel"] + arguments,
            environment: installation.environment.merging(providers.environment) { $1 })
    }

    /// A file with settings, in the tests' temporary folder.
    private func file(_ text: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-settings-\(UUID().uuidString).json")
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }

    /// The last refusal that `kith tenant channel list` shows for the tenant's only channel.
    private func objection(of tenant: String) throws -> String? {
        struct Listed: Decodable { let error: String? }
        let list = try kith("list", tenant, "--json")
        return try JSONDecoder().decode(Listed.self, from: Data(list.output.utf8)).error
    }

    @Test func `sets, lists, tests and removes a provider, and shows no secret`() throws {
        let tenant = try installation.tenant("courier")
        let settings = try file(
            #"{"url":"\#(providers.url("/answer/%7B%22sid%22%3A%22SM1%22%7D"))","from":"Kith","id_field":"sid","token":"secret-token"}"#
        )
        defer { try? FileManager.default.removeItem(atPath: settings) }
        let set = try kith("set", "courier", "sms", settings)
        #expect(set.status == 0, "\(set.errors)")
        #expect(set.output.contains("set sms of courier") && !set.output.contains("secret-token"))
        let list = try kith("list", "courier", "--json")
        #expect(list.output.contains(#""channel":"sms""#) && list.output.contains("localhost"), "\(list.output)")
        #expect(!list.output.contains("secret-token"))
        #expect(try kith("list", "globex", "--json").output.contains("courier") == false)
        let unknown = try kith("list", "curier")
        #expect(unknown.status == 1 && unknown.output.isEmpty)
        #expect(unknown.errors == "kith: there is no tenant curier: kith tenant list shows them\n")

        let sent = try kith("test", "courier", "sms", "+4915112345678")
        #expect(
            sent.output == "sent, as SM1; workers send what waits on the channel within seconds\n", "\(sent.errors)")
        let request = try #require(try providers.sink.log.last)
        #expect((request["headers"] as? [String: String])?["authorization"] == "Bearer secret-token")
        #expect(TextMessage(request)?.to == "+4915112345678")
        #expect(TextMessage(request)?.text.contains("Courier can reach you here.") == true)

        let removed = try kith("remove", "courier", "sms")
        #expect(removed.output == "removed sms of courier\n", "\(removed.errors)")
        #expect(try kith("remove", "courier", "sms").status == 1)
        let untried = try kith("test", "courier", "sms", "+4915112345678")
        #expect(untried.status == 1)
        #expect(untried.errors.contains("kith tenant channel set courier sms FILE"), "\(untried.errors)")
        let acts = try installation.session().query(
            """
            select string_agg(action, ' ' order by id) from kith.audit where tenant_id = $1::integer and action like \
            'channel.%'
            """,
            [.int(tenant.tenantID)])
        #expect(acts.string(0, 0) == "channel.set channel.test channel.delete")
    }

    @Test func `lists the address to which the provider forwards answers`() throws {
        let tenant = try installation.tenant("listener")
        try installation.setChannel(
            tenant, "sms",
            [
                "url": providers.url("/status/200"), "from": "Kith",
                "inbound": ["signature": "bearer", "secret": "secret-of-16-bytes"],
            ])
        try installation.setChannel(tenant, "voice", ["url": providers.url("/status/200"), "from": "Kith"])
        let list = try kith("list", "listener")
        let token = try installation.session().query(
            "select inbound_token from kith.channel_credentials where tenant_id = $1::integer and channel = 'sms'",
            [.int(tenant.tenantID)]
        ).string(0, 0)
        #expect(
            list.output.contains(" inbound_url=http") && list.output.contains("/v1/inbound/sms/\(token ?? "none")\n"))
        #expect(list.output.contains(" inbound_url=\n"), "without inbound there is none: \(list.output)")
        #expect(!list.output.contains("secret-of-16-bytes"))
    }

    @Test func `reports the answer of a provider that refused a message, and keeps it`() throws {
        let porter = try installation.tenant("porter")
        try installation.sendTexts(of: porter, to: providers.url("/status/503"))
        let refused = try kith("test", "porter", "sms", "+4915112345678")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("503"), "\(refused.errors)")
        #expect(try objection(of: "porter")?.contains("503") == true)
        try installation.sendTexts(of: porter, to: providers.url("/status/200"))
        #expect(try kith("test", "porter", "sms", "+4915112345678").status == 0)
        #expect(try objection(of: "porter") == nil)

        // Without the workers' settings nothing is sent, and nothing is known of the provider.
        let alone = try KithProcess.run(
            ["tenant", "channel", "test", "porter", "sms", "+4915112345678"], environment: installation.environment)
        #expect(alone.status == 1 && alone.errors.contains("Here KITH_OUTBOUND_ALLOW"), "\(alone.errors)")
        #expect(try objection(of: "porter") == nil)
    }

    @Test func `tests a provider with an operator's own login`() throws {
        let lender = try installation.tenant("lender")
        try installation.sendTexts(of: lender, to: providers.url("/status/200"))
        let made = try KithProcess.run(["operator", "create", "tester"], environment: installation.environment)
        #expect(made.status == 0, "\(made.errors)")
        var environment = installation.environment.merging(providers.environment) { $1 }
        environment["KITH_OWNER_DATABASE_URL"] = installation.url(of: "tester")
        let sent = try KithProcess.run(
            ["tenant", "channel", "test", "lender", "sms", "+4915112345678"], environment: environment)
        #expect(sent.status == 0, "\(sent.errors)")
        let tested = try installation.session().query(
            "select tested_at is not null from kith.channel_credentials where tenant_id = $1::integer",
            [.int(lender.tenantID)])
        #expect(tested.bool(0, 0) == true)
    }

    @Test func `tests an SMTP server, a browser's push service, and the APNs sandbox`() throws {
        let pigeon = try installation.tenant("pigeon")
        let mail = try Counterpart("mail", ["--certificate", providers.certificate.pathWithKey])
        try installation.setChannel(
            pigeon, "email", ["host": "localhost", "port": mail.port, "from": "care@pigeon.example"])
        #expect(try kith("test", "pigeon", "email", "bob@example.org").status == 0)
        let unknown = try kith("test", "pigeon", "email", "rcpt-550-5.1.1@example.org")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("550"), "\(unknown.errors)")
        #expect(try objection(of: "pigeon") == nil, "a refused address does not mean that the credentials are wrong")

        let apple = try Apple(providers.certificate)
        try installation.setChannel(pigeon, "apns", apple.settings)
        let environment = installation.environment.merging(providers.environment) { $1 }
            .merging(apple.environment) { $1 }
        let pushed = try KithProcess.run(
            [
                "tenant", "channel", "test", "pigeon", "apns", Apple.device("200"), "--environment", "sandbox",
            ], environment: environment)
        #expect(pushed.status == 0, "\(pushed.errors)")
        let gone = try KithProcess.run(
            ["tenant", "channel", "test", "pigeon", "apns", Apple.device("410 Unregistered")], environment: environment)
        #expect(gone.errors.contains("410 Unregistered"), "\(gone.errors)")

        let first = try installation.setChannel(pigeon, "web_push", ["subject": "mailto:ops@pigeon.example"])
        let again = try installation.setChannel(pigeon, "web_push", ["subject": "mailto:care@pigeon.example"])
        let key = /"public_key":"[^"]+"/
        #expect(try #require(first.firstMatch(of: key)).output == again.firstMatch(of: key)?.output, "the key stays")
        #expect(try kith("test", "pigeon", "web_push", "https://push.example").status == 64)
    }

    @Test func `reports stored settings that cannot be read, and replaces them`() throws {
        let heron = try installation.tenant("heron")
        try installation.sendTexts(of: heron, to: providers.url("/status/200"))
        let masterKey = try MasterKey(text: try #require(installation.environment["KITH_MASTER_KEY"]))
        let sealed = try ChannelCredentials.seal(
            Array(#"{"from":"Kith"}"#.utf8), tenant: heron.tenantID, channel: "sms", with: masterKey)
        _ = try installation.session().query(
            "update kith.channel_credentials set sealed = decode($1, 'hex') where tenant_id = $2::integer",
            [.text(Hex.encode(sealed)), .int(heron.tenantID)])
        let tested = try kith("test", "heron", "sms", "+4915112345678")
        #expect(tested.status == 1)
        #expect(tested.errors.contains("the stored settings cannot be read: url is required"), "\(tested.errors)")
        #expect(try objection(of: "heron")?.contains("the credentials cannot be used") == true)
        let settings = try file(#"{"url":"\#(providers.url("/status/200"))","from":"Kith"}"#)
        defer { try? FileManager.default.removeItem(atPath: settings) }
        let replaced = try kith("set", "heron", "sms", settings)
        #expect(replaced.status == 0, "\(replaced.errors)")
        #expect(replaced.errors.contains("the previous settings cannot be read"), "\(replaced.errors)")
        #expect(try kith("test", "heron", "sms", "+4915112345678").status == 0)
    }

    @Test func `names each invalid field`() throws {
        let settings = try file(#"{"url":"ftp://x","from":7,"colour":"blue"}"#)
        defer { try? FileManager.default.removeItem(atPath: settings) }
        let refused = try kith("set", "acme", "sms", settings)
        #expect(refused.status == 1)
        for field in ["url", "from", "colour"] {
            #expect(refused.errors.contains("kith: \(field): "), "\(refused.errors)")
        }
        let broken = try file("{")
        defer { try? FileManager.default.removeItem(atPath: broken) }
        #expect(try kith("set", "acme", "sms", broken).status == 1)
        #expect(try kith("set", "acme", "sms", "/nonexistent").errors.contains("/nonexistent cannot be read"))
        #expect(try kith("set", "nobody", "sms", settings).status == 1)
    }

    @Test(
        arguments: [
            ["set"], ["set", "acme"], ["set", "acme", "fax", "-"], ["set", "acme", "sms"], ["fly", "acme"], ["list"],
            ["test", "acme", "sms"], ["test", "acme", "apns", "00", "--environment", "moon"],
            ["remove", "acme", "pigeon"],
        ])
    func `prints its usage when called wrongly`(arguments: [String]) throws {
        let refused = try KithProcess.run(["tenant", "channel"] + arguments, environment: installation.environment)
        #expect(refused.status == 64, "\(arguments): \(refused.errors)")
        #expect(refused.errors.hasPrefix("kith: "))
    }
}
