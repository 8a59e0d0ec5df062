import Glibc

/// Opens connections on threads of their own. Each thread ends once its connection is open.
///
/// libpq can connect without blocking, but it cannot look up host names that way, and a TLS or SCRAM handshake takes
/// milliseconds of computation. On the loop's thread, each would hold up every request.
struct PostgresConnector: Sendable {
    typealias Completion = @Sendable (Result<OpenedConnection, PostgresError>) -> Void

    let connectionString: ConnectionString

    /// Opens a connection and passes it to `body` on the new thread.
    func open(_ body: @escaping Completion) {
        let job = Job(connectionString: connectionString, body: body)
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

    private final class Job: Sendable {
        let connectionString: ConnectionString
        let body: Completion

        init(connectionString: ConnectionString, body: @escaping Completion) {
            self.connectionString = connectionString
            self.body = body
        }

        func run() {
            body(Result { () throws(PostgresError) in OpenedConnection(handle: try connectionString.open()) })
        }
    }
}
