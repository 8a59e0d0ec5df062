public import Crypto
public import Delivery
internal import Foundation
internal import Logging
public import Postgres

/// Sends what the outbox holds: claims a batch, sends it outside any transaction, and says what became of it. At least once: a
/// worker that dies in between leaves its batch to another, a minute later.
///
/// `@unchecked Sendable`: it has no state of its own but the pool, which checks that it is used on the loop's thread.
public final class Outbox: @unchecked Sendable {
    private let pool: PostgresPool
    private let masterKey: MasterKey
    private let channel: any DeliveryChannel
    private let instance: String

    /// An outbox over `pool` that sends by `channel`. `masterKey` opens the secrets in messages.
    public init(pool: PostgresPool, masterKey: MasterKey, channel: any DeliveryChannel, instance: String) {
        self.pool = pool
        self.masterKey = masterKey
        self.channel = channel
        self.instance = instance
    }

    /// Plans a batch of what people are to be told, and sends a batch of what is due at `now` (microseconds since 1970) on each channel;
    /// how many there were.
    ///
    /// - Throws: `PostgresError`. What was sent and could not be recorded is sent again.
    func send(_ count: Int, at now: Int64) async throws(PostgresError) -> Int {
        var done = try await pool.query(Self.plan, [.instant(now), .int(count)], lane: .slow).int(0, 0) ?? 0
        for channel in ["apns", "web_push", "email", "sms"] {
            done += try await send(count, on: channel, at: now)
        }
        return done
    }

    private func send(_ count: Int, on channel: String, at now: Int64) async throws(PostgresError) -> Int {
        let claimed = try await pool.query(
            Self.claim, [.instant(now), .text(channel), .int(count), .text(instance)], lane: .slow)
        guard claimed.rowCount > 0 else { return 0 }
        let results = await withTaskGroup(of: Result.self) { group in
            for row in 0..<claimed.rowCount {
                group.addTask { await self.send(claimed, row) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let json = (try? JSONEncoder().encode(results)) ?? Data("[]".utf8)
        _ = try await pool.query(Self.finish, [.instant(now), .text(instance), .bytes(Array(json))], lane: .slow)
        return claimed.rowCount
    }

    /// What became of a delivery, as the database takes it.
    private struct Result: Encodable {
        let tenant_id: Int
        let id: String
        let outcome: String
        var error: String?
    }

    private func send(_ rows: PostgresResult, _ row: Int) async -> Result {
        let tenant = rows.int(row, 0) ?? 0
        let id = rows.string(row, 1) ?? ""
        var text = rows.string(row, 5) ?? ""
        if let sealed = rows.bytes(row, 6) {
            do throws(CryptoError) {
                let secret = try DeliverySecret.open(sealed, tenant: tenant, delivery: id, with: masterKey)
                text = text.replacing(DeliverySecret.placeholder, with: secret)
            } catch {
                // Another worker may have the right key, and this one after a restart.
                Log.error("the master key does not open a message", ["delivery": id])
                return Result(tenant_id: tenant, id: id, outcome: "retry", error: "the master key does not open it")
            }
        }
        let message = Message(
            id: id, channel: rows.string(row, 2) ?? "", purpose: "", address: rows.string(row, 3) ?? "",
            subject: rows.string(row, 4), text: text)
        do throws(DeliveryError) {
            try await channel.send(message)
            return Result(tenant_id: tenant, id: id, outcome: "sent")
        } catch {
            return Result(
                tenant_id: tenant, id: id, outcome: Self.outcome(error.kind),
                error: String(error.description.prefix(500)))
        }
    }

    private static func outcome(_ kind: DeliveryError.Kind) -> String {
        switch kind {
        case .retry: "retry"
        case .final, .gone: "failed"
        }
    }

    private static let claim = PostgresStatement(
        name: "claim_deliveries",
        sql: """
            select tenant_id, id::text, channel, address, subject, body, sealed_secret \
            from worker.claim_deliveries($1::timestamptz, $2::text, $3::integer, $3::integer, 0, '{}', $4::text)
            """, hasBinaryResults: true)
    private static let plan = PostgresStatement(
        name: "plan_deliveries", sql: "select worker.plan_deliveries($1::timestamptz, $2::integer, true)")
    private static let finish = PostgresStatement(
        name: "finish_deliveries", sql: "select worker.finish_deliveries($1::timestamptz, $2::text, $3::jsonb)")
}
