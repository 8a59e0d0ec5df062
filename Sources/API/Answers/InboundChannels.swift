internal import Crypto
internal import Delivery
internal import HTTP
internal import JSON
internal import Postgres
internal import Problems
internal import Requests

/// The addresses to which providers forward answers, with the secrets that prove their calls. They are read once in
/// half a minute, so that a call without a signature reaches no database.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
final class InboundChannels {
    struct Address: Hashable {
        let tenantID: Int
        let channel: String
        let token: String

        /// Reads the token of an address; nil if `text` cannot be one.
        init?(_ text: String, channel: String) {
            guard let token = SignToken(text) else { return nil }
            tenantID = token.tenantID
            self.channel = channel
            self.token = text
        }
    }

    /// How long an address is used without reading it again, in microseconds. A change takes effect after at most this
    /// time.
    private static let validity: Int64 = 30_000_000
    /// Beyond this number, those that have ended are dropped, and if there are still more, all.
    private static let most = 10_000

    private static let read = ProcedureCall("api.inbound_channel", ["integer", "text", "text"], lane: .reads)

    private let pool: PostgresPool
    private let masterKey: MasterKey
    private var known: [Address: (settings: InboundSettings?, until: Int64)] = [:]

    init(pool: PostgresPool, masterKey: MasterKey) {
        self.pool = pool
        self.masterKey = masterKey
    }

    /// The settings of an address that was read in the last half minute, or nil within an optional if nobody knows it;
    /// nil if it was not read.
    func known(_ address: Address, at now: Int64) -> InboundSettings?? {
        guard let found = known[address], now < found.until, found.until - now <= Self.validity else { return nil }
        return found.settings
    }

    /// Whether an address had settings when it was read last, perhaps a while ago.
    func wasThere(_ address: Address) -> Bool { known[address]?.settings != nil }

    /// The settings of an address; nil if nobody knows it.
    ///
    /// - Throws: ``Problem`` if the database cannot be reached, or if the settings cannot be read.
    func settings(of address: Address, at now: Int64, request: String) async throws(Problem) -> InboundSettings? {
        let statements = Statements(pool: pool, client: Caller.strangers, request: request, transaction: nil)
        let facts = try await statements.facts(
            Self.read, as: nil, [.text(String(address.tenantID)), .text(address.channel), .text(address.token)])
        var settings: InboundSettings?
        if let sealed = facts?.root["sealed"]?.string.flatMap(Hex.decode) { settings = try open(sealed, address) }
        if known.count >= Self.most { known = known.filter { $0.value.until > now } }
        if known.count >= Self.most { known = [:] }
        known[address] = (settings, now + Self.validity)
        return settings
    }

    private func open(_ sealed: [UInt8], _ address: Address) throws(Problem) -> InboundSettings? {
        do {
            let json = try ChannelCredentials.open(
                sealed, tenant: address.tenantID, channel: address.channel, with: masterKey)
            return try ChannelSettings(channel: address.channel, json: json).inbound
        } catch {
            throw Problem(fault: "the settings of an inbound address cannot be read: \(error)")
        }
    }
}
