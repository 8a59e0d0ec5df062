public import Crypto
internal import Delivery
internal import Glibc
public import Postgres

/// The long-lived keys that the database stores sealed with the master key: tenants' signing keys, vaults' keys,
/// channel credentials and webhook secrets. Everything else that is sealed with it lives for a day at most.
///
/// For commands, which connect as the database owner, and for the server's start.
public enum SealedKeys {
    /// The number of keys to reseal in one transaction.
    private static let batch = 200
    /// How long a server's statement can run, in microseconds. Until then, a server can still write a key sealed with
    /// the previous master key.
    private static let longestStatement: UInt32 = 6_000_000

    /// The tables with sealed keys. Each key's context begins with its table's name.
    private static let kinds = ["jwt_keys", "vault_keys", "channel_credentials", "webhooks", "care_cards", "places"]

    /// The result of ``resealAll(with:isNew:_:)``.
    public struct Outcome: Sendable {
        /// The number of keys that were resealed.
        public var resealed = 0
        /// The number of keys that the first master key had already sealed.
        public var kept = 0
    }

    /// No master key opens this sealed key.
    public struct Unopened: Error, CustomStringConvertible {
        package let kind: String
        package let tenant: Int
        package let id: String

        /// The key's table, id and tenant.
        public var description: String { "the master key does not open \(kind) \(id) of tenant \(tenant)" }
    }

    /// Explains why `masterKey` is not this database's key, judged by a sample of sealed keys. Nil if it is, or if
    /// nothing is sealed yet.
    ///
    /// - Throws: `PostgresError` if the database cannot be reached.
    public static func objection(to masterKey: MasterKey, _ session: PostgresSession) throws(PostgresError) -> String? {
        objection(to: masterKey, in: try session.query(samples))
    }

    /// The query for the sample by which ``objection(to:in:)`` judges.
    package static let samples = "select kind, tenant_id, id, encode(sealed, 'hex') from internal.sealed_samples()"

    /// ``objection(to:_:)`` from an answer of the query ``samples``.
    package static func objection(to masterKey: MasterKey, in samples: PostgresResult) -> String? {
        for row in 0..<samples.rowCount {
            let kind = samples.string(row, 0) ?? ""
            let (tenant, id) = (samples.int(row, 1) ?? 0, samples.string(row, 2) ?? "")
            let sealed = samples.string(row, 3).flatMap(Hex.decode) ?? []
            if (try? masterKey.open(sealed, for: context(kind, tenant, id))) == nil {
                return "KITH_MASTER_KEY is not the key of this database: it does not open \(kind) \(id) "
                    + "of tenant \(tenant)"
            }
        }
        return nil
    }

    /// Reseals every key of these databases that is not sealed with the first master key. It can be stopped at any time
    /// and run again.
    ///
    /// If `isNew`, servers may have learned of the first key only a moment ago. A second pass some seconds later then
    /// finds what they wrote meanwhile with the previous one.
    ///
    /// - Throws: ``Unopened`` for a key that no master key opens, or `PostgresError`. Completed batches stay resealed.
    public static func resealAll(
        with masterKey: MasterKey, isNew: Bool, _ sessions: [PostgresSession]
    ) throws -> Outcome {
        var outcome = Outcome()
        for session in sessions {
            let first = try pass(masterKey, session)
            outcome.resealed += first.resealed
            outcome.kept += first.kept
        }
        if isNew {
            usleep(longestStatement)
            for session in sessions { outcome.resealed += try pass(masterKey, session).resealed }
        }
        return outcome
    }

    private static func pass(_ masterKey: MasterKey, _ session: PostgresSession) throws -> Outcome {
        let first = masterKey.first
        var outcome = Outcome()
        for kind in kinds {
            var last = (tenant: 0, id: "00000000-0000-0000-0000-000000000000")
            while true {
                let rows = try session.query(
                    "select tenant_id, id, encode(sealed, 'hex') from internal.sealed_keys($1, $2, $3, $4)",
                    [.text(kind), .int(last.tenant), .text(last.id), .int(batch)])
                guard rows.rowCount > 0 else { break }
                try session.execute("begin")
                do {
                    for row in 0..<rows.rowCount {
                        last = (rows.int(row, 0) ?? 0, rows.string(row, 1) ?? "")
                        let sealed = rows.string(row, 2).flatMap(Hex.decode) ?? []
                        let context = context(kind, last.tenant, last.id)
                        if (try? first.open(sealed, for: context)) != nil {
                            outcome.kept += 1
                            continue
                        }
                        guard let secret = try? masterKey.open(sealed, for: context) else {
                            throw Unopened(kind: kind, tenant: last.tenant, id: last.id)
                        }
                        _ = try session.query(
                            "select internal.reseal_key($1, $2, $3, $4, $5)",
                            [
                                .text(kind), .int(last.tenant), .text(last.id), .bytea(sealed),
                                .bytea(try first.seal(secret, for: context)),
                            ])
                        outcome.resealed += 1
                    }
                } catch {
                    try? session.execute("rollback")
                    throw error
                }
                try session.execute("commit")
            }
        }
        return outcome
    }

    /// The context to which a key is sealed: `kind` is its table, and `id` what identifies it within the tenant.
    package static func context(_ kind: String, _ tenant: Int, _ id: String) -> String {
        switch kind {
        case "jwt_keys": SigningKey.context(tenant: tenant, id: id)
        case "channel_credentials": ChannelCredentials.context(tenant: tenant, channel: id)
        case "webhooks": WebhookSecrets.context(tenant, id)
        case "care_cards", "places": PersonalKey.context(table: kind, tenant: tenant, user: id)
        default: ContentKey.context(tenant: tenant, vault: id)
        }
    }
}
