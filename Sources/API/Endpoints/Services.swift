internal import Crypto
internal import HTTP
internal import LiveEvents
internal import Postgres
internal import Problems
internal import Requests

/// The objects that all handlers and resources of a server use.
///
/// Confined to the event loop's thread: only that loop's API server uses it.
///
/// It is a class because every request carries it. A copy of a structure would retain each of its members.
final class Services {
    let pool: PostgresPool
    let masterKey: MasterKey
    /// The URL at which clients reach the server.
    let publicURL: String
    /// The release of this server.
    let version: String
    let idempotency: Idempotency
    let events: EventHub
    let readiness: Readiness
    let status: StatusBoard
    let answerTexts: AnswerTexts
    let inbound: InboundChannels

    /// The people whom one click signs in; nil except in `kith dev`.
    let demo: APIConfiguration.Demo?
    let shared: SharedState

    init(pool: PostgresPool, configuration: APIConfiguration, shared: SharedState) {
        self.pool = pool
        masterKey = configuration.masterKey
        publicURL = configuration.publicURL
        version = configuration.version
        idempotency = Idempotency(pool: pool, masterKey: configuration.masterKey)
        demo = configuration.demo
        self.shared = shared
        events = EventHub(pool: pool, limits: shared.streams)
        readiness = Readiness(pool: pool)
        status = StatusBoard(pool: pool, readiness: readiness, publicURL: configuration.publicURL)
        answerTexts = AnswerTexts(pool: pool)
        inbound = InboundChannels(pool: pool, masterKey: configuration.masterKey)
    }
}

/// A request for a page or a fact about the server.
struct ResourceRequest {
    let http: HTTPRequest
    /// The path's segments that the endpoint's path leaves open.
    let path: [String]
}
