internal import Crypto
internal import Delivery
internal import EventLoop
internal import Postgres

/// The tenants' own providers. Their credentials are read from the database, opened with the master key, and cached for
/// half a minute.
///
/// `@unchecked Sendable`: `cache` and `loading` are accessed only on the loop's thread, which the pool checks.
final class TenantChannels: ChannelResolver, @unchecked Sendable {
    private struct Key: Hashable {
        let tenant: Int
        let channel: String
    }

    private struct CachedProvider {
        /// The provider; nil when the tenant has no credentials for the channel.
        let provider: (any DeliveryChannel)?
        let version: Int64?
        let readAt: ContinuousClock.Instant
    }

    private let pool: PostgresPool
    private let masterKey: MasterKey
    private let transfers: Transfers
    private let apnsServer: String?
    private var cache: [Key: CachedProvider] = [:]
    private var loading: [Key: Task<Result<CachedProvider, DeliveryError>, Never>] = [:]

    /// How long credentials are used without reading them again. A tenant's change takes effect after at most this
    /// time.
    private static let validity = Duration.seconds(30)
    /// How long unused credentials are kept, with their tokens and secrets.
    private static let memory = Duration.seconds(600)

    init(pool: PostgresPool, masterKey: MasterKey, transfers: Transfers, apnsServer: String?) {
        self.pool = pool
        self.masterKey = masterKey
        self.transfers = transfers
        self.apnsServer = apnsServer
    }

    func channel(of tenant: Int, _ channel: String) async throws(DeliveryError) -> any DeliveryChannel {
        let key = Key(tenant: tenant, channel: channel)
        var found = cache[key]
        if found.map({ pool.loop.now - $0.readAt > Self.validity }) ?? true {
            found = try await load(key)
        }
        guard let provider = found?.provider else {
            throw DeliveryError("the tenant has no credentials for \(channel)", .retry())
        }
        return provider
    }

    func note(_ error: String?, of tenant: Int, _ channel: String, pause: Duration?, at now: Int64) async {
        _ = try? await pool.query(
            Self.note,
            [
                .int(tenant), .text(channel), error.map(PostgresValue.text) ?? .null,
                pause.map { .int(Int($0 / .milliseconds(1))) } ?? .null, .instant(now),
            ], lane: .upkeep)
    }

    /// Reads the credentials, once for all concurrent callers.
    private func load(_ key: Key) async throws(DeliveryError) -> CachedProvider {
        if let task = loading[key] { return try await task.value.get() }
        let task = Task(executorPreference: pool.loop) { await self.read(key) }
        loading[key] = task
        let result = await task.value
        loading[key] = nil
        if case .success(let read) = result {
            cache = cache.filter { pool.loop.now - $0.value.readAt < Self.memory }
            cache[key] = read
        }
        return try result.get()
    }

    private func read(_ key: Key) async -> Result<CachedProvider, DeliveryError> {
        let rows: PostgresResult
        do throws(PostgresError) {
            rows = try await pool.query(Self.read, [.int(key.tenant), .text(key.channel)], lane: .writes)
        } catch {
            return .failure(DeliveryError("the credentials cannot be read: \(error)", .retry()))
        }
        let now = pool.loop.now
        guard rows.rowCount > 0, let sealed = rows.bytes(0, 0) else {
            return .success(CachedProvider(provider: nil, version: nil, readAt: now))
        }
        let version = rows.int(0, 1).map(Int64.init)
        // The credentials are unchanged, so keep the provider with its connections and tokens.
        if let old = cache[key], old.version == version {
            return .success(CachedProvider(provider: old.provider, version: version, readAt: now))
        }
        do {
            let json = try ChannelCredentials.open(
                sealed, tenant: key.tenant, channel: key.channel, with: masterKey)
            let settings = try ChannelSettings(channel: key.channel, json: json)
            return .success(
                CachedProvider(
                    provider: settings.channel(over: transfers, apnsServer: apnsServer), version: version, readAt: now))
        } catch is CryptoError {
            return .failure(DeliveryError("the master key does not open the credentials", .retry()))
        } catch {
            return .failure(DeliveryError("the credentials cannot be used: \(error)", .retry()))
        }
    }

    private static let read = PostgresStatement(
        name: "channel_credentials",
        sql: """
            select sealed, (extract(epoch from updated_at) * 1000000)::bigint \
            from worker.channel_credentials($1::integer, $2::text)
            """, hasBinaryResults: true)
    private static let note = PostgresStatement(
        name: "note_channel",
        sql: """
            select worker.note_channel($1::integer, $2::text, $3::text, $4::bigint * interval '1 millisecond', \
            $5::timestamptz)
            """)
}
