internal import Crypto
internal import Delivery
internal import EventLoop
internal import Foundation
internal import Logging
internal import Postgres
internal import Synchronization

/// The provider for a tenant's messages on a channel, as `kith tenant channel` sets, removes and tests it.
struct TenantChannel {
    private let slug: String
    /// The channel's name.
    let name: String
    private var channel: String { name }
    private let tenant: Int
    /// The sealed settings; nil when there are none.
    private let sealed: [UInt8]?
    /// The token in the address to which the provider forwards answers; nil if there is none.
    private let inboundToken: String?
    private let database: Database
    private let configuration: Configuration

    /// Finds the channel of a tenant.
    ///
    /// - Throws: ``CommandError`` when there is no such tenant or channel.
    init(_ slug: String, _ channel: String, _ database: Database, _ configuration: Configuration) throws {
        guard ChannelSettings.channels.contains(channel) else {
            throw CommandError("CHANNEL must be one of \(ChannelSettings.channels.joined(separator: ", "))", status: 64)
        }
        let found = try database.operate(
            "select tenant_id, encode(sealed, 'hex'), inbound_token from admin.sealed_channel($1, $2)",
            [.text(slug), .text(channel)])
        self.slug = slug
        name = channel
        // The procedure refuses a tenant that does not exist.
        tenant = found.int(0, 0) ?? 0
        sealed = found.string(0, 1).flatMap { Hex.decode($0) }
        inboundToken = found.string(0, 2)
        self.database = database
        self.configuration = configuration
    }

    /// Seals the settings in `json`, and replaces the previous ones.
    ///
    /// - Throws: ``CommandError`` that names each wrong field.
    func set(_ json: [UInt8]) throws {
        let masterKey = try configuration.loadMasterKey()
        try configuration.check(masterKey, try? database.session(role: "kith_worker"))
        var settings: ChannelSettings
        do throws(ChannelSettingsError) {
            settings = try ChannelSettings(new: channel, json: json)
        } catch {
            let lines = error.errors.map { "\($0.field.isEmpty ? channel : $0.field): \($0.message)" }
            throw CommandError(lines.joined(separator: "\nkith: "))
        }
        switch try stored(masterKey) {
        case .success(let previous): settings = settings.keeping(previous)
        case .failure(let error):
            // An operator corrects unreadable settings with new ones, so these are accepted.
            Log.warning(
                "the previous settings cannot be read, and nothing of them is kept: \(error)",
                ["tenant": slug, "channel": channel])
        case nil: break
        }
        let sealed = try ChannelCredentials.seal(settings.json, tenant: tenant, channel: channel, with: masterKey)
        _ = try database.operate(
            "select admin.set_channel($1, $2, $3::jsonb, $4::bytea)",
            [.text(slug), .text(channel), .bytes(settings.summary), .bytea(sealed)])
        print("set \(channel) of \(slug): \(String(decoding: settings.summary, as: UTF8.self))")
        if settings.inbound != nil {
            let set = try TenantChannel(slug, channel, database, configuration)
            print(
                "the provider forwards answers to: \(configuration.linkURL)/v1/inbound/\(channel)/\(set.inboundToken ?? "")"
            )
        }
        print("try it: kith tenant channel test \(slug) \(channel) ADDRESS")
    }

    /// Removes the settings. Nothing is sent on the channel any more.
    func remove() throws {
        _ = try database.operate("select admin.delete_channel($1, $2)", [.text(slug), .text(channel)])
        print("removed \(channel) of \(slug)")
    }

    /// Sends a real message to `address` now, and returns the provider's id of it. Workers that had paused the channel,
    /// because the provider refused their messages, try it again at once.
    ///
    /// - Throws: ``CommandError`` with the provider's answer.
    func test(_ address: String, environment: String?) throws -> String? {
        let remedy = "kith tenant channel set \(slug) \(channel) FILE"
        guard let stored = try stored(configuration.loadMasterKey()) else {
            throw CommandError("\(slug) has no credentials for \(channel): \(remedy)")
        }
        let settings: ChannelSettings
        do throws(ChannelSettingsError) {
            settings = try stored.get()
        } catch {
            try note("the credentials cannot be used: \(error)")
            throw CommandError("the stored settings cannot be read: \(error): \(remedy)")
        }
        let message = try message(to: address, environment)
        let loop = try EventLoop()
        let transfers = Transfers(loop: loop, rules: configuration.outboundRules)
        let provider = settings.channel(over: transfers, apnsServer: configuration.apnsURL)
        let outcome = Mutex<Result<String?, DeliveryError>?>(nil)
        loop.spawn {
            do throws(DeliveryError) {
                let id = try await provider.send(message)
                outcome.withLock { $0 = .success(id) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
            transfers.close()
            loop.stop()
        }
        loop.run()
        switch outcome.withLock({ $0 }) {
        case .success(let id)?:
            try note(nil)
            return id
        case .failure(let error)? where error.isOfOwnRules:
            // Nothing was sent, so nothing is known of the provider.
            let reason = error.detail.map { "\(error): \($0)" } ?? "\(error)"
            throw CommandError(
                """
                \(reason). Here KITH_OUTBOUND_ALLOW and KITH_CA_FILE decide which addresses and certificates are accepted: \
                give this command those of the workers
                """)
        case .failure(let error)?:
            // An error that concerns only this address says nothing about the credentials.
            if case .retry = error.kind { try note(error.description) }
            throw CommandError(error.description)
        case nil: throw CommandError("the message was not sent")
        }
    }

    private func message(to address: String, _ environment: String?) throws -> Message {
        let name = try database.operate(
            "select name from admin.tenants where slug = $1", [.text(slug)]
        ).string(0, 0)
        var endpoint = address
        var keys: WebPushKeys?
        if channel == "web_push" {
            guard let subscription = try? JSONDecoder().decode(Subscription.self, from: Data(address.utf8)) else {
                throw CommandError(
                    """
                    ADDRESS for web_push must be the browser's subscription: \
                    {"endpoint":…,"keys":{"p256dh":…,"auth":…}}
                    """,
                    status: 64)
            }
            endpoint = subscription.endpoint
            keys = WebPushKeys(p256dh: subscription.keys.p256dh, auth: subscription.keys.auth)
        }
        return Message(
            id: UUID().uuidString.lowercased(), channel: channel, purpose: "notification", address: endpoint,
            subject: "Test", text: "\(name ?? slug) can reach you here.", data: Array("{}".utf8),
            expiresAt: Int64((Date().timeIntervalSince1970 + 600) * 1_000_000), webPushKeys: keys,
            environment: environment, language: "en",
            callback: inboundToken.map { "\(configuration.linkURL)/v1/inbound/voice/\($0)?call=test" })
    }

    /// A push subscription, as a browser's `PushSubscription` serializes itself.
    private struct Subscription: Decodable {
        struct Keys: Decodable {
            let p256dh: String
            let auth: String
        }

        let endpoint: String
        let keys: Keys
    }

    /// The stored settings, or why they cannot be read; nil when there are none.
    private func stored(_ masterKey: MasterKey) throws -> Result<ChannelSettings, ChannelSettingsError>? {
        guard let sealed else { return nil }
        let json: [UInt8]
        do throws(CryptoError) {
            json = try ChannelCredentials.open(sealed, tenant: tenant, channel: channel, with: masterKey)
        } catch {
            throw CommandError("the master key does not open the stored credentials: run kith doctor", status: 78)
        }
        return Result { () throws(ChannelSettingsError) in try ChannelSettings(channel: channel, json: json) }
    }

    /// Records the result of a test: why the provider refuses the credentials, or nil if it accepted the message.
    private func note(_ error: String?) throws {
        _ = try database.operate(
            "select admin.note_channel_test($1, $2, $3)",
            [.text(slug), .text(channel), error.map(PostgresValue.text) ?? .null])
    }
}
