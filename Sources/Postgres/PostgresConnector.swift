import Glibc
internal import Synchronization

/// Opens connections on threads of their own. Each thread ends once its connection is open.
///
/// libpq can connect without blocking, but it cannot look up host names that way, and a TLS or SCRAM handshake takes
/// milliseconds of computation. On the loop's thread, each would hold up every request.
///
/// The connector goes through a database's hosts itself. libpq would wait for one that does not answer each time
/// (``PostgresHosts``), and it gives up at a host that refuses the database or the role, which a standby does until it
/// has replayed their creation.
final class PostgresConnector: Sendable {
    typealias Completion = @Sendable (Result<OpenedConnection, PostgresError>) -> Void

    private let hosts: [ConnectionString]
    private let choice: Mutex<PostgresHosts>

    init(connectionString: ConnectionString) {
        hosts = connectionString.hosts
        choice = Mutex(PostgresHosts(count: hosts.count))
    }

    /// Opens a connection and passes it to `body` on the new thread.
    func open(_ body: @escaping Completion) {
        let job = Job(connector: self, body: body)
        let argument = Unmanaged.passRetained(job).toOpaque()
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Job>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, argument)
        guard failure == 0 else {
            Unmanaged<Job>.fromOpaque(argument).release()
            body(.failure(.unavailable(reason: "no thread to connect on")))
            return
        }
        pthread_detach(thread)
    }

    /// Records that a statement got no answer from a host, so that the next attempts need not find that out.
    func fellSilent(_ host: Int) {
        choice.withLock { $0.fellSilent(host) }
    }

    /// Tries the hosts one after the other. Blocks.
    func open() throws(PostgresError) -> OpenedConnection {
        var tried: Set<Int> = []
        var reasons: [String] = []
        while let host = choice.withLock({ $0.next(tried: tried) }) {
            tried.insert(host)
            let began = ContinuousClock.now
            do throws(PostgresError) {
                let opened = OpenedConnection(
                    handle: try hosts[host].open(), host: host, requiresPrimary: hosts[host].requiresPrimary)
                choice.withLock { $0.opened(host) }
                return opened
            } catch {
                choice.withLock { $0.failed(host, after: began.duration(to: .now)) }
                guard case .unavailable(let reason) = error else { throw error }
                reasons.append(reason)
            }
        }
        throw .unavailable(reason: reasons.isEmpty ? "no host answers" : reasons.joined(separator: "; "))
    }

    private final class Job: Sendable {
        let connector: PostgresConnector
        let body: Completion

        init(connector: PostgresConnector, body: @escaping Completion) {
            self.connector = connector
            self.body = body
        }

        func run() {
            body(Result { () throws(PostgresError) in try connector.open() })
        }
    }
}
