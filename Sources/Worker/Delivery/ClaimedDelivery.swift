internal import Crypto
internal import Delivery
internal import Postgres

/// A row of the outbox that this worker has leased for one minute.
struct ClaimedDelivery: Sendable {
    let tenant: Int
    /// The tenant's slug, for the log.
    let slug: String
    private(set) var message: Message
    let destination: DeliveryLimits.Destination
    /// The sealed text that replaces ``DeliverySecret/placeholder`` in the message.
    let sealedSecret: [UInt8]?
    /// The links that replace their placeholders in the message.
    let links: [MessageLink.Purpose]

    init(tenant: Int, slug: String = "", message: Message, sealedSecret: [UInt8]?) {
        self.tenant = tenant
        self.slug = slug
        self.message = message
        destination = DeliveryLimits.Destination(tenant: tenant, host: message.userChosenHost)
        self.sealedSecret = sealedSecret
        links = []
    }

    /// Reads a row of ``claim``. `publicURL` is the address of the server, for links.
    init(_ rows: PostgresResult, _ row: Int, publicURL: String) {
        let id = rows.string(row, 1) ?? ""
        let callback = rows.string(row, 16).map { "\(publicURL)/v1/inbound/voice/\($0)?call=\(id)" }
        links = Self.links(rows, row)
        tenant = rows.int(row, 0) ?? 0
        slug = rows.string(row, 19) ?? ""
        sealedSecret = rows.bytes(row, 7)
        let keys = rows.string(row, 12).flatMap { key in
            rows.string(row, 13).map { WebPushKeys(p256dh: key, auth: $0) }
        }
        message = Message(
            id: id, channel: rows.string(row, 2) ?? "", purpose: rows.string(row, 3) ?? "",
            address: rows.string(row, 4) ?? "", subject: rows.string(row, 5), text: rows.string(row, 6) ?? "",
            data: rows.bytes(row, 8), collapseID: rows.string(row, 9), isUrgent: rows.bool(row, 10) ?? true,
            expiresAt: rows.int(row, 11).map(Int64.init), webPushKeys: keys, environment: rows.string(row, 14),
            language: rows.string(row, 15), callback: callback)
        destination = DeliveryLimits.Destination(tenant: tenant, host: message.userChosenHost)
    }

    /// The links of a row: one to check in, or those of alarms.
    private static func links(_ rows: PostgresResult, _ row: Int) -> [MessageLink.Purpose] {
        guard let user = rows.string(row, 17) else { return [] }
        if let date = rows.string(row, 18) { return [.checkIn(user: user, date: date)] }
        return (rows.string(row, 20) ?? "").split(separator: ",").map { .alarm(String($0), receiver: user) }
    }

    /// Puts a link into the message. It is valid once the database knows its hash.
    mutating func set(_ link: MessageLink, for purpose: MessageLink.Purpose, publicURL: String) {
        message.text = message.text.replacing(
            purpose.placeholder, with: "\(publicURL)\(purpose.path)\(link.token)")
    }

    /// Returns the message to send, with its secret in place.
    ///
    /// - Throws: `CryptoError` when the master key does not open the secret.
    func opened(with masterKey: MasterKey) throws(CryptoError) -> Message {
        guard let sealedSecret else { return message }
        let secret = try DeliverySecret.open(sealedSecret, tenant: tenant, delivery: message.id, with: masterKey)
        var message = message
        message.text = message.text.replacing(DeliverySecret.placeholder, with: secret)
        return message
    }

    static let claim = PostgresStatement(
        name: "claim_deliveries",
        sql: """
            select tenant_id, id::text, channel, purpose, address, subject, body, sealed_secret, data::text, collapse_id, is_urgent, \
            (extract(epoch from expires_at) * 1000000)::bigint, public_key, auth_secret, environment, \
            locale, inbound_token, link_user_id::text, link_on::text, \
            (select slug from kith.tenants as tenant where tenant.tenant_id = claimed.tenant_id), \
            array_to_string(link_alarms, ',') \
            from worker.claim_deliveries(\
            $1::timestamptz, $2::text, $3::integer, $4::integer, $5::integer, $6::integer[], $7::integer[], $8::text) as claimed
            """, hasBinaryResults: true)
}
