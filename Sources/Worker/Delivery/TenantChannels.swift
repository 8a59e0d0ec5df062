internal import Crypto
internal import Delivery
internal import EventLoop
internal import Postgres

/// The tenants' own providers. Their credentials are read from the database, opened with the master key, and cached for
/// half a minute.
///
/// `@unchecked Sendable`: `kept` and `loading` are accessed only on the loop's thread, which the pool checks.
final class TenantChannels: ChannelResolver, @unchecked Sendable {
    private struct Place: Hashable {
        let tenant: Int
        let channel: String
    }

    private struct Kept {
        /// The provider; nil when the tenant has no credentials for the channel.
        let way: (any DeliveryChannel)?
        let version: Int64?
        let readAt: ContinuousClock.Instant
    }

    private let pool: PostgresPool
    private let masterKey: MasterKey
    private let transfers: Transfers
    private let apnsServer: String?
    private var kept: [Place: Kept] = [:]
    private var loading: [Place: Task<Result<Kept, DeliveryError>, Never>] = [:]

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
        let place = Place(tenant: tenant, channel: channel)
        var found = kept[place]
        if found.map({ pool.loop.now - $0.readAt > Self.validity }) ?? true {
            found = try await load(place)
        }
        guard let way = found?.way else {
            throw DeliveryError("the tenant has no credentials for \(channel)", .retry())
        }
        return way
    }

    func note(_ error: String?, of tenant: Int, _ channel: String, at now: Int64) async {
        _ = try? await pool.query(
            Self.note,
            [.int(tenant), .text(channel), error.map(PostgresValue.text) ?? .null, .instant(now)], lane: .upkeep)
    }

    /// Reads the credentials, once for all concurrent callers.
    private func load(_ place: Place) async throws(DeliveryError) -> Kept {
        if let task = loading[place] { return try await task.value.get() }
        let task = Task(executorPreference: pool.loop) { await self.read(place) }
        loading[place] = task
        let result = await task.value
        loading[place] = nil
        if case .success(let read) = result {
            kept = kept.filter { pool.loop.now - $0.value.readAt < Self.memory }
            kept[place] = read
        }
        return try result.get()
    }

    private func read(_ place: Place) async -> Result<Kept, DeliveryError> {
        let rows: PostgresResult
        do throws(PostgresError) {
            rows = try await pool.query(Self.read, [.int(place.tenant), .text(place.channel)], lane: .writes)
        } catch {
            return .failure(DeliveryError("the credentials cannot be read: \(error)", .retry()))
        }
        let now = pool.loop.now
        guard rows.rowCount > 0, let sealed = rows.bytes(0, 0) else {
            return .success(Kept(way: nil, version: nil, readAt: now))
        }
        let version = rows.int(0, 1).map(Int64.init)
        // The credentials are unchanged, so keep the provider with its connections and tokens.
        if let old = kept[place], old.version == version {
            return .success(Kept(way: old.way, version: version, readAt: now))
        }
        do {
            let json = try ChannelCredentials.open(
                sealed, tenant: place.tenant, channel: place.channel, with: masterKey)
            let settings = try ChannelSettings(channel: place.channel, json: json)
            return .success(
                Kept(way: settings.channel(over: transfers, apnsServer: apnsServer), version: version, readAt: now))
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
        sql: "select worker.note_channel($1::integer, $2::text, $3::text, $4::timestamptz)")
}
