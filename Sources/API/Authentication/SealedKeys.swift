public import Crypto
internal import Delivery
internal import Glibc
public import Postgres

/// The keys that rest in the database under the master key for as long as they are used: tenants' signing keys, vaults' keys, and what
/// tenants' providers know them by. What else is sealed with it lives for a day at most.
///
/// For commands, which have a session of the owner's, and for a server's start.
public enum SealedKeys {
    /// How many are sealed anew in one transaction.
    private static let batch = 200
    /// How long a statement of a server may be under way, in microseconds: what it sealed before it learned of a new key.
    private static let longestStatement: UInt32 = 6_000_000

    /// What there is, by kind: the table's name, which the context of each begins with.
    private static let kinds = ["jwt_keys", "vault_keys", "channel_credentials", "webhooks"]

    /// What a run of ``resealAll(with:isNew:_:)`` did.
    public struct Outcome: Sendable {
        /// How many keys were sealed anew.
        public var resealed = 0
        /// How many were sealed with the first key already.
        public var kept = 0
    }

    /// A key that none of the master keys opens.
    public struct Unopened: Error, CustomStringConvertible {
        let kind: String
        let tenant: Int
        let id: String

        /// Which one it is.
        public var description: String { "the master key does not open \(kind) \(id) of tenant \(tenant)" }
    }

    /// Why `masterKey` is not the one of this database, by a few of its keys; nil when it is, or nothing is sealed yet.
    ///
    /// - Throws: `PostgresError` when the database cannot be asked.
    public static func objection(to masterKey: MasterKey, _ session: PostgresSession) throws(PostgresError) -> String? {
        let samples = try session.query(
            "select kind, tenant_id, id, encode(sealed, 'hex') from internal.sealed_samples()")
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

    /// Seals every key with the first of the master keys that is sealed with another. Can be ended at any time and begun again.
    ///
    /// `isNew` says that servers may have learned of the first key a moment ago: then what one of them was just writing is looked for
    /// once more, some seconds later.
    ///
    /// - Throws: ``Unopened`` for a key that none of them opens, and `PostgresError`; what was done before stays done.
    public static func resealAll(
        with masterKey: MasterKey, isNew: Bool, _ session: PostgresSession
    ) throws -> Outcome {
        var outcome = try pass(masterKey, session)
        if isNew {
            usleep(longestStatement)
            outcome.resealed += try pass(masterKey, session).resealed
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

    private static func context(_ kind: String, _ tenant: Int, _ id: String) -> String {
        switch kind {
        case "jwt_keys": SigningKey.context(tenant: tenant, id: id)
        case "channel_credentials": ChannelCredentials.context(tenant: tenant, channel: id)
        case "webhooks": WebhookSecrets.context(tenant, id)
        default: ContentKey.context(tenant: tenant, vault: id)
        }
    }
}
